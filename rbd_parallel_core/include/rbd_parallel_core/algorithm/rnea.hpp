// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/newton_euler.hpp"

namespace rbd_parallel_core {

/// What RNEA keeps of each body between its two passes, all in body coordinates.
template <class S, template <class> class Array>
struct RneaWorkspace {
  JointTurns<S, Array> turns;
  Array<Vec3<S>> w;    ///< angular velocity
  Array<Motion<S>> a;  ///< classical acceleration, gravity included as -g at the base
  Array<Mat3<S>> K;    ///< rotation_acceleration
  Array<Force<S>> f;   ///< force across the joint
};

/// The outward pass of rnea: velocities, accelerations, and the force that each body needs. After
/// compute_turns.
template <class S, class Real, template <class> class Array, class Q, class V, class A, class Base>
RBD_INLINE void rnea_outward(const ModelView<Real>& model, const RneaWorkspace<S, Array>& ws, Q q,
                             V v, A a, const Base& base) {
  constexpr bool moves = !is_zero<V>;
  constexpr bool rotates = moves || !is_zero<A>;

  for (std::int32_t i = 0; i < model.body_count; ++i) {
    const BodyView<Real>& body = model.body[i];
    const std::int32_t p = body.parent;
    visit_body<S>(body, [&](const auto& joint, const auto& placement) RBD_INLINE_LAMBDA {
      const auto X = joint_transform(body, joint, placement, ws.turns, i, q);

      // w_i = E w_p + S_w qd
      Vec3<S> w_before = Vec3<S>::zero();
      if constexpr (moves) {
        if (p >= 0) {
          w_before = X.rotate(ws.w.load(p));
        } else if constexpr (Base::moves) {
          w_before = X.rotate(base.w);
        }
      }
      Vec3<S> w = w_before;
      if constexpr (moves) {
        for_each_column(joint, [&](int k, const auto& column) RBD_INLINE_LAMBDA {
          column.add_angular_to(w, joint_rate(body, v, k));
        });
        ws.w.store(i, w);
      }

      // a_i = X a_p + velocity products + S qdd
      Motion<S> acc = Motion<S>::zero();
      if (p >= 0) {
        const Motion<S>& a_p = ws.a.load(p);
        if constexpr (rotates) {
          acc = {X.rotate(a_p.w), X.rotate(a_p.v + X.times_origin(ws.K.load(p)))};
        } else {
          acc.v = X.rotate(a_p.v);
        }
      } else if constexpr (!Base::moves) {
        acc.v = X.rotate(-base.gravity);
      } else if constexpr (rotates) {
        const Mat3<S> K = rotation_acceleration(base.w, base.a.w);
        acc = {X.rotate(base.a.w), X.rotate(base.a.v + X.times_origin(K))};
      } else {
        acc.v = X.rotate(base.a.v);
      }
      if constexpr (moves) {
        const Vec3<S> w_sum = w_before + w;
        for_each_column(joint, [&](int k, const auto& column) RBD_INLINE_LAMBDA {
          column.add_velocity_product_to(acc, w, w_sum, joint_rate(body, v, k));
        });
      }
      if constexpr (!is_zero<A>) {
        for_each_column(joint, [&](int k, const auto& column) RBD_INLINE_LAMBDA {
          column.add_to(acc, joint_rate(body, a, k));
        });
      }
      ws.a.store(i, acc);

      // f_i = d/dt (I v): Newton and Euler about the body's origin
      const Inertia<S> I = broadcast<S>(body.inertia);
      Force<S> f;
      if constexpr (rotates) {
        const Mat3<S> K = rotation_acceleration(w, acc.w);
        ws.K.store(i, K);
        f.f = mul_add(I.m, acc.v, K * I.h);
        f.n = I.I * acc.w + cross(I.h, acc.v);
        if constexpr (moves) f.n += cross(w, I.I * w);
      } else {
        f = {cross(I.h, acc.v), I.m * acc.v};
      }
      ws.f.store(i, f);
    });
  }
}

/// Leaves out what rnea_inward would write.
struct NoTorques {};

/// The inward pass of rnea: hands the forces on to the parents and adds what they do along the
/// joints to tau (NoTorques: to nothing). `tip`: the force that the last body exerts on what hangs
/// on it beyond the model, zero where nothing does; it counts where that body says so by
/// next_is_child. Returns the force that the first body exerts on its base, in the base's frame.
template <class S, class Real, template <class> class Array, class Q, class Tau, class Base>
RBD_INLINE Force<S> rnea_inward(const ModelView<Real>& model, const RneaWorkspace<S, Array>& ws,
                                Q q, const Force<S>& tip, Tau tau, const Base&) {
  // What body i + 1 exerts on its parent i is carried along; what other children exert is added
  // where it is kept.
  Force<S> carried = tip;
  for (std::int32_t i = model.body_count - 1; i >= 0; --i) {
    const BodyView<Real>& body = model.body[i];
    Force<S> f = ws.f.load(i);
    if (body.next_is_child) f += carried;
    visit_body<S>(body, [&](const auto& joint, const auto& placement) RBD_INLINE_LAMBDA {
      if constexpr (!std::is_same_v<Tau, NoTorques>) {
        for_each_column(joint, [&](int k, const auto& column) RBD_INLINE_LAMBDA {
          const std::int32_t at = body.v_index + k;
          tau.store(at, mul_add(S(body.multiplier), column.dot(f), tau.load(at)));
        });
      }
      if (!Base::moves && body.parent < 0) return;
      const auto X = joint_transform(body, joint, placement, ws.turns, i, q);
      carried = X.apply_inverse(f);
      if (body.parent != i - 1) ws.f.store(body.parent, ws.f.load(body.parent) + carried);
    });
  }
  return carried;
}

/// Recursive Newton-Euler (Featherstone, table 5.1, with classical accelerations):
///   tau = M(q) a + C(q, v) v + g(q) - J^T f_ext
/// q, v, a: readers of one state; pass Zeros for what is zero. f_ext: NoForces, or one Force per
/// body, at its origin, in its axes. gravity: m/s^2, world frame. tau: writer of nv numbers.
template <class S, class Real, template <class> class Array, class Q, class V, class A, class F,
          class Tau>
RBD_KERNEL void rnea(const ModelView<Real>& robot, const RneaWorkspace<S, Array>& memory, Q q, V v,
                     A a, F f_ext, const Vec3<S>& gravity, bool friction, Tau tau) {
  // Copies: a store of a pack may alias anything, and what lies behind a reference would be read
  // again after each.
  const ModelView<Real> model = robot;
  const RneaWorkspace<S, Array> ws = memory;
  const WorldBase<S> base{gravity};
  compute_turns(model, ws.turns, q);
  for (std::int32_t k = 0; k < model.nv; ++k) {
    tau.store(k, joint_terms<S>(model, k, v, a, friction));
  }
  rnea_outward(model, ws, q, v, a, base);
  subtract_forces(model, ws.f, f_ext);
  rnea_inward(model, ws, q, Force<S>::zero(), tau, base);
}

}  // namespace rbd_parallel_core
