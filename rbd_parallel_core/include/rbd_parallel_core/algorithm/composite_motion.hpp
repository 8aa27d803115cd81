// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/newton_euler.hpp"

/// How the force on a moving subtree changes with its motion (docs/derivatives.md).
/// Everything here has the axes of the world and a point of reference that moves: the origin of a
/// body. Only velocities relative to that point appear, so no number grows with the distance to the
/// root.
namespace rbd_parallel_core {

/// A change of the motion of a subtree whose joints keep their own motion: of the angular velocity
/// by w, of the angular acceleration by alpha + w x (the body's angular velocity), of the
/// acceleration of the point at y from the point of reference by a + alpha x y + 2 w x dy/dt.
template <class S>
struct Variation {
  Vec3<S> w, alpha, a;
};

/// What pairs with a Variation: the change of one torque is w . gamma + alpha . n + a . f.
template <class S>
struct VariationForce {
  Vec3<S> gamma;
  Force<S> force;
};

template <class S>
RBD_INLINE S dot(const Variation<S>& d, const VariationForce<S>& g) {
  return dot(d.w, g.gamma) + (dot(d.alpha, g.force.n) + dot(d.a, g.force.f));
}

/// A subtree: its inertia and the force that its motion takes, both about the point of reference,
/// and with y the place of a mass element from that point, rho its density,
///   L = 2 int rho dy/dt        Y = 2 int rho dy/dt y^T
/// Adding is joining subtrees: commutative, associative, zero() is neutral.
template <class S>
struct CompositeMotion {
  Inertia<S> I;
  Vec3<S> L;
  Mat3<S> Y;
  Force<S> f;

  static RBD_INLINE CompositeMotion zero() {
    return {Inertia<S>::zero(), Vec3<S>::zero(), Mat3<S>::zero(), Force<S>::zero()};
  }
  friend RBD_INLINE CompositeMotion operator+(const CompositeMotion& a, const CompositeMotion& b) {
    return {a.I + b.I, a.L + b.L, a.Y + b.Y, a.f + b.f};
  }

  /// The change of the force that the subtree's motion takes.
  RBD_INLINE Force<S> operator*(const Variation<S>& d) const {
    const Force<S> turned = times_turn(d.w, d.alpha);
    return {turned.n + cross(I.h, d.a), mul_add(I.m, d.a, turned.f)};
  }
  /// That for a Variation that leaves the acceleration of the point of reference as it is.
  RBD_INLINE Force<S> times_turn(const Vec3<S>& w, const Vec3<S>& alpha) const {
    return {I.I * alpha + mul_add(trace(Y), w, -(Y * w)), cross(alpha, I.h) + cross(w, L)};
  }
  /// The transpose of that: how the force along s depends on a Variation.
  RBD_INLINE VariationForce<S> transpose_times(const Motion<S>& s) const {
    return {gamma_of(s.w) + cross(L, s.v), I * s};
  }
  /// That for a column that only turns: s = (s_w, 0).
  RBD_INLINE VariationForce<S> transpose_times(const Vec3<S>& s_w) const {
    return {gamma_of(s_w), {I.I * s_w, cross(s_w, I.h)}};
  }

 private:
  RBD_INLINE Vec3<S> gamma_of(const Vec3<S>& s_w) const {
    return mul_add(trace(Y), s_w, -rbd_parallel_core::transpose_times(Y, s_w));
  }
};

/// a + b c^T
template <class S>
RBD_INLINE Mat3<S> outer_add(const Vec3<S>& b, const Vec3<S>& c, const Mat3<S>& a) {
  return {mul_add(b.x, c, a.x), mul_add(b.y, c, a.y), mul_add(b.z, c, a.z)};
}

/// One rigid body about its own origin, given its inertia and angular velocity. There dy/dt = w x y
/// and int rho y y^T = tr(I)/2 1 - I.
template <class S>
RBD_INLINE CompositeMotion<S> rigid_body_motion(const Inertia<S>& I, const Vec3<S>& w,
                                                const Force<S>& f) {
  // Y = w x (tr(I) 1 - 2 I), column by column of a symmetric matrix
  const S yz = I.I.yy + I.I.zz, xz = I.I.xx + I.I.zz, xy = I.I.xx + I.I.yy;
  const S two(RealOf<S>(2));
  const Vec3<S> x{yz - I.I.xx, -two * I.I.xy, -two * I.I.xz};
  const Vec3<S> y{x.y, xz - I.I.yy, -two * I.I.yz};
  const Vec3<S> z{x.z, y.z, xy - I.I.zz};
  return {I, two * cross(w, I.h), transpose(Mat3<S>{cross(w, x), cross(w, y), cross(w, z)}), f};
}

/// The subtree about another point, at -r of the first one; from there the first one moves with
/// velocity u2 / 2.
template <class S>
RBD_INLINE CompositeMotion<S> shift(const CompositeMotion<S>& c, const Vec3<S>& r,
                                    const Vec3<S>& u2) {
  const Inertia<S> I = shift(c.I, r);
  return {I,
          mul_add(c.I.m, u2, c.L),
          outer_add(u2, I.h, outer_add(c.L, r, c.Y)),
          {c.f.n + cross(r, c.f.f), c.f.f}};
}

}  // namespace rbd_parallel_core
