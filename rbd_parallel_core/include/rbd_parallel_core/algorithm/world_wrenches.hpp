// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/composite_motion.hpp"

namespace rbd_parallel_core {

/// Wrenches on a subtree that keep to the axes of the world when it turns: with a force f at p from
/// the point of reference and a moment n each,
///   force = sum f        moment = sum f p^T + n x
/// A turn of the subtree by s, seen with it, turns them by -s; CompositeMotion has the same form.
template <class S>
struct WorldWrench {
  Vec3<S> force;
  Mat3<S> moment;

  static RBD_INLINE WorldWrench zero() { return {Vec3<S>::zero(), Mat3<S>::zero()}; }
  friend RBD_INLINE WorldWrench operator+(const WorldWrench& a, const WorldWrench& b) {
    return {a.force + b.force, a.moment + b.moment};
  }

  /// What it takes more to move the subtree, for each unit of the turn s.
  RBD_INLINE Force<S> operator*(const Vec3<S>& s) const {
    return {mul_add(trace(moment), s, -(moment * s)), cross(s, force)};
  }
  /// The transpose: how what it takes along s depends on a turn.
  RBD_INLINE Vec3<S> transpose_times(const Motion<S>& s) const {
    return mul_add(trace(moment), s.w, -rbd_parallel_core::transpose_times(moment, s.w)) +
           cross(force, s.v);
  }
};

/// The wrenches about another point, at -r of the first one.
template <class S>
RBD_INLINE WorldWrench<S> shift(const WorldWrench<S>& a, const Vec3<S>& r) {
  return {a.force, outer_add(a.force, r, a.moment)};
}

/// No wrench keeps to the axes of the world.
struct NoWorldWrenches {
  template <class Model, class Workspace>
  RBD_INLINE bool place(const Model&, const Workspace&) const {
    return false;
  }
};

}  // namespace rbd_parallel_core
