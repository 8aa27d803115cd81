// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "rbd_parallel_core/model/placement.hpp"

/// The joints in canonical form: every body frame is turned so that the joint axis (or the normal
/// of a plane) is +z. Then the motion subspace S of each joint is constant and made of unit vectors
/// of the body frame, the joint's own velocity product vanishes, and nothing below depends on an
/// axis.
namespace rbd_parallel_core {

enum class JointType : std::uint8_t { revolute, prismatic, helical, planar, spherical, floating };

/// How many numbers of q and of v a joint takes.
RBD_INLINE constexpr int nq_of(JointType type) {
  switch (type) {
    case JointType::planar:
      return 3;
    case JointType::spherical:
      return 4;
    case JointType::floating:
      return 7;
    default:
      return 1;
  }
}
RBD_INLINE constexpr int nv_of(JointType type) {
  switch (type) {
    case JointType::planar:
    case JointType::spherical:
      return 3;
    case JointType::floating:
      return 6;
    default:
      return 1;
  }
}

/// One column of S: a unit rotation (angular) or translation about / along an axis of the body
/// frame.
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
  /// What a body of that size resists this coordinate with, at most.
  template <class S>
  RBD_INLINE S resistance_of(const InertiaSize<S>& size) const {
    return part == Part::angular ? size.angular : size.linear;
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
  /// I S
  template <class S>
  RBD_INLINE Force<S> times(const Inertia<S>& a) const {
    if constexpr (part == Part::angular) return {column(a.I), unit_cross(a.h)};
    if constexpr (part == Part::linear) return {-unit_cross(a.h), along(a.m)};
  }
  /// I S along the axes that E turns into the body's
  template <class S>
  RBD_INLINE Force<S> times_along(const Inertia<S>& a, const Mat3<S>& E) const {
    if constexpr (part == Part::angular) {
      return {transpose_times(E, column(a.I)), unit_cross_along(E, a.h)};
    }
    if constexpr (part == Part::linear) return {-unit_cross_along(E, a.h), a.m * row(E)};
  }
  /// S seen from a frame with the axes that E turns into the body's, its origin at -p: what one
  /// unit of this coordinate's velocity is there.
  template <class S>
  RBD_INLINE Motion<S> seen_from(const Mat3<S>& E, const Vec3<S>& p) const {
    if constexpr (part == Part::angular) return {row(E), cross(p, row(E))};
    if constexpr (part == Part::linear) return {Vec3<S>::zero(), row(E)};
  }
  /// m += S s, along the axes that E turns into the body's
  template <class S>
  RBD_INLINE void add_along(const Mat3<S>& E, Motion<S>& m, const S& s) const {
    if constexpr (part == Part::angular) m.w = mul_add(s, row(E), m.w);
    if constexpr (part == Part::linear) m.v = mul_add(s, row(E), m.v);
  }

 private:
  /// axis x a
  template <class S>
  static RBD_INLINE Vec3<S> unit_cross(const Vec3<S>& a) {
    const S o(RealOf<S>(0));
    if constexpr (index == 0) return {o, -a.z, a.y};
    if constexpr (index == 1) return {a.z, o, -a.x};
    if constexpr (index == 2) return {-a.y, a.x, o};
  }
  /// axis x a, along the axes that E turns into the body's
  template <class S>
  static RBD_INLINE Vec3<S> unit_cross_along(const Mat3<S>& E, const Vec3<S>& a) {
    if constexpr (index == 0) return mul_add(a.y, E.z, -a.z * E.y);
    if constexpr (index == 1) return mul_add(a.z, E.x, -a.x * E.z);
    if constexpr (index == 2) return mul_add(a.x, E.y, -a.y * E.x);
  }
  /// axis s
  template <class S>
  static RBD_INLINE Vec3<S> along(const S& s) {
    const S o(RealOf<S>(0));
    return {index == 0 ? s : o, index == 1 ? s : o, index == 2 ? s : o};
  }
};

/// The single column of a helical joint: a turn about z with a shift of `pitch` metres per radian.
template <class S>
struct ScrewAxis {
  using Turn = UnitAxis<Part::angular, 2>;
  using Slide = UnitAxis<Part::linear, 2>;
  S pitch;

