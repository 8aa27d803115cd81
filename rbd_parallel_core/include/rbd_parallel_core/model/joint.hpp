// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "rbd_parallel_core/spatial/articulated_inertia.hpp"

/// The joints in canonical form: every body frame is turned so that the joint axis (or the normal of a
/// plane) is +z. Then the motion subspace S of each joint is constant and made of unit vectors of the body
/// frame, the joint's own velocity product vanishes, and nothing below depends on an axis.
namespace rbd_parallel_core {

enum class JointType : std::uint8_t { revolute, prismatic, helical, planar, spherical, floating };

/// How many numbers of q and of v a joint takes.
constexpr int nq_of(JointType type) {
  switch (type) {
    case JointType::planar: return 3;
    case JointType::spherical: return 4;
    case JointType::floating: return 7;
    default: return 1;
  }
}
constexpr int nv_of(JointType type) {
  switch (type) {
    case JointType::planar:
    case JointType::spherical: return 3;
    case JointType::floating: return 6;
    default: return 1;
  }
}

/// One column of S: a unit rotation (angular) or translation about / along an axis of the body frame.
enum class Part : std::uint8_t { angular, linear };

template <Part part, int index>
struct UnitAxis {
  template <class S>
  static RBD_INLINE const S& pick(const Vec3<S>& a) {
    if constexpr (index == 0) return a.x;
    if constexpr (index == 1) return a.y;
    if constexpr (index == 2) return a.z;
  }
  template <class S>
  static RBD_INLINE Vec3<S> column(const SymMat3<S>& a) {
    if constexpr (index == 0) return {a.xx, a.xy, a.xz};
    if constexpr (index == 1) return {a.xy, a.yy, a.yz};
    if constexpr (index == 2) return {a.xz, a.yz, a.zz};
  }
  template <class S>
  static RBD_INLINE Vec3<S> column(const Mat3<S>& a) {
    return {pick(a.x), pick(a.y), pick(a.z)};
  }
  template <class S>
  static RBD_INLINE const Vec3<S>& row(const Mat3<S>& a) {
    if constexpr (index == 0) return a.x;
    if constexpr (index == 1) return a.y;
    if constexpr (index == 2) return a.z;
  }
  template <class S>
  static RBD_INLINE void increase(Vec3<S>& a, const S& s) {
    if constexpr (index == 0) a.x = a.x + s;
    if constexpr (index == 1) a.y = a.y + s;
    if constexpr (index == 2) a.z = a.z + s;
  }

  /// S^T f
  template <class S>
  RBD_INLINE S dot(const Force<S>& f) const {
    return part == Part::angular ? pick(f.n) : pick(f.f);
  }
  /// m += S s
  template <class S>
  RBD_INLINE void add_to(Motion<S>& m, const S& s) const {
    increase(part == Part::angular ? m.w : m.v, s);
  }
  /// w += the angular part of S rate
  template <class S>
  RBD_INLINE void add_angular_to(Vec3<S>& w, const S& rate) const {
    if constexpr (part == Part::angular) increase(w, rate);
  }
  /// a += a_w x (angular part of S rate), a_v x (linear part of S rate): the velocity products of
  /// classical accelerations, see docs/algorithms.md.
  template <class S>
  RBD_INLINE void add_velocity_product_to(Motion<S>& a, const Vec3<S>& with_angular,
                                          const Vec3<S>& with_linear, const S& rate) const {
    if constexpr (part == Part::angular) add_cross(a.w, with_angular, rate);
    if constexpr (part == Part::linear) add_cross(a.v, with_linear, rate);
  }
  /// out += w x (axis rate)
  template <class S>
  static RBD_INLINE void add_cross(Vec3<S>& out, const Vec3<S>& w, const S& rate) {
    if constexpr (index == 0) {
      out.y = mul_add(w.z, rate, out.y);
      out.z = neg_mul_add(w.y, rate, out.z);
    }
    if constexpr (index == 1) {
      out.x = neg_mul_add(w.z, rate, out.x);
      out.z = mul_add(w.x, rate, out.z);
    }
    if constexpr (index == 2) {
      out.x = mul_add(w.y, rate, out.x);
      out.y = neg_mul_add(w.x, rate, out.y);
    }
  }
  /// IA S
  template <class S>
  RBD_INLINE Force<S> times(const ArticulatedInertia<S>& a) const {
    if constexpr (part == Part::angular) return {column(a.I), row(a.H)};
    if constexpr (part == Part::linear) return {column(a.H), column(a.M)};
  }
  /// S in the axes of the world, still about the body origin. E turns world axes into body axes.
  template <class S>
  RBD_INLINE Motion<S> in_world_axes(const Mat3<S>& E) const {
    if constexpr (part == Part::angular) return {row(E), Vec3<S>::zero()};
    if constexpr (part == Part::linear) return {Vec3<S>::zero(), row(E)};
  }
  /// I S in the axes of the world
  template <class S>
  RBD_INLINE Force<S> times_in_world_axes(const Inertia<S>& a, const Mat3<S>& E) const {
    const Vec3<S>& axis = row(E);
    if constexpr (part == Part::angular) return {a.I * axis, cross(axis, a.h)};
    if constexpr (part == Part::linear) return {cross(a.h, axis), a.m * axis};
  }
  /// S^T f for a force in the axes of the world
  template <class S>
  RBD_INLINE S dot_in_world_axes(const Force<S>& f, const Mat3<S>& E) const {
    return rbd_parallel_core::dot(row(E), part == Part::angular ? f.n : f.f);
  }
};

/// The single column of a helical joint: a turn about z with a shift of `pitch` metres per radian.
template <class S>
struct ScrewAxis {
  using Turn = UnitAxis<Part::angular, 2>;
  using Slide = UnitAxis<Part::linear, 2>;
  S pitch;

