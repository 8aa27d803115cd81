// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/access.hpp"

namespace rbd_parallel_core {

/// Where the entries of the lower triangle of M lie if only those are kept that can differ from
/// zero: row k holds the columns on the way from the root of `dof_parent` to k. So entry (k, j) is
/// at row_start[k] + depth[j]; nothing has to be searched.
struct SparseRows {
  const std::int64_t* row_start;  ///< nv + 1
  const std::int32_t* depth;      ///< nv: how many coordinates lie before it on its way

  RBD_INLINE std::int64_t at(std::int32_t i, std::int32_t j) const {
    return row_start[i] + depth[j];
  }
};

/// The lower triangle of a matrix of one result in that form, with the interface of OutLower.
template <class S>
struct OutSparse {
  /// Every entry is written by crba, unless mimic joints add to it.
  static constexpr bool zeros_persist = true;

  RealOf<S>* data;
  SparseRows rows;
  std::int32_t n;

  RBD_INLINE S load(std::int32_t i, std::int32_t j) const {
    return ScalarTraits<S>::load(data + offset_of<S>(rows.at(i, j)));
  }
  RBD_INLINE void store(std::int32_t i, std::int32_t j, const S& x) const {
    ScalarTraits<S>::store(data + offset_of<S>(rows.at(i, j)), x);
  }
  /// Row i, its columns one after the other.
  RBD_INLINE OutRow<S> row(std::int32_t i) const {
    return {data + offset_of<S>(rows.row_start[i])};
  }
  RBD_INLINE std::ptrdiff_t nonzeros() const { return rows.row_start[n]; }
  RBD_INLINE void clear() const {
    const std::ptrdiff_t size = offset_of<S>(nonzeros());
    for (std::ptrdiff_t k = 0; k < size; ++k) data[k] = RealOf<S>(0);
  }
};

}  // namespace rbd_parallel_core