  RBD_INLINE S dot(const Force<S>& f) const { return mul_add(pitch, f.f.z, f.n.z); }
  RBD_INLINE S resistance_of(const InertiaSize<S>& size) const {
    return mul_add(pitch * pitch, size.linear, size.angular);
  }
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
  RBD_INLINE Force<S> times(const Inertia<S>& a) const {
    return mul_add(pitch, Slide{}.times(a), Turn{}.times(a));
  }
  RBD_INLINE Force<S> times_along(const Inertia<S>& a, const Mat3<S>& E) const {
    return mul_add(pitch, Slide{}.times_along(a, E), Turn{}.times_along(a, E));
  }
  RBD_INLINE Motion<S> seen_from(const Mat3<S>& E, const Vec3<S>& p) const {
    return {E.z, mul_add(pitch, E.z, cross(p, E.z))};
  }
  RBD_INLINE void add_along(const Mat3<S>& E, Motion<S>& m, const S& s) const {
    Turn{}.add_along(E, m, s);
    Slide{}.add_along(E, m, pitch * s);
  }
};

/// Quaternion (x, y, z, w) to the matrix that turns parent coordinates into body coordinates. The
/// quaternion is normalised on the way; one that is zero or whose square overflows gives NaN, which
/// the caller's status reports.
template <class S>
RBD_INLINE Mat3<S> rotation_from_quaternion(const S& qx, const S& qy, const S& qz, const S& qw) {
  const S two(RealOf<S>(2));
  const S norm2 = mul_add(qx, qx, mul_add(qy, qy, mul_add(qz, qz, qw * qw)));
  const S one = mul_add(S(RealOf<S>(0)), norm2, S(RealOf<S>(1)));  // NaN where norm2 is infinite
  const S t = two / norm2;
  const S x = t * qx, y = t * qy, z = t * qz;
  const S xx = x * qx, yy = y * qy, zz = z * qz;
  const S xy = x * qy, xz = x * qz, yz = y * qz;
  const S xw = x * qw, yw = y * qw, zw = z * qw;
  return {{one - (yy + zz), xy + zw, xz - yw},
          {xy - zw, one - (xx + zz), yz + xw},
          {xz + yw, yz - xw, one - (xx + yy)}};
}

/// What one joint does, one struct a type. All have the same members, in which q(k) reads the k-th
/// coordinate of the joint:
///   nq, nv           how much of q and v it takes
///   angle(q)         the angle that it turns by
///   motion(turn, q)  the joint stage of iX_parent, given that angle's sine and cosine
///   column<k>()      the k-th column of S
/// The order of the columns is public: linear before angular.
///
/// The joints of one coordinate also have a constant turn `zero_angle` about z and `shift` along
/// it: the rest of a Denavit-Hartenberg row, zero where the placement is general.
template <class S>
struct RevoluteJoint {
  static constexpr int nq = 1, nv = 1;
  S zero_angle, shift;
  template <class Q>
  RBD_INLINE S angle(const Q& q) const {
    return q(0) + zero_angle;
  }
  template <class Q>
  RBD_INLINE ScrewMotion<S> motion(const ZTurn<S>& turn, const Q&) const {
    return {turn, shift};
  }
  template <int k>
  RBD_INLINE auto column() const {
    return UnitAxis<Part::angular, 2>{};
  }
};

template <class S>
struct PrismaticJoint {
  static constexpr int nq = 1, nv = 1;
  S zero_angle, shift;
  template <class Q>
  RBD_INLINE S angle(const Q&) const {
    return zero_angle;
  }
  template <class Q>
  RBD_INLINE ScrewMotion<S> motion(const ZTurn<S>& turn, const Q& q) const {
    return {turn, q(0) + shift};
  }
  template <int k>
  RBD_INLINE auto column() const {
    return UnitAxis<Part::linear, 2>{};
  }
};

template <class S>
struct HelicalJoint {
  static constexpr int nq = 1, nv = 1;
  S zero_angle, shift, pitch;
  template <class Q>
  RBD_INLINE S angle(const Q& q) const {
    return q(0) + zero_angle;
  }
  template <class Q>
  RBD_INLINE ScrewMotion<S> motion(const ZTurn<S>& turn, const Q& q) const {
    return {turn, mul_add(pitch, q(0), shift)};
  }
  template <int k>
  RBD_INLINE auto column() const {
    return ScrewAxis<S>{pitch};
  }
};

/// q = (x, y, theta) with x, y in the joint frame before the turn; v = (vx, vy, wz) in the body
/// frame.
template <class S>
struct PlanarJoint {
  static constexpr int nq = 3, nv = 3;
  template <class Q>
  RBD_INLINE S angle(const Q& q) const {
    return q(2);
  }
  template <class Q>
  RBD_INLINE FreeMotion<S> motion(const ZTurn<S>& turn, const Q& q) const {
    return {{turn.rotate_rows(Mat3<S>::identity()), {q(0), q(1), S(RealOf<S>(0))}}};
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
  RBD_INLINE S angle(const Q&) const {
    return S(RealOf<S>(0));
  }
  template <class Q>
  RBD_INLINE FreeMotion<S> motion(const ZTurn<S>&, const Q& q) const {
    return {{rotation_from_quaternion(q(0), q(1), q(2), q(3)), Vec3<S>::zero()}};
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
  RBD_INLINE S angle(const Q&) const {
    return S(RealOf<S>(0));
  }
  template <class Q>
  RBD_INLINE FreeMotion<S> motion(const ZTurn<S>&, const Q& q) const {
    return {{rotation_from_quaternion(q(3), q(4), q(5), q(6)), {q(0), q(1), q(2)}}};
  }
  template <int k>
  RBD_INLINE auto column() const {
    if constexpr (k < 3) return UnitAxis<Part::linear, k>{};
    if constexpr (k >= 3) return UnitAxis<Part::angular, k - 3>{};
  }
};

/// Whether a joint moves the origin of its body: all but turns about it.
template <class Joint>
inline constexpr bool has_linear_column = true;
template <class S>
inline constexpr bool has_linear_column<RevoluteJoint<S>> = false;
template <class S>
inline constexpr bool has_linear_column<SphericalJoint<S>> = false;

/// Calls f(k, column) for the columns of S, first to last.
template <class Joint, class F>
RBD_INLINE void for_each_column(const Joint& joint, const F& f) {
  [&]<int... k>(std::integer_sequence<int, k...>) RBD_INLINE_LAMBDA {
    (f(k, joint.template column<k>()), ...);
  }
  (std::make_integer_sequence<int, Joint::nv>{});
}

/// The same, last to first.
template <class Joint, class F>
RBD_INLINE void for_each_column_backwards(const Joint& joint, const F& f) {
  [&]<int... k>(std::integer_sequence<int, k...>) RBD_INLINE_LAMBDA {
    (f(Joint::nv - 1 - k, joint.template column<Joint::nv - 1 - k>()), ...);
  }
  (std::make_integer_sequence<int, Joint::nv>{});
}

}  // namespace rbd_parallel_core
