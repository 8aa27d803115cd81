// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/coordinate_rates.hpp"
#include "rbd_parallel_core/algorithm/world_wrenches.hpp"
#include "state_io.hpp"

/// What the kernels of derivatives read: wrenches that keep to the axes of the world, and numbers
/// with their directions.
namespace rbd_parallel_core {

/// Calls visit(link, force, moment) for the wrenches of a group of states.
template <class S, class Visit>
RBD_INLINE void for_each_wrench(const ModelView<RealOf<S>>& model, const Group<S>& group,
                                const BasicExternalWrenches<RealOf<S>>& f_ext, const Visit& visit) {
  const std::size_t n = 6 * f_ext.links.size();
  RealOf<S> lanes[widest_row<S> * ScalarTraits<S>::width];
  for (std::size_t k = 0; k < f_ext.links.size(); ++k) {
    const LinkView<RealOf<S>>& link = model.link[f_ext.links[k]];
    if (link.body < 0) continue;  // the world does not move
    const Row<S> w = group.read(f_ext.wrenches, n, 6 * k, 6, lanes);
    visit(link, Vec3<S>{w(0), w(1), w(2)}, Vec3<S>{w(3), w(4), w(5)});
  }
}

/// The wrenches of a call as rnea_derivatives and rnea_vjp take them.
template <class S>
struct TurningWrenches {
  const Group<S>& group;
  const BasicExternalWrenches<RealOf<S>>& f_ext;
  const KinematicsWorkspace<S, Column>& kinematics;  ///< has the axes of the bodies

  RBD_INLINE bool any() const { return !f_ext.links.empty() && f_ext.axes == Axes::world; }

  RBD_INLINE bool place(const ModelView<RealOf<S>>& model,
                        const DerivativesWorkspace<S, Column>& ws) const {
    if (!any()) return false;
    for (std::int32_t i = 0; i < model.body_count; ++i) ws.wrench.store(i, WorldWrench<S>::zero());
    for_each_wrench(model, group, f_ext,
                    [&](const auto& link, const Vec3<S>& f, const Vec3<S>& n) RBD_INLINE_LAMBDA {
                      const Vec3<S> p =
                          transpose_times(ws.body.load(link.body).E, broadcast<S>(link.offset.r));
                      const WorldWrench<S> wrench{f, outer_add(f, p, skew(n))};
                      ws.wrench.store(link.body, ws.wrench.load(link.body) + wrench);
                    });
    return true;
  }

  RBD_INLINE bool turn(const ModelView<RealOf<S>>& model, const VjpWorkspace<S, Column>& ws) const {
    if (!any()) return false;
    for_each_wrench(model, group, f_ext,
                    [&](const auto& link, const Vec3<S>& f, const Vec3<S>& n) RBD_INLINE_LAMBDA {
                      const Mat3<S>& E = kinematics.X0.load(link.body).E;
                      const Motion<S> mu = ws.mu.load(link.body);
                      const Vec3<S> at_link = mu.v + cross(mu.w, broadcast<S>(link.offset.r));
                      VjpForces<S> forces = ws.forces.load(link.body);
                      forces.turned += cross(E * n, mu.w) + cross(E * f, at_link);
                      ws.forces.store(link.body, forces);
                    });
    return true;
  }
};

/// Reads numbers with their changes.
template <class S>
struct DualRow {
  Row<S> x, d;
  RBD_INLINE Dual<S> operator()(std::int32_t k) const { return {x(k), d(k)}; }
};

/// Writes values and derivatives to rows of their own.
template <class S>
struct DualOutRow {
  OutRow<S> x, d;
  RBD_INLINE Dual<S> load(std::int32_t k) const { return {x.load(k), d.load(k)}; }
  RBD_INLINE void store(std::int32_t k, const Dual<S>& value) const {
    x.store(k, value.x);
    d.store(k, value.d);
  }
};

/// Reads constants.
template <class S>
struct ConstantRow {
  const Row<S>& x;
  RBD_INLINE Dual<S> operator()(std::int32_t k) const { return {x(k), S(RealOf<S>(0))}; }
};

/// The forces that the wrenches put on the bodies, with their changes.
template <class S>
RBD_INLINE PossibleForces<Dual<S>, Column> dual_forces_on_bodies(
    const ModelView<RealOf<S>>& model, const Workspace<S>& workspace, const Group<S>& group,
    const BasicExternalWrenches<RealOf<S>>& f_ext, const DualRow<S>& q) {
  if (f_ext.links.empty()) return {workspace.dual_f_ext, false};
  const bool in_world_axes = f_ext.axes == Axes::world;
  if (in_world_axes) forward_kinematics(model, workspace.dual_kinematics, q);
  clear_external_forces(model, workspace.dual_f_ext);
  const std::size_t n = 6 * f_ext.links.size();
  RealOf<S> lanes[widest_row<S> * ScalarTraits<S>::width];
  for (std::size_t k = 0; k < f_ext.links.size(); ++k) {
    const Row<S> wrench = group.read(f_ext.wrenches, n, 6 * k, 6, lanes);
    add_external_force(model, workspace.dual_kinematics, f_ext.links[k], ConstantRow<S>{wrench},
                       in_world_axes, workspace.dual_f_ext);
  }
  return {workspace.dual_f_ext, true};
}

}  // namespace rbd_parallel_core
