// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/spatial/transform.hpp"

namespace rbd_parallel_core {

/// The inertia of a rigid body in ten numbers: mass m, first moment h = m c, and the rotational
/// inertia I about the origin of the frame (not about the centre of mass c). Featherstone 2.13.
/// Adding is joining bodies rigidly: commutative, associative, zero() is neutral, 0 - a is the
/// inverse.
template <class S>
struct Inertia {
  S m;
  Vec3<S> h;
  SymMat3<S> I;

  static RBD_INLINE Inertia zero() {
    return {S(RealOf<S>(0)), Vec3<S>::zero(), SymMat3<S>::zero()};
  }

  friend RBD_INLINE Inertia operator+(const Inertia& a, const Inertia& b) {
    return {a.m + b.m, a.h + b.h, a.I + b.I};
  }
  /// What is left when b is taken away from a body that contains it.
  friend RBD_INLINE Inertia operator-(const Inertia& a, const Inertia& b) {
    return {a.m - b.m, a.h - b.h, a.I - b.I};
  }
  RBD_INLINE Inertia& operator+=(const Inertia& b) { return *this = *this + b; }

  /// Momentum: I v
  friend RBD_INLINE Force<S> operator*(const Inertia& a, const Motion<S>& v) {
    return {a.I * v.w + cross(a.h, v.v), a.m * v.v - cross(a.h, v.w)};
  }
};

/// m (c^T c 1 - c c^T): what the parallel-axis theorem adds for a point mass at c.
template <class S>
RBD_INLINE SymMat3<S> point_mass_inertia(const S& m, const Vec3<S>& c) {
  const Vec3<S> h = m * c;
  const S hx = h.x * c.x, hy = h.y * c.y, hz = h.z * c.z;
  return {hy + hz, -(h.x * c.y), -(h.x * c.z), hx + hz, -(h.y * c.z), hx + hy};
}

/// From mass, centre of mass and the rotational inertia about the centre of mass.
template <class S>
RBD_INLINE Inertia<S> inertia_from_com(const S& m, const Vec3<S>& c, const SymMat3<S>& about_com) {
  return {m, m * c, about_com + point_mass_inertia(m, c)};
}

/// The same body seen from a frame of the same orientation whose origin lies at -r: the
/// parallel-axis theorem for ten numbers, without dividing by the mass (which may be zero).
template <class S>
RBD_INLINE Inertia<S> shift(const Inertia<S>& a, const Vec3<S>& r) {
  // I' = I - rx hx - h'x rx with h' = h + m r. Both products share the form
  // ax bx = b a^T - (a.b) 1; with g = h + h' the symmetric part is what remains.
  const Vec3<S> h = mul_add(a.m, r, a.h);
  const Vec3<S> g = a.h + h;
  const S half(RealOf<S>(0.5));
  const S dx = g.x * r.x, dy = g.y * r.y, dz = g.z * r.z;
  return {a.m,
          h,
          {a.I.xx + (dy + dz), neg_mul_add(half, mul_mul_add(g.x, r.y, g.y, r.x), a.I.xy),
           neg_mul_add(half, mul_mul_add(g.x, r.z, g.z, r.x), a.I.xz), a.I.yy + (dx + dz),
           neg_mul_add(half, mul_mul_add(g.y, r.z, g.z, r.y), a.I.yz), a.I.zz + (dx + dy)}};
}

/// E^T I E: the same origin, the axes before E.
template <class S>
RBD_INLINE Inertia<S> rotate_back(const Mat3<S>& E, const Inertia<S>& a) {
  return {a.m, transpose_times(E, a.h), rotate_back(E, a.I)};
}

/// X^T I X: an inertia from frame B to frame A, where X = BX_A (Featherstone 2.66).
template <class S>
RBD_INLINE Inertia<S> apply_inverse(const Transform<S>& x, const Inertia<S>& a) {
  return shift(rotate_back(x.E, a), x.r);
}

/// X* I X^-1: an inertia from frame A to frame B.
template <class S>
RBD_INLINE Inertia<S> apply(const Transform<S>& x, const Inertia<S>& a) {
  return apply_inverse(inverse(x), a);
}

template <class S, class R>
RBD_INLINE Inertia<S> broadcast(const Inertia<R>& a) {
  return {S(a.m), broadcast<S>(a.h), broadcast<S>(a.I)};
}

}  // namespace rbd_parallel_core
