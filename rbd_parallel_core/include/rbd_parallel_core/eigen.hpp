// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/SparseCore>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "rbd_parallel_core/model/mass_matrix_pattern.hpp"

/// Sparse mass matrices as Eigen sees them. Nothing else of the library needs this header or Eigen.
namespace rbd_parallel_core {

/// Views the values of sparse mass matrices, or of their Cholesky factors, as Eigen matrices
/// without copying them. The view has the lower triangle only, row after row:
///
///   const SparseMassMatrixView view(pattern);
///   y = view.matrix(values).selfadjointView<Eigen::Lower>() * x;
///
/// Keeps a copy of the pattern in Eigen's own type of index. Throws std::length_error for 2^31
/// nonzeros and more, which that cannot count.
class SparseMassMatrixView {
 public:
  template <class Real>
  using Matrix = Eigen::SparseMatrix<Real, Eigen::RowMajor, int>;

  explicit SparseMassMatrixView(const MassMatrixPattern& pattern)
      : row_start_(indices(pattern)), column_(pattern.column().begin(), pattern.column().end()) {}

  /// Of `values`, nonzeros() of them, which must live as long as what is returned.
  template <class Real>
  Eigen::Map<const Matrix<Real>> matrix(std::span<const Real> values) const {
    if (values.size() != column_.size()) {
      throw std::length_error("values: expected " + std::to_string(column_.size()) +
                              " numbers, got " + std::to_string(values.size()));
    }
    const auto n = static_cast<Eigen::Index>(row_start_.size()) - 1;
    return {n,
            n,
            static_cast<Eigen::Index>(column_.size()),
            row_start_.data(),
            column_.data(),
            values.data()};
  }
  template <class Real>
  Eigen::Map<const Matrix<Real>> matrix(const std::vector<Real>& values) const {
    return matrix(std::span<const Real>(values));
  }

 private:
  static std::vector<int> indices(const MassMatrixPattern& pattern) {
    if (pattern.nonzeros() > std::numeric_limits<int>::max()) {
      throw std::length_error("the mass matrix has " + std::to_string(pattern.nonzeros()) +
                              " nonzeros, more than an Eigen matrix of int indices holds");
    }
    std::vector<int> result;
    result.reserve(pattern.row_start().size());
    for (const std::int64_t start : pattern.row_start()) result.push_back(static_cast<int>(start));
    return result;
  }

  std::vector<int> row_start_, column_;
};

}  // namespace rbd_parallel_core