  RBD_INLINE S dot(const Force<S>& f) const { return mul_add(pitch, f.f.z, f.n.z); }
  RBD_INLINE void add_to(Motion<S>& m, const S& s) const {
    m.w.z = m.w.z + s;
    m.v.z = mul_add(pitch, s, m.v.z);
  }
  RBD_INLINE void add_angular_to(Vec3<S>& w, const S& rate) const { w.z = w.z + rate; }
  RBD_INLINE void add_velocity_product_to(Motion<S>& a, const Vec3<S>& with_angular,
                                          const Vec3<S>& with_linear, const S& rate) const {
    Turn{}.add_velocity_product_to(a, with_angular, with_linear, rate);
    Slide{}.add_velocity_product_to(a, with_angular, with_linear, pitch * rate);
  }
  RBD_INLINE Force<S> times(const ArticulatedInertia<S>& a) const {
    return mul_add(pitch, Slide{}.times(a), Turn{}.times(a));
  }
  RBD_INLINE Motion<S> in_world_axes(const Mat3<S>& E) const { return {E.z, pitch * E.z}; }
  RBD_INLINE Force<S> times_in_world_axes(const Inertia<S>& a, const Mat3<S>& E) const {
    return mul_add(pitch, Slide{}.times_in_world_axes(a, E), Turn{}.times_in_world_axes(a, E));
  }
  RBD_INLINE S dot_in_world_axes(const Force<S>& f, const Mat3<S>& E) const {
    return mul_add(pitch, rbd_parallel_core::dot(E.z, f.f), rbd_parallel_core::dot(E.z, f.n));
  }
};

/// Rz(angle) E, from the cosine and sine: a plane rotation of the first two rows.
template <class S>
RBD_INLINE Mat3<S> turn_about_z(const S& c, const S& s, const Mat3<S>& E) {
  return {mul_add(c, E.x, s * E.y), mul_add(c, E.y, -s * E.x), E.z};
}

/// Quaternion (x, y, z, w) to the matrix that turns parent coordinates into body coordinates. The
/// quaternion is normalised on the way; a zero one gives NaN, which the caller's status reports.
template <class S>
RBD_INLINE Mat3<S> rotation_from_quaternion(const S& qx, const S& qy, const S& qz, const S& qw) {
  const S one(RealOf<S>(1)), two(RealOf<S>(2));
  const S norm2 = mul_add(qx, qx, mul_add(qy, qy, mul_add(qz, qz, qw * qw)));
  const S t = two / norm2;
  const S x = t * qx, y = t * qy, z = t * qz;
  const S xx = x * qx, yy = y * qy, zz = z * qz;
  const S xy = x * qy, xz = x * qz, yz = y * qz;
  const S xw = x * qw, yw = y * qw, zw = z * qw;
  return {{one - (yy + zz), xy + zw, xz - yw},
          {xy - zw, one - (xx + zz), yz + xw},
          {xz + yw, yz - xw, one - (xx + yy)}};
}

/// What one joint does, one struct a type. All have the same members:
///   nq, nv                    how much of q and v it takes
///   place(Xtree, q)           iX_parent = XJ(q) Xtree, where q(k) reads the joint's k-th coordinate
///   column(k), k a constant   the k-th column of S
/// The order of the columns is public: linear before angular.
template <class S>
struct RevoluteJoint {
  static constexpr int nq = 1, nv = 1;
  template <class Q>
  RBD_INLINE Transform<S> place(const Transform<S>& X, const Q& q) const {
    S s, c;
    ScalarTraits<S>::sincos(q(0), s, c);
    return {turn_about_z(c, s, X.E), X.r};
  }
  template <int k>
  RBD_INLINE auto column() const {
    return UnitAxis<Part::angular, 2>{};
  }
};

template <class S>
struct PrismaticJoint {
  static constexpr int nq = 1, nv = 1;
  template <class Q>
  RBD_INLINE Transform<S> place(const Transform<S>& X, const Q& q) const {
    return {X.E, mul_add(q(0), X.E.z, X.r)};
  }
  template <int k>
  RBD_INLINE auto column() const {
    return UnitAxis<Part::linear, 2>{};
  }
};

template <class S>
struct HelicalJoint {
  static constexpr int nq = 1, nv = 1;
  S pitch;
  template <class Q>
  RBD_INLINE Transform<S> place(const Transform<S>& X, const Q& q) const {
    S s, c;
    const S angle = q(0);
    ScalarTraits<S>::sincos(angle, s, c);
    return {turn_about_z(c, s, X.E), mul_add(pitch * angle, X.E.z, X.r)};
  }
  template <int k>
  RBD_INLINE auto column() const {
    return ScrewAxis<S>{pitch};
  }
};

/// q = (x, y, theta) with x, y in the joint frame before the turn; v = (vx, vy, wz) in the body frame.
template <class S>
struct PlanarJoint {
  static constexpr int nq = 3, nv = 3;
  template <class Q>
  RBD_INLINE Transform<S> place(const Transform<S>& X, const Q& q) const {
    S s, c;
    ScalarTraits<S>::sincos(q(2), s, c);
    return {turn_about_z(c, s, X.E), mul_add(q(0), X.E.x, mul_add(q(1), X.E.y, X.r))};
  }
  template <int k>
  RBD_INLINE auto column() const {
    if constexpr (k == 0) return UnitAxis<Part::linear, 0>{};
    if constexpr (k == 1) return UnitAxis<Part::linear, 1>{};
    if constexpr (k == 2) return UnitAxis<Part::angular, 2>{};
  }
};

/// q = quaternion (x, y, z, w); v = angular velocity in the body frame.
template <class S>
struct SphericalJoint {
  static constexpr int nq = 4, nv = 3;
  template <class Q>
  RBD_INLINE Transform<S> place(const Transform<S>& X, const Q& q) const {
    return {rotation_from_quaternion(q(0), q(1), q(2), q(3)) * X.E, X.r};
  }
  template <int k>
  RBD_INLINE auto column() const {
    return UnitAxis<Part::angular, k>{};
  }
};

/// q = (x, y, z, qx, qy, qz, qw); v = twist in the body frame, linear first.
template <class S>
struct FloatingJoint {
  static constexpr int nq = 7, nv = 6;
  template <class Q>
  RBD_INLINE Transform<S> place(const Transform<S>& X, const Q& q) const {
    const Vec3<S> shift{q(0), q(1), q(2)};
    return {rotation_from_quaternion(q(3), q(4), q(5), q(6)) * X.E,
            X.r + transpose_times(X.E, shift)};
  }
  template <int k>
  RBD_INLINE auto column() const {
    if constexpr (k < 3) return UnitAxis<Part::linear, k>{};
    if constexpr (k >= 3) return UnitAxis<Part::angular, k - 3>{};
  }
};

/// Calls visitor(joint) with the struct of that type: one text, compiled once per joint type. The branch
/// depends on the robot only, never on a state.
template <class S, class Visitor>
RBD_INLINE void visit_joint(JointType type, const S& pitch, const Visitor& visitor) {
  switch (type) {
    case JointType::revolute: visitor(RevoluteJoint<S>{}); break;
    case JointType::prismatic: visitor(PrismaticJoint<S>{}); break;
    case JointType::helical: visitor(HelicalJoint<S>{pitch}); break;
    case JointType::planar: visitor(PlanarJoint<S>{}); break;
    case JointType::spherical: visitor(SphericalJoint<S>{}); break;
    case JointType::floating: visitor(FloatingJoint<S>{}); break;
  }
}

/// Calls f(k, column) for the columns of S, first to last.
template <class Joint, class F>
RBD_INLINE void for_each_column(const Joint& joint, const F& f) {
  [&]<int... k>(std::integer_sequence<int, k...>) {
    (f(k, joint.template column<k>()), ...);
  }(std::make_integer_sequence<int, Joint::nv>{});
}

/// The same, last to first.
template <class Joint, class F>
RBD_INLINE void for_each_column_backwards(const Joint& joint, const F& f) {
  [&]<int... k>(std::integer_sequence<int, k...>) {
    (f(Joint::nv - 1 - k, joint.template column<Joint::nv - 1 - k>()), ...);
  }(std::make_integer_sequence<int, Joint::nv>{});
}

}  // namespace rbd_parallel_core
