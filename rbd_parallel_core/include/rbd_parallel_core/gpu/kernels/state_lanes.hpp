// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "rbd_parallel_core/algorithm/access.hpp"

/// Arrays in which the same number of all states stands side by side: threads that compute
/// neighbouring states then read neighbouring numbers, which a GPU loads at once. Number k of state
/// s is at k * stride + s; `data` points to number 0 of the thread's own state. These are the
/// readers, writers and workspaces that the algorithms ask for (access.hpp).
namespace rbd_parallel_core {

template <class Real>
struct LaneRow {
  const Real* data;
  std::int64_t stride;
  RBD_INLINE Real operator()(std::int32_t k) const { return data[k * stride]; }
};

template <class Real>
struct LaneOut {
  Real* data;
  std::int64_t stride;
  RBD_INLINE Real load(std::int32_t k) const { return data[k * stride]; }
  RBD_INLINE void store(std::int32_t k, const Real& x) const { data[k * stride] = x; }
};

/// A square matrix.
template <class Real>
struct LaneSquare {
  Real* data;
  std::int64_t stride;
  std::int32_t n;

  RBD_INLINE std::int64_t at(std::int32_t i, std::int32_t j) const {
    return (static_cast<std::int64_t>(i) * n + j) * stride;
  }
  RBD_INLINE Real load(std::int32_t i, std::int32_t j) const { return data[at(i, j)]; }
  RBD_INLINE void store(std::int32_t i, std::int32_t j, const Real& x) const { data[at(i, j)] = x; }
};

/// One that is symmetric, both of its triangles written.
template <class Real>
struct LaneMatrix : LaneSquare<Real> {
  static constexpr bool zeros_persist = false;
  RBD_INLINE void store(std::int32_t i, std::int32_t j, const Real& x) const {
    LaneSquare<Real>::store(i, j, x);
    LaneSquare<Real>::store(j, i, x);
  }
  RBD_INLINE void clear() const {
    for (std::int32_t k = 0; k < this->n * this->n; ++k) this->data[k * this->stride] = Real(0);
  }
};

/// One of which only the lower triangle means something.
template <class Real>
struct LaneLower : LaneSquare<Real> {
  static constexpr bool zeros_persist = false;
  RBD_INLINE void clear() const {
    for (std::int32_t i = 0; i < this->n; ++i) {
      for (std::int32_t j = 0; j <= i; ++j) this->store(i, j, Real(0));
    }
  }
};

/// Strided<Real>::Array<T> is an array of structs that are made of Reals, for the workspaces.
template <class Real>
struct Strided {
  template <class T>
  struct Array {
    static_assert(sizeof(T) % sizeof(Real) == 0);
    static constexpr std::int32_t numbers = sizeof(T) / sizeof(Real);
    Real* data;
    std::int64_t stride;

    RBD_INLINE T load(std::int32_t i) const {
      Real parts[numbers];
      const Real* at = data + static_cast<std::int64_t>(i) * numbers * stride;
      for (std::int32_t k = 0; k < numbers; ++k) parts[k] = at[k * stride];
      T value;
      std::memcpy(&value, parts, sizeof(T));
      return value;
    }
    RBD_INLINE void store(std::int32_t i, const T& value) const {
      Real parts[numbers];
      std::memcpy(parts, &value, sizeof(T));
      Real* at = data + static_cast<std::int64_t>(i) * numbers * stride;
      for (std::int32_t k = 0; k < numbers; ++k) at[k * stride] = parts[k];
    }
  };
};

}  // namespace rbd_parallel_core
