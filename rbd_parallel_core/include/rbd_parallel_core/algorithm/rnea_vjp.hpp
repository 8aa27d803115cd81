// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/newton_euler.hpp"

/// The reverse pass of RNEA: products of a row of weights with its derivatives, in O(n) and without
/// a matrix. With mu the motion that the weights would be the rates of, the weighted sum of torques
/// is the power sum mu . f over the bodies; docs/derivatives.md takes its gradient.
namespace rbd_parallel_core {

/// What of a body's motion the inward pass needs: of the body, and of the point of its parent at
/// its origin. In body coordinates.
template <class S>
struct VjpMotion {
  Vec3<S> w;
  Vec3<S> w_before, alpha_before, a_before;  ///< of the parent
  Motion<S> mu_before;                       ///< the weights' motion of the parent
};

/// What a subtree hands inward, about the origin of its body.
template <class S>
struct VjpForces {
  Force<S> f;      ///< that its motion takes
  Force<S> g;      ///< pairs with changes of its acceleration: I mu of all its bodies
  Vec3<S> gamma;   ///< pairs with changes of its angular velocity
  Vec3<S> turned;  ///< pairs with its turns, where wrenches keep to the axes of the world

  friend RBD_INLINE VjpForces operator+(const VjpForces& a, const VjpForces& b) {
    return {a.f + b.f, a.g + b.g, a.gamma + b.gamma, a.turned + b.turned};
  }
};

template <class S, template <class> class Array>
struct VjpWorkspace {
  JointTurns<S, Array> turns;
  Array<Motion<S>> a;   ///< classical acceleration, gravity included as -g at the base
  Array<Motion<S>> mu;  ///< the motion of the weights
  Array<VjpMotion<S>> motion;
  Array<VjpForces<S>> forces;
};

/// The outward pass. weights: reader of nv numbers.
template <class S, class Real, template <class> class Array, class Q, class V, class A, class W>
RBD_INLINE void vjp_outward(const ModelView<Real>& model, const VjpWorkspace<S, Array>& ws, Q q,
                            V v, A a, W weights, const Vec3<S>& gravity) {
  for (std::int32_t i = 0; i < model.body_count; ++i) {
    const BodyView<Real>& body = model.body[i];
    const std::int32_t p = body.parent;
    visit_body<S>(body, [&](const auto& joint, const auto& placement) RBD_INLINE_LAMBDA {
      const auto X = joint_transform(body, joint, placement, ws.turns, i, q);
      VjpMotion<S> m;
      if (p >= 0) {
        const Vec3<S> w_p = ws.motion.load(p).w;
        const Motion<S> a_p = ws.a.load(p);
        m.w_before = X.rotate(w_p);
        m.alpha_before = X.rotate(a_p.w);
        m.a_before = X.rotate(a_p.v + X.times_origin(rotation_acceleration(w_p, a_p.w)));
        m.mu_before = X.apply(ws.mu.load(p));
      } else {
        m.w_before = m.alpha_before = Vec3<S>::zero();
        m.a_before = X.rotate(-gravity);
        m.mu_before = Motion<S>::zero();
      }
      m.w = m.w_before;
      Motion<S> acc{m.alpha_before, m.a_before}, mu = m.mu_before;
      for_each_column(joint, [&](int k, const auto& column) RBD_INLINE_LAMBDA {
        column.add_angular_to(m.w, joint_rate(body, v, k));
        column.add_to(mu, joint_rate(body, weights, k));
        column.add_to(acc, joint_rate(body, a, k));
      });
      const Vec3<S> w = m.w, w_sum = m.w_before + w;
      for_each_column(joint, [&](int k, const auto& column) RBD_INLINE_LAMBDA {
        column.add_velocity_product_to(acc, w, w_sum, joint_rate(body, v, k));
      });
      ws.a.store(i, acc);
      ws.mu.store(i, mu);
      ws.motion.store(i, m);

      const Inertia<S> I = broadcast<S>(body.inertia);
      VjpForces<S> forces;
      forces.f = {I.I * acc.w + cross(I.h, acc.v) + cross(w, I.I * w),
                  mul_add(I.m, acc.v, cross(acc.w, I.h) + cross(w, cross(w, I.h)))};
      forces.g = I * mu;
      // (tr(I) 1 - 2 I) (w x mu_w) + 2 (w x h) x mu_v
      const Vec3<S> turned = cross(w, mu.w);
      const Vec3<S> twice = cross(cross(w, I.h), mu.v) - I.I * turned;
      forces.gamma = mul_add((I.I.xx + I.I.yy) + I.I.zz, turned, twice + twice);
      forces.turned = Vec3<S>::zero();
      ws.forces.store(i, forces);
    });
  }
}

/// The inward pass: adds the gradients to by_q, by_v and by_a, writers of nv numbers each.
template <class S, class Real, template <class> class Array, class Q, class V, class Out>
RBD_INLINE void vjp_inward(const ModelView<Real>& model, const VjpWorkspace<S, Array>& ws, Q q, V v,
                           bool turning_wrenches, Out by_q, Out by_v, Out by_a) {
  const auto add = [](const Out& out, std::int32_t at, const S& x)
                       RBD_INLINE_LAMBDA { out.store(at, out.load(at) + x); };
  for (std::int32_t i = model.body_count - 1; i >= 0; --i) {
    const BodyView<Real>& body = model.body[i];
    const VjpForces<S> t = ws.forces.load(i);
    const VjpMotion<S> m = ws.motion.load(i);
    visit_body<S>(body, [&](const auto& joint, const auto& placement) RBD_INLINE_LAMBDA {
      const Vec3<S> w_sum = m.w_before + m.w;
      // K^T y = y x alpha + w x (w x y), K being the rotation_acceleration of the parent
      const auto times_K = [&](const Vec3<S>& y) RBD_INLINE_LAMBDA {
        return cross(y, m.alpha_before) + cross(m.w_before, cross(m.w_before, y));
      };
      Force<S> for_q{times_K(t.g.n) + cross(t.g.f, m.a_before) + cross(t.f.n, m.mu_before.w) +
                         cross(t.f.f, m.mu_before.v),
                     times_K(t.g.f) + cross(t.f.f, m.mu_before.w)};
      Force<S> for_v{t.gamma + cross(t.g.n, w_sum), cross(t.g.f, w_sum)};
      Vec3<S> gamma = t.gamma;
      if constexpr (has_linear_column<std::remove_cvref_t<decltype(joint)>>) {
        Motion<S> rate = Motion<S>::zero();
        for_each_column(joint, [&](int k, const auto& column) RBD_INLINE_LAMBDA {
          column.add_to(rate, joint_rate(body, v, k));
        });
        const Vec3<S> moved = cross(rate.v, t.g.f);
        gamma += moved + moved;
        for_v.n += moved;
      }
      for_q.n += cross(gamma, m.w_before);
      if (turning_wrenches) for_q.n += t.turned;
      for_each_column(joint, [&](int k, const auto& column) RBD_INLINE_LAMBDA {
        const std::int32_t at = body.v_index + k;
        const S multiplier(body.multiplier);
        add(by_q, at, multiplier * column.dot(for_q));
        add(by_v, at, multiplier * column.dot(for_v));
        add(by_a, at, multiplier * column.dot(t.g));
      });
      if (body.parent < 0) return;
      const auto X = joint_transform(body, joint, placement, ws.turns, i, q);
      // gamma holds 2 (joint's linear rate) x g already; the parent's turn adds its part.
      VjpForces<S> handed;
      handed.f = X.apply_inverse(t.f);
      handed.g = X.apply_inverse(t.g);
      const Vec3<S> w_p = ws.motion.load(body.parent).w;
      const Vec3<S> lever = cross(cross(w_p, X.origin()), handed.g.f);
      handed.gamma = X.rotate_back(gamma) + (lever + lever);
      handed.turned = turning_wrenches ? X.rotate_back(t.turned) : Vec3<S>::zero();
      ws.forces.store(body.parent, ws.forces.load(body.parent) + handed);
    });
  }
}

/// f_ext: one Force per body, at its origin, in its axes.
template <class S, class Real, template <class> class Array, class F>
RBD_INLINE void subtract_from_vjp(const ModelView<Real>& model, const VjpWorkspace<S, Array>& ws,
                                  const F& f_ext) {
  if (!f_ext.any) return;
  for (std::int32_t i = 0; i < model.body_count; ++i) {
    VjpForces<S> forces = ws.forces.load(i);
    forces.f -= f_ext.load(i);
    ws.forces.store(i, forces);
  }
}

/// Gradients of weights . tau, tau = rnea(q, v, a):
///   by_q = weights^T d tau / d q   in the tangent of `integrate`
///   by_v = weights^T d tau / d v
///   by_a = weights^T d tau / d a = M weights
/// q, v, a, weights: readers of one state. f_ext: PossibleForces. wrenches.turn(model, ws) adds to
/// VjpForces::turned what wrenches that keep to the world's axes bring, and says whether any do.
template <class S, class Real, template <class> class Array, class Q, class V, class A, class W,
          class F, class Wrenches, class Out>
RBD_KERNEL void rnea_vjp(const ModelView<Real>& robot, const VjpWorkspace<S, Array>& memory, Q q,
                         V v, A a, W weights, F f_ext, const Wrenches& wrenches,
                         const Vec3<S>& gravity, bool friction, Out by_q, Out by_v, Out by_a) {
  const ModelView<Real> model = robot;  // copies, as in rnea
  const VjpWorkspace<S, Array> ws = memory;
  compute_turns(model, ws.turns, q);
  for (std::int32_t k = 0; k < model.nv; ++k) {
    by_q.store(k, S(Real(0)));
    by_v.store(k, friction ? S(model.damping[k]) * weights(k) : S(Real(0)));
    by_a.store(k, S(model.armature[k]) * weights(k));
  }
  vjp_outward(model, ws, q, v, a, weights, gravity);
  subtract_from_vjp(model, ws, f_ext);
  const bool turning = wrenches.turn(model, ws);
  vjp_inward(model, ws, q, v, turning, by_q, by_v, by_a);
}

}  // namespace rbd_parallel_core
