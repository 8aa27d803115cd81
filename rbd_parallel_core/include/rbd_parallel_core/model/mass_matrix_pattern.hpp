// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rbd_parallel_core/model/model.hpp"

namespace rbd_parallel_core {

/// Which entries of the lower triangle of a mass matrix can differ from zero, in compressed rows.
/// Row k has the columns of all coordinates on the way from the root of `dof_parent` to k,
/// ascending: those that k can act on, and with mimic joints those that a Cholesky factor M = L^T L
/// fills in. The same pattern serves M and L.
class MassMatrixPattern {
 public:
  explicit MassMatrixPattern(const Model& model);

  /// Rows and columns of the matrix: nv.
  std::int32_t size() const { return static_cast<std::int32_t>(depth_.size()); }
  std::int64_t nonzeros() const { return row_start_.back(); }
  /// nv + 1: row k is row_start[k] <= e < row_start[k + 1]. Its last entry is the diagonal.
  std::span<const std::int64_t> row_start() const { return row_start_; }
  /// nonzeros(): the column of each entry.
  std::span<const std::int32_t> column() const { return column_; }
  /// nv: entry (k, j) is at row_start[k] + depth[j].
  std::span<const std::int32_t> depth() const { return depth_; }

 private:
  std::vector<std::int64_t> row_start_;
  std::vector<std::int32_t> depth_, column_;
};

/// What a kernel needs of the pattern: all but the columns, which can be many.
class MassMatrixRows {
 public:
  MassMatrixRows() = default;
  /// `dof_parent`: nv, as in ModelView.
  explicit MassMatrixRows(std::span<const std::int32_t> dof_parent);

  std::span<const std::int64_t> row_start() const { return row_start_; }
  std::span<const std::int32_t> depth() const { return depth_; }

 private:
  std::vector<std::int64_t> row_start_{0};
  std::vector<std::int32_t> depth_;
};

/// MassMatrixPattern::nonzeros() without making one.
std::int64_t mass_matrix_nonzeros(const Model& model);

/// Bytes of a dense mass matrix, and of the values of a sparse one, of numbers of that size.
std::int64_t dense_mass_matrix_bytes(const Model& model, std::size_t size_of_number = 8);
std::int64_t sparse_mass_matrix_bytes(const Model& model, std::size_t size_of_number = 8);

}  // namespace rbd_parallel_core
