// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "rbd_parallel_core/model/model_view.hpp"

/// How the algorithms read states and keep intermediate results. They never see an array: they call
/// `q(k)` for a coordinate and load / store structs by body. What stands behind is the caller's: a row of
/// doubles, a tile of SIMD lanes, a strided buffer of a GPU.
namespace rbd_parallel_core {

/// Reads coordinate k of one state from a row.
template <class S>
struct Row {
  const S* data;
  RBD_INLINE S operator()(std::int32_t k) const { return data[k]; }
};

/// Reads zero. The algorithms leave out at compile time what a zero velocity or acceleration makes vanish.
template <class S>
struct Zeros {
  RBD_INLINE S operator()(std::int32_t) const { return S(RealOf<S>(0)); }
};

template <class Reader>
inline constexpr bool is_zero = false;
template <class S>
inline constexpr bool is_zero<Zeros<S>> = true;

/// Writes coordinate k of one result.
template <class S>
struct OutRow {
  S* data;
  RBD_INLINE S load(std::int32_t k) const { return data[k]; }
  RBD_INLINE void store(std::int32_t k, const S& value) const { data[k] = value; }
};

/// A square matrix of one result, row-major.
template <class S>
struct OutMatrix {
  S* data;
  std::int32_t n;
  RBD_INLINE std::size_t at(std::int32_t i, std::int32_t j) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(n) + static_cast<std::size_t>(j);
  }
  RBD_INLINE S load(std::int32_t i, std::int32_t j) const { return data[at(i, j)]; }
  RBD_INLINE void store(std::int32_t i, std::int32_t j, const S& x) const { data[at(i, j)] = x; }
};

/// An array of structs, one per body or coordinate: the workspace on a CPU.
template <class T>
struct Column {
  T* data;
  RBD_INLINE const T& load(std::int32_t i) const { return data[i]; }
  RBD_INLINE void store(std::int32_t i, const T& value) const { data[i] = value; }
};

/// No external forces.
struct NoForces {};

/// Reads the k-th own coordinate of a body's joint, a mimic joint's from the joint it follows.
template <class Real, class Reader>
struct JointCoordinates {
  const BodyView<Real>& body;
  const Reader& read;
  RBD_INLINE auto operator()(int k) const {
    using S = decltype(read(0));
    return mul_add(S(body.multiplier), read(body.q_index + k), S(body.offset));
  }
};

/// The k-th rate (velocity or acceleration) of a body's joint.
template <class Real, class Reader>
RBD_INLINE auto joint_rate(const BodyView<Real>& body, const Reader& read, int k) {
  using S = decltype(read(0));
  return S(body.multiplier) * read(body.v_index + k);
}

/// iX_parent of a body in the state q.
template <class S, class Real, class Joint, class Q>
RBD_INLINE Transform<S> joint_transform(const BodyView<Real>& body, const Joint& joint, const Q& q) {
  return joint.place(broadcast<S>(body.placement), JointCoordinates<Real, Q>{body, q});
}

}  // namespace rbd_parallel_core
