// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/access.hpp"
#include "rbd_parallel_core/spatial/quaternion.hpp"

namespace rbd_parallel_core {

/// The placements of all bodies: from the world frame to the body frame.
template <class S, template <class> class Array>
struct KinematicsWorkspace {
  JointTurns<S, Array> turns;
  Array<Transform<S>> X0;  ///< iX_0; r is the body's origin in the world
  Array<Motion<S>> v;      ///< spatial velocity, body coordinates (filled by body_velocities)
  Array<Motion<S>> a;      ///< spatial acceleration, likewise (filled by body_accelerations)
};

template <class S, class Real, template <class> class Array, class Q>
RBD_KERNEL void forward_kinematics(const ModelView<Real>& model,
                                   const KinematicsWorkspace<S, Array>& ws, const Q& q) {
  compute_turns(model, ws.turns, q);
  for (std::int32_t i = 0; i < model.body_count; ++i) {
    const BodyView<Real>& body = model.body[i];
    visit_body<S>(body, [&](const auto& joint, const auto& placement) RBD_INLINE_LAMBDA {
      const auto X = joint_transform(body, joint, placement, ws.turns, i, q);
      const Transform<S> X_p = body.parent < 0 ? Transform<S>::identity() : ws.X0.load(body.parent);
      ws.X0.store(i, {X.rotate_rows(X_p.E), X_p.r + transpose_times(X_p.E, X.origin())});
    });
  }
}

/// v_i = iX_p v_p + S qd (Featherstone 5.7)
template <class S, class Real, template <class> class Array, class Q, class V>
RBD_KERNEL void body_velocities(const ModelView<Real>& model,
                                const KinematicsWorkspace<S, Array>& ws, const Q& q, const V& v) {
  compute_turns(model, ws.turns, q);
  for (std::int32_t i = 0; i < model.body_count; ++i) {
    const BodyView<Real>& body = model.body[i];
    visit_body<S>(body, [&](const auto& joint, const auto& placement) RBD_INLINE_LAMBDA {
      Motion<S> velocity = Motion<S>::zero();
      if (body.parent >= 0) {
        velocity =
            joint_transform(body, joint, placement, ws.turns, i, q).apply(ws.v.load(body.parent));
      }
      for_each_column(joint, [&](int k, const auto& column) RBD_INLINE_LAMBDA {
        column.add_to(velocity, joint_rate(body, v, k));
      });
      ws.v.store(i, velocity);
    });
  }
}

/// From the world frame to the frame of a link. After forward_kinematics.
template <class S, class Real, template <class> class Array>
RBD_KERNEL Transform<S> link_transform(const ModelView<Real>& model,
                                       const KinematicsWorkspace<S, Array>& ws, std::int32_t link) {
  const LinkView<Real>& frame = model.link[link];
  const Transform<S> offset = broadcast<S>(frame.offset);
  return frame.body < 0 ? offset : offset * ws.X0.load(frame.body);
}

/// Writes the pose of a link as x y z qx qy qz qw. out(k, value) takes the k-th number.
template <class S, class Real, template <class> class Array, class Out>
RBD_KERNEL void link_pose(const ModelView<Real>& model, const KinematicsWorkspace<S, Array>& ws,
                          std::int32_t link, const Out& out) {
  const Transform<S> X = link_transform<S>(model, ws, link);
  const Quaternion<S> rotation = quaternion_from_rotation(X.E);
  out.store(0, X.r.x);
  out.store(1, X.r.y);
  out.store(2, X.r.z);
  out.store(3, rotation.r.x);
  out.store(4, rotation.r.y);
  out.store(5, rotation.r.z);
  out.store(6, rotation.w);
}

/// The Jacobian of a link: J v is its twist at its origin, linear rows first, along the axes of the
/// world or (in_link_axes) of the link. out.store(row * nv + column, value) takes 6 x nv numbers.
/// After forward_kinematics.
template <class S, class Real, template <class> class Array, class Out>
RBD_KERNEL void link_jacobian(const ModelView<Real>& model, const KinematicsWorkspace<S, Array>& ws,
                              std::int32_t link, bool in_link_axes, const Out& out) {
  const std::int32_t nv = model.nv;
  for (std::int32_t k = 0; k < 6 * nv; ++k) out.store(k, S(Real(0)));
  const Transform<S> X_link = link_transform<S>(model, ws, link);
  for (std::int32_t j = model.link[link].body; j >= 0; j = model.body[j].parent) {
    const BodyView<Real>& body = model.body[j];
    const Transform<S>& X_j = ws.X0.load(j);
    visit_joint<S>(body, [&](const auto& joint) RBD_INLINE_LAMBDA {
      for_each_column(joint, [&](int k, const auto& column) RBD_INLINE_LAMBDA {
        Motion<S> s = S(body.multiplier) * column.seen_from(X_j.E, X_j.r - X_link.r);
        if (in_link_axes) s = {X_link.E * s.w, X_link.E * s.v};
        const S rows[6] = {s.v.x, s.v.y, s.v.z, s.w.x, s.w.y, s.w.z};
        for (std::int32_t row = 0; row < 6; ++row) {
          const std::int32_t at = row * nv + body.v_index + k;
          out.store(at, out.load(at) + rows[row]);
        }
      });
    });
  }
}

/// First moment of mass of all links about the world's origin, kg m. After forward_kinematics.
template <class S, class Real, template <class> class Array>
RBD_KERNEL Vec3<S> first_moment(const ModelView<Real>& model,
                                const KinematicsWorkspace<S, Array>& ws) {
  Vec3<S> moment = broadcast<S>(model.base_inertia.h);
  for (std::int32_t i = 0; i < model.body_count; ++i) {
    const Inertia<S> I = broadcast<S>(model.body[i].inertia);
    const Transform<S>& X = ws.X0.load(i);
    moment += mul_add(I.m, X.r, transpose_times(X.E, I.h));
  }
  return moment;
}

template <class S, class Real>
RBD_KERNEL S total_mass(const ModelView<Real>& model) {
  Real mass = model.base_inertia.m;
  for (std::int32_t i = 0; i < model.body_count; ++i) mass += model.body[i].inertia.m;
  return S(mass);
}

/// (1/2) qd^T (M + diag(armature)) qd, J. After body_velocities.
template <class S, class Real, template <class> class Array, class V>
RBD_KERNEL S kinetic_energy(const ModelView<Real>& model, const KinematicsWorkspace<S, Array>& ws,
                            const V& v) {
  S twice(Real(0));
  for (std::int32_t i = 0; i < model.body_count; ++i) {
    const Motion<S>& velocity = ws.v.load(i);
    twice = twice + dot(velocity, broadcast<S>(model.body[i].inertia) * velocity);
  }
  for (std::int32_t k = 0; k < model.nv; ++k) {
    twice = mul_add(S(model.armature[k]) * v(k), v(k), twice);
  }
  return S(Real(0.5)) * twice;
}

}  // namespace rbd_parallel_core
