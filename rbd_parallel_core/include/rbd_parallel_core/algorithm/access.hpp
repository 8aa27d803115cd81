// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include "rbd_parallel_core/model/model_view.hpp"
#include "rbd_parallel_core/spatial/sincos.hpp"

/// How the algorithms read states and keep intermediate results. They never see an array: they call
/// `q(k)` for a coordinate and load / store structs by body. What stands behind is the caller's: a
/// row of doubles, a tile of SIMD lanes, a strided buffer of a GPU.
namespace rbd_parallel_core {

/// Where the k-th Scalar of an array lies, counted in numbers.
template <class S>
RBD_INLINE std::ptrdiff_t offset_of(std::ptrdiff_t k) {
  return k * static_cast<std::ptrdiff_t>(ScalarTraits<S>::width);
}

/// Reads coordinate k of one state (or one pack of states) from a row.
template <class S>
struct Row {
  const RealOf<S>* data;
  RBD_INLINE S operator()(std::int32_t k) const {
    return ScalarTraits<S>::load(data + offset_of<S>(k));
  }
};

/// Reads zero. The algorithms leave out at compile time what a zero velocity or acceleration makes
/// vanish.
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
  RealOf<S>* data;
  RBD_INLINE S load(std::int32_t k) const { return ScalarTraits<S>::load(data + offset_of<S>(k)); }
  RBD_INLINE void store(std::int32_t k, const S& value) const {
    ScalarTraits<S>::store(data + offset_of<S>(k), value);
  }
};

/// A square matrix of one result, row-major.
template <class S>
struct OutMatrix {
  RealOf<S>* data;
  std::int32_t n;
  RBD_INLINE std::ptrdiff_t at(std::int32_t i, std::int32_t j) const {
    return offset_of<S>(static_cast<std::ptrdiff_t>(i) * n + j);
  }
  RBD_INLINE S load(std::int32_t i, std::int32_t j) const {
    return ScalarTraits<S>::load(data + at(i, j));
  }
  RBD_INLINE void store(std::int32_t i, std::int32_t j, const S& x) const {
    ScalarTraits<S>::store(data + at(i, j), x);
  }
};

/// A symmetric matrix of one result, both of its triangles written.
template <class S>
struct OutSymmetric : OutMatrix<S> {
  static constexpr bool zeros_persist = false;
  /// Entry (i, j) and its mirror image, j <= i.
  RBD_INLINE void store(std::int32_t i, std::int32_t j, const S& x) const {
    OutMatrix<S>::store(i, j, x);
    OutMatrix<S>::store(j, i, x);
  }
  RBD_INLINE void clear() const {
    const std::ptrdiff_t size = this->at(this->n, 0);
    for (std::ptrdiff_t k = 0; k < size; ++k) this->data[k] = RealOf<S>(0);
  }
};

/// The same, of which only the lower triangle is kept, in memory that is used for nothing else and
/// was zero at first: entries of coordinates that do not act on each other are zero once and for
/// all.
template <class S>
struct OutLower : OutMatrix<S> {
  static constexpr bool zeros_persist = true;
  RBD_INLINE void clear() const {
    for (std::int32_t i = 0; i < this->n; ++i) {
      for (std::int32_t j = 0; j <= i; ++j) this->store(i, j, S(RealOf<S>(0)));
    }
  }
};

/// An array of structs, one per body or coordinate: the workspace on a CPU.
template <class T>
struct Column {
  T* data;
  RBD_INLINE const T& load(std::int32_t i) const { return data[i]; }
  RBD_INLINE void store(std::int32_t i, const T& value) const { data[i] = value; }
};

/// sine[i], cosine[i] of angle[i] for i < n, one after the other.
template <class Angles, class Results>
RBD_KERNEL void sincos_all(const Angles& angle, const Results& sine, const Results& cosine,
                           std::int32_t n) {
  for (std::int32_t i = 0; i < n; ++i) {
    using S = std::remove_cvref_t<decltype(angle.load(i))>;
    S s, c;
    ScalarTraits<S>::sincos(angle.load(i), s, c);
    sine.store(i, s);
    cosine.store(i, c);
  }
}

/// Arrays of angles, sines and cosines have room for their number rounded up to a multiple of this,
/// so that the last joints need no loop of their own.
inline constexpr std::int32_t turns_padding = 4;

RBD_INLINE constexpr std::int32_t padded_turns(std::int32_t n) {
  return (n + turns_padding - 1) / turns_padding * turns_padding;
}

/// The same for doubles in memory, written so that the compiler puts several joints into SIMD
/// lanes. What lies between n and padded_turns(n) is read and overwritten.
[[maybe_unused]] RBD_KERNEL void sincos_all(const Column<double>& angle, const Column<double>& sine,
                                            const Column<double>& cosine, std::int32_t n) {
  const double* __restrict x = angle.data;
  double* __restrict s = sine.data;
  double* __restrict c = cosine.data;
  bool large = false;
  for (std::int32_t i = 0; i < n; i += turns_padding) {
    for (std::int32_t k = i; k < i + turns_padding; ++k) reduced_sincos(x[k], s[k], c[k]);
  }
  for (std::int32_t i = 0; i < n; ++i) large |= !(std::abs(x[i]) <= largest_reduced_angle<double>);
  if (!large) return;
  for (std::int32_t i = 0; i < n; ++i) {
    if (std::abs(x[i]) <= largest_reduced_angle<double>) continue;
    s[i] = std::sin(x[i]);  // NaN and infinity come here too
    c[i] = std::cos(x[i]);
  }
}

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

/// Sine and cosine of every joint's angle. They are computed for all joints at once, before
/// anything else: that leaves no function call in the loops over bodies, and lets one robot's
/// joints share SIMD lanes.
template <class S, template <class> class Array>
struct JointTurns {
  Array<S> angle, sine, cosine;  ///< per body, padded_turns of them

  RBD_INLINE ZTurn<S> load(std::int32_t i) const { return {cosine.load(i), sine.load(i)}; }
};

/// The angles of the joints begin <= i < end.
template <class S, class Real, template <class> class Array, class Q>
RBD_INLINE void compute_angles(const ModelView<Real>& model, const JointTurns<S, Array>& turns,
                               const Q& q, std::int32_t begin, std::int32_t end) {
  for (std::int32_t i = begin; i < end; ++i) {
    const BodyView<Real>& body = model.body[i];
    visit_joint<S>(body, [&](const auto& joint) RBD_INLINE_LAMBDA {
      turns.angle.store(i, joint.angle(JointCoordinates<Real, Q>{body, q}));
    });
  }
}

template <class S, class Real, template <class> class Array, class Q>
RBD_KERNEL void compute_turns(const ModelView<Real>& model, JointTurns<S, Array> turns, Q q) {
  compute_angles(model, turns, q, 0, model.body_count);
  sincos_all(turns.angle, turns.sine, turns.cosine, model.body_count);
}

/// iX_parent of body i in the state q. After compute_turns.
template <class S, class Real, class Joint, class Placement, template <class> class Array, class Q>
RBD_INLINE auto joint_transform(const BodyView<Real>& body, const Joint& joint,
                                const Placement& placement, const JointTurns<S, Array>& turns,
                                std::int32_t i, const Q& q) {
  using JointMotion = decltype(joint.motion(turns.load(i), JointCoordinates<Real, Q>{body, q}));
  return StagedTransform<JointMotion, Placement>{
      joint.motion(turns.load(i), JointCoordinates<Real, Q>{body, q}), placement};
}

}  // namespace rbd_parallel_core
