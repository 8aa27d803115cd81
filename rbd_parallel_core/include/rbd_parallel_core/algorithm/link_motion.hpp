// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/kinematics.hpp"

/// How links move: velocities by body_velocities, accelerations by the recursion below. Gravity
/// does not enter.
namespace rbd_parallel_core {

/// a_i = iX_p a_p + S qdd + v_i x S qd (Featherstone 5.8): spatial accelerations, in body
/// coordinates. S is constant there for every joint, so its derivative adds nothing more. After
/// body_velocities for the same q and v.
template <class S, class Real, template <class> class Array, class Q, class V, class A>
RBD_KERNEL void body_accelerations(const ModelView<Real>& model,
                                   const KinematicsWorkspace<S, Array>& ws, const Q& q, const V& v,
                                   const A& a) {
  for (std::int32_t i = 0; i < model.body_count; ++i) {
    const BodyView<Real>& body = model.body[i];
    visit_body<S>(body, [&](const auto& joint, const auto& placement) RBD_INLINE_LAMBDA {
      Motion<S> acceleration = Motion<S>::zero(), across = Motion<S>::zero();
      if (body.parent >= 0) {
        acceleration =
            joint_transform(body, joint, placement, ws.turns, i, q).apply(ws.a.load(body.parent));
      }
      for_each_column(joint, [&](int k, const auto& column) RBD_INLINE_LAMBDA {
        column.add_to(across, joint_rate(body, v, k));
        column.add_to(acceleration, joint_rate(body, a, k));
      });
      ws.a.store(i, acceleration + cross(ws.v.load(i), across));
    });
  }
}

/// Writes a vector of the link frame as six numbers, linear first, along the axes of the link or of
/// the world. The latter after forward_kinematics.
template <class S, class Real, template <class> class Array, class Out>
RBD_INLINE void write_link_vector(const ModelView<Real>& model,
                                  const KinematicsWorkspace<S, Array>& ws, std::int32_t link,
                                  bool in_link_axes, Motion<S> m, const Out& out) {
  if (!in_link_axes) {
    const Mat3<S> E = link_transform<S>(model, ws, link).E;
    m = {transpose_times(E, m.w), transpose_times(E, m.v)};
  }
  const S numbers[6] = {m.v.x, m.v.y, m.v.z, m.w.x, m.w.y, m.w.z};
  for (std::int32_t k = 0; k < 6; ++k) out.store(k, numbers[k]);
}

/// Spatial velocity of a link, in its own frame. After body_velocities.
template <class S, class Real, template <class> class Array>
RBD_INLINE Motion<S> link_velocity(const ModelView<Real>& model,
                                   const KinematicsWorkspace<S, Array>& ws, std::int32_t link) {
  const LinkView<Real>& frame = model.link[link];
  if (frame.body < 0) return Motion<S>::zero();
  return broadcast<S>(frame.offset).apply(ws.v.load(frame.body));
}

/// The twist of a link at its origin: six numbers. After body_velocities.
template <class S, class Real, template <class> class Array, class Out>
RBD_KERNEL void link_twist(const ModelView<Real>& model, const KinematicsWorkspace<S, Array>& ws,
                           std::int32_t link, bool in_link_axes, const Out& out) {
  write_link_vector(model, ws, link, in_link_axes, link_velocity(model, ws, link), out);
}

/// The classical acceleration of a link's origin, which is the spatial one + w x v (docs/
/// algorithms.md), and its angular acceleration: six numbers. After body_accelerations.
template <class S, class Real, template <class> class Array, class Out>
RBD_KERNEL void link_acceleration(const ModelView<Real>& model,
                                  const KinematicsWorkspace<S, Array>& ws, std::int32_t link,
                                  bool in_link_axes, const Out& out) {
  const LinkView<Real>& frame = model.link[link];
  Motion<S> a = Motion<S>::zero();
  if (frame.body >= 0) {
    a = broadcast<S>(frame.offset).apply(ws.a.load(frame.body));
    const Motion<S> v = link_velocity(model, ws, link);
    a.v += cross(v.w, v.v);
  }
  write_link_vector(model, ws, link, in_link_axes, a, out);
}

/// dJ/dt of link_jacobian: 6 x nv numbers, linear rows first. Along the axes of the link it is what
/// it is along those of the world, in other coordinates. After forward_kinematics and
/// body_velocities.
template <class S, class Real, template <class> class Array, class Out>
RBD_KERNEL void link_jacobian_rate(const ModelView<Real>& model,
                                   const KinematicsWorkspace<S, Array>& ws, std::int32_t link,
                                   bool in_link_axes, const Out& out) {
  const std::int32_t nv = model.nv;
  for (std::int32_t k = 0; k < 6 * nv; ++k) out.store(k, S(Real(0)));
  const std::int32_t own = model.link[link].body;
  if (own < 0) return;
  const Transform<S> X_link = link_transform<S>(model, ws, link);
  const Vec3<S> velocity = transpose_times(X_link.E, link_velocity(model, ws, link).v);
  for (std::int32_t j = own; j >= 0; j = model.body[j].parent) {
    const BodyView<Real>& body = model.body[j];
    const Transform<S> X_j = ws.X0.load(j);
    const Motion<S> v_j = ws.v.load(j);
    const Vec3<S> w = transpose_times(X_j.E, v_j.w);
    const Vec3<S> arm = X_link.r - X_j.r, arm_rate = velocity - transpose_times(X_j.E, v_j.v);
    visit_joint<S>(body, [&](const auto& joint) RBD_INLINE_LAMBDA {
      for_each_column(joint, [&](int k, const auto& column) RBD_INLINE_LAMBDA {
        Motion<S> s = Motion<S>::zero();
        column.add_along(X_j.E, s, S(body.multiplier));
        // d/dt (s_w, s_v + s_w x arm): the axes of the joint turn with its body
        const Vec3<S> turned = cross(w, s.w);
        Motion<S> rate{turned, cross(w, s.v) + cross(turned, arm) + cross(s.w, arm_rate)};
        if (in_link_axes) rate = {X_link.E * rate.w, X_link.E * rate.v};
        const S rows[6] = {rate.v.x, rate.v.y, rate.v.z, rate.w.x, rate.w.y, rate.w.z};
        for (std::int32_t row = 0; row < 6; ++row) {
          const std::int32_t at = row * nv + body.v_index + k;
          out.store(at, out.load(at) + rows[row]);
        }
      });
    });
  }
}

}  // namespace rbd_parallel_core
