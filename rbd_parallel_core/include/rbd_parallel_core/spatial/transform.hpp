// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/spatial/mat3.hpp"
#include "rbd_parallel_core/spatial/motion_force.hpp"

namespace rbd_parallel_core {

/// The Pluecker transform X = BX_A from frame A to frame B in twelve numbers (Featherstone 2.8):
/// E turns A coordinates into B coordinates, r is the origin of B in A coordinates.
///
/// A group: X1 X2 is associative, identity() is neutral, X inverse(X) = identity().
/// Power is invariant: dot(X.apply(m), X.apply(f)) = dot(m, f).
template <class S>
struct Transform {
  Mat3<S> E;
  Vec3<S> r;

  static RBD_INLINE Transform identity() { return {Mat3<S>::identity(), Vec3<S>::zero()}; }

  /// X m: a motion from A to B.
  RBD_INLINE Motion<S> apply(const Motion<S>& m) const {
    return {E * m.w, E * (m.v - cross(r, m.w))};
  }
  /// X^-1 m: a motion from B to A.
  RBD_INLINE Motion<S> apply_inverse(const Motion<S>& m) const {
    const Vec3<S> w = transpose_times(E, m.w);
    return {w, transpose_times(E, m.v) + cross(r, w)};
  }
  /// X* f: a force from A to B.
  RBD_INLINE Force<S> apply(const Force<S>& f) const {
    return {E * (f.n - cross(r, f.f)), E * f.f};
  }
  /// X^T f: a force from B to A.
  RBD_INLINE Force<S> apply_inverse(const Force<S>& f) const {
    const Vec3<S> fa = transpose_times(E, f.f);
    return {transpose_times(E, f.n) + cross(r, fa), fa};
  }

  /// X1 X2: first X2, then X1.
  friend RBD_INLINE Transform operator*(const Transform& x1, const Transform& x2) {
    return {x1.E * x2.E, x2.r + transpose_times(x2.E, x1.r)};
  }
};

template <class S>
RBD_INLINE Transform<S> inverse(const Transform<S>& x) {
  return {transpose(x.E), -(x.E * x.r)};
}

/// X^T f, as for inertias.
template <class S>
RBD_INLINE Force<S> apply_inverse(const Transform<S>& x, const Force<S>& f) {
  return x.apply_inverse(f);
}

template <class S, class R>
RBD_INLINE Transform<S> broadcast(const Transform<R>& x) {
  return {broadcast<S>(x.E), broadcast<S>(x.r)};
}

}  // namespace rbd_parallel_core
