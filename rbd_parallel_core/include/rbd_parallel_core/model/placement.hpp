// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/spatial/plane_turn.hpp"

/// iX_parent = XJ(q) Xtree in two stages: the constant placement of the joint in the parent body,
/// then the joint itself. Keeping them apart lets each be as cheap as its form allows; the
/// algorithms see one interface:
///   rotate(a)             parent axes to body axes
///   rotate_back(a)        body axes to parent axes, for vectors and symmetric or general matrices
///   rotate_rows(B)        E B
///   rotation()            E itself
///   apply_inverse(f)      X^T f, and X^T I X for inertias
///   origin()              of the body, in the parent's frame
///   times_origin(K)       K times that, for a matrix K
///   origin_along(E_p, E)  the origin in axes that E_p turns into the parent's, E into the body's
namespace rbd_parallel_core {

/// A joint anywhere in its parent.
template <class S>
struct GeneralPlacement {
  Transform<S> X;

  RBD_INLINE Vec3<S> rotate(const Vec3<S>& a) const { return X.E * a; }
  RBD_INLINE Vec3<S> rotate_back(const Vec3<S>& a) const { return transpose_times(X.E, a); }
  RBD_INLINE Mat3<S> rotate_rows(const Mat3<S>& b) const { return X.E * b; }
  RBD_INLINE const Mat3<S>& rotation() const { return X.E; }
  template <class T>
  RBD_INLINE T apply_inverse(const T& a) const {
    return rbd_parallel_core::apply_inverse(X, a);
  }
  RBD_INLINE Vec3<S> origin() const { return X.r; }
  RBD_INLINE Vec3<S> origin_along(const Mat3<S>& E_p) const { return transpose_times(E_p, X.r); }
  /// The point that lies `shift` along the z axis of the joint frame.
  RBD_INLINE Vec3<S> point(const S& shift) const { return mul_add(shift, X.E.z, X.r); }
  RBD_INLINE Vec3<S> times_point(const Mat3<S>& K, const S& shift) const {
    return K * point(shift);
  }
};

/// A joint whose frame is the parent's shifted by `a` along x and turned about x: the constant part
/// of a Denavit-Hartenberg row. The frames of the model are chosen so that one child of every body
/// has it. Most robots' axes are parallel or at right angles, for which the turn costs nothing.
template <class S, class Turn>
struct DhPlacement {
  Turn turn;
  S a;

  RBD_INLINE Vec3<S> rotate(const Vec3<S>& b) const { return turn.rotate(b); }
  RBD_INLINE Vec3<S> rotate_back(const Vec3<S>& b) const { return turn.rotate_back(b); }
  RBD_INLINE Mat3<S> rotate_rows(const Mat3<S>& b) const { return turn.rotate_rows(b); }
  RBD_INLINE Mat3<S> rotation() const { return turn.rotate_rows(Mat3<S>::identity()); }
  template <class T>
  RBD_INLINE T apply_inverse(const T& b) const {
    return shift_along_x(turn.rotate_back(b), a);
  }
  RBD_INLINE Vec3<S> origin_along(const Mat3<S>& E_p) const { return a * E_p.x; }
  RBD_INLINE Vec3<S> point(const S& shift) const { return turn.point(a, shift); }
  RBD_INLINE Vec3<S> times_point(const Mat3<S>& K, const S& shift) const {
    return turn.times_point(K, a, shift);
  }
};

/// The joint stage of a joint about and along z: a turn, then a shift along the same axis.
template <class S>
struct ScrewMotion {
  ZTurn<S> turn;
  S shift;

  RBD_INLINE Vec3<S> rotate(const Vec3<S>& a) const { return turn.rotate(a); }
  RBD_INLINE Vec3<S> rotate_back(const Vec3<S>& a) const { return turn.rotate_back(a); }
  RBD_INLINE Mat3<S> rotate_rows(const Mat3<S>& b) const { return turn.rotate_rows(b); }
  template <class T>
  RBD_INLINE T apply_inverse(const T& a) const {
    return shift_along_z(turn.rotate_back(a), shift);
  }
  /// The body's origin in the parent's frame.
  template <class Placement>
  RBD_INLINE Vec3<S> origin(const Placement& placement) const {
    return placement.point(shift);
  }
  template <class Placement>
  RBD_INLINE Vec3<S> times_origin(const Placement& placement, const Mat3<S>& K) const {
    return placement.times_point(K, shift);
  }
  template <class Placement>
  RBD_INLINE Vec3<S> origin_along(const Placement& placement, const Mat3<S>& E_p,
                                  const Mat3<S>& E) const {
    return mul_add(shift, E.z, placement.origin_along(E_p));
  }
};

/// The joint stage of a joint of several coordinates: any rotation, any shift.
template <class S>
struct FreeMotion {
  Transform<S> X;

  RBD_INLINE Vec3<S> rotate(const Vec3<S>& a) const { return X.E * a; }
  RBD_INLINE Vec3<S> rotate_back(const Vec3<S>& a) const { return transpose_times(X.E, a); }
  RBD_INLINE Mat3<S> rotate_rows(const Mat3<S>& b) const { return X.E * b; }
  template <class T>
  RBD_INLINE T apply_inverse(const T& a) const {
    return rbd_parallel_core::apply_inverse(X, a);
  }
  template <class Placement>
  RBD_INLINE Vec3<S> origin(const Placement& placement) const {
    return placement.origin() + placement.rotate_back(X.r);
  }
  template <class Placement>
  RBD_INLINE Vec3<S> times_origin(const Placement& placement, const Mat3<S>& K) const {
    return K * origin(placement);
  }
  template <class Placement>
  RBD_INLINE Vec3<S> origin_along(const Placement& placement, const Mat3<S>& E_p,
                                  const Mat3<S>&) const {
    return transpose_times(E_p, origin(placement));
  }
};

/// The placement must live as long as it: a copy of its many numbers would cost more than the rest.
template <class JointMotion, class Placement>
struct StagedTransform {
  JointMotion motion;
  const Placement& placement;

  template <class T>
  RBD_INLINE T rotate(const T& a) const {
    return motion.rotate(placement.rotate(a));
  }
  template <class T>
  RBD_INLINE T rotate_back(const T& a) const {
    return placement.rotate_back(motion.rotate_back(a));
  }
  template <class T>
  RBD_INLINE T rotate_rows(const T& b) const {
    return motion.rotate_rows(placement.rotate_rows(b));
  }
  RBD_INLINE auto rotation() const { return motion.rotate_rows(placement.rotation()); }
  template <class T>
  RBD_INLINE T apply_inverse(const T& a) const {
    return placement.apply_inverse(motion.apply_inverse(a));
  }
  RBD_INLINE auto origin() const { return motion.origin(placement); }
  template <class T>
  RBD_INLINE auto times_origin(const T& K) const {
    return motion.times_origin(placement, K);
  }
  template <class T>
  RBD_INLINE auto origin_along(const T& E_p, const T& E) const {
    return motion.origin_along(placement, E_p, E);
  }

  /// X m: a motion from the parent's frame to the body's.
  template <class S>
  RBD_INLINE Motion<S> apply(const Motion<S>& m) const {
    return {rotate(m.w), rotate(m.v + cross(m.w, origin()))};
  }
};

}  // namespace rbd_parallel_core
