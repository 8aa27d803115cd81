// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/access.hpp"

/// The pieces that RNEA and ABA share. Accelerations are classical, not spatial: the linear part is
/// the acceleration of the body's origin as an accelerometer there would see it. It differs from
/// the spatial acceleration by w x v, so the linear velocity v never needs to be propagated
/// (docs/algorithms.md, "Classical accelerations").
namespace rbd_parallel_core {

/// The matrix K with K r = alpha x r + w x (w x r): what a rotating frame adds to the acceleration
/// of a point at r.
template <class S>
RBD_INLINE Mat3<S> rotation_acceleration(const Vec3<S>& w, const Vec3<S>& alpha) {
  const S xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  return {{-(yy + zz), mul_add(w.x, w.y, -alpha.z), mul_add(w.x, w.z, alpha.y)},
          {mul_add(w.x, w.y, alpha.z), -(xx + zz), mul_add(w.y, w.z, -alpha.x)},
          {mul_add(w.x, w.z, -alpha.y), mul_add(w.y, w.z, alpha.x), -(xx + yy)}};
}

/// What the first body hangs on: the world, at rest but for the acceleration -g that stands for
/// gravity.
template <class S>
struct WorldBase {
  Vec3<S> gravity;  ///< m/s^2, world frame
  static constexpr bool moves = false;
};

/// The same where the bodies are a piece of a larger tree: the body that the piece hangs on, in its
/// own axes.
template <class S>
struct MovingBase {
  Vec3<S> w;    ///< angular velocity
  Motion<S> a;  ///< classical acceleration, gravity included
  static constexpr bool moves = true;
};

/// armature qdd + [damping qd + friction sign(qd)] of coordinate k.
template <class S, class Real, class V, class A>
RBD_INLINE S joint_terms(const ModelView<Real>& model, std::int32_t k, const V& v, const A& a,
                         bool friction) {
  S tau(Real(0));
  if constexpr (!is_zero<A>) tau = S(model.armature[k]) * a(k);
  if constexpr (!is_zero<V>) {
    if (friction) {
      tau = mul_add(S(model.damping[k]), v(k), mul_add(S(model.friction[k]), sign(v(k)), tau));
    }
  }
  return tau;
}

/// f -= f_ext for every body. f_ext may say by `any` that all of them are zero.
template <class Real, class Forces, class External>
RBD_INLINE void subtract_forces(const ModelView<Real>& model, const Forces& f,
                                const External& f_ext) {
  if constexpr (requires { f_ext.any; }) {
    if (!f_ext.any) return;
  }
  for (std::int32_t i = 0; i < model.body_count; ++i) f.store(i, f.load(i) - f_ext.load(i));
}

/// External forces of which it is known when the program runs whether there are any: one function
/// for both.
template <class S, template <class> class Array>
struct PossibleForces {
  Array<Force<S>> given;
  bool any;
  RBD_INLINE Force<S> load(std::int32_t i) const { return given.load(i); }
};

template <class Real, class Forces>
RBD_INLINE void subtract_forces(const ModelView<Real>&, const Forces&, NoForces) {}

}  // namespace rbd_parallel_core
