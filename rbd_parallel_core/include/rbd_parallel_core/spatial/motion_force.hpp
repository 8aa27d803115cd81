// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/spatial/vec3.hpp"

namespace rbd_parallel_core {

/// A spatial motion vector [w; v]: angular first, linear part taken at the origin of its frame
/// (Featherstone, Rigid Body Dynamics Algorithms, 2.2).
template <class S>
struct Motion {
  Vec3<S> w, v;

  static RBD_INLINE Motion zero() { return {Vec3<S>::zero(), Vec3<S>::zero()}; }
  friend RBD_INLINE Motion operator+(const Motion& a, const Motion& b) {
    return {a.w + b.w, a.v + b.v};
  }
  friend RBD_INLINE Motion operator-(const Motion& a, const Motion& b) {
    return {a.w - b.w, a.v - b.v};
  }
  friend RBD_INLINE Motion operator*(const S& s, const Motion& a) { return {s * a.w, s * a.v}; }
  RBD_INLINE Motion& operator+=(const Motion& b) { return *this = *this + b; }
};

/// A spatial force vector [n; f]: moment about the origin of its frame first, then force.
template <class S>
struct Force {
  Vec3<S> n, f;

  static RBD_INLINE Force zero() { return {Vec3<S>::zero(), Vec3<S>::zero()}; }
  friend RBD_INLINE Force operator+(const Force& a, const Force& b) {
    return {a.n + b.n, a.f + b.f};
  }
  friend RBD_INLINE Force operator-(const Force& a, const Force& b) {
    return {a.n - b.n, a.f - b.f};
  }
  friend RBD_INLINE Force operator*(const S& s, const Force& a) { return {s * a.n, s * a.f}; }
  RBD_INLINE Force& operator+=(const Force& b) { return *this = *this + b; }
  RBD_INLINE Force& operator-=(const Force& b) { return *this = *this - b; }
};

/// Power: what a force does on a motion; the same number in every frame.
template <class S>
RBD_INLINE S dot(const Motion<S>& m, const Force<S>& f) {
  return dot(m.w, f.n) + dot(m.v, f.f);
}

/// crm(a) b, the cross product of two motions (Featherstone 2.31). crm(a) a = 0.
template <class S>
RBD_INLINE Motion<S> cross(const Motion<S>& a, const Motion<S>& b) {
  return {cross(a.w, b.w), cross(a.w, b.v) + cross(a.v, b.w)};
}

/// crf(a) f = -crm(a)^T f, the cross product of a motion and a force (Featherstone 2.32).
template <class S>
RBD_INLINE Force<S> cross(const Motion<S>& a, const Force<S>& f) {
  return {cross(a.w, f.n) + cross(a.v, f.f), cross(a.w, f.f)};
}

template <class S>
RBD_INLINE Force<S> mul_add(const S& s, const Force<S>& a, const Force<S>& b) {
  return {mul_add(s, a.n, b.n), mul_add(s, a.f, b.f)};
}

}  // namespace rbd_parallel_core
