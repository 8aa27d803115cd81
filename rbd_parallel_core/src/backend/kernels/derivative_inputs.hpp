// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/coordinate_rates.hpp"
#include "rbd_parallel_core/algorithm/turning_wrenches.hpp"
#include "state_io.hpp"

/// What the kernels of derivatives read: states, wrenches that keep to the axes of the world, and
/// numbers with their directions.
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
                    [&](const auto& link, const Vec3<S>& f, const Vec3<S>& n)
                        RBD_INLINE_LAMBDA { place_wrench(ws, link, f, n); });
    return true;
  }

  RBD_INLINE bool turn(const ModelView<RealOf<S>>& model, const VjpWorkspace<S, Column>& ws) const {
    if (!any()) return false;
    for_each_wrench(model, group, f_ext,
                    [&](const auto& link, const Vec3<S>& f, const Vec3<S>& n) RBD_INLINE_LAMBDA {
                      turn_wrench(ws, kinematics.X0.load(link.body).E, link, f, n);
                    });
    return true;
  }
};

/// A group of states as most kernels of derivatives are given it.
template <class S>
struct GivenState {
  const ModelView<RealOf<S>>& model;
  const Workspace<S>& workspace;
  const Group<S>& group;
  const BasicExternalWrenches<RealOf<S>>& f_ext;
  Row<S> q, v;
  Row<S> drive;  ///< accelerations, or the torques of forward dynamics

  /// The forces that the wrenches put on the bodies.
  RBD_INLINE PossibleForces<S, Column> forces() const {
    return forces_on_bodies(model, workspace, group, f_ext, q);
  }
  /// The wrenches themselves. After `forces`.
  RBD_INLINE TurningWrenches<S> turning() const { return {group, f_ext, workspace.kinematics}; }
  /// NaN where an input is not finite or a quaternion no rotation, else zero.
  RBD_INLINE S taint() const {
    const std::size_t nv = size(model.nv);
    return taint_of_q<S>(model, q) + rbd_parallel_core::taint(v, nv) +
           rbd_parallel_core::taint(drive, nv) + taint_of_wrenches(group, f_ext);
  }
};

/// args.q, args.v and `drive`, zeros where they are not given.
template <class S, class Args>
RBD_INLINE GivenState<S> read_state(const KernelContext<RealOf<S>>& context,
                                    const Scratch<S>& scratch, const Group<S>& group,
                                    const Args& args, std::span<const RealOf<S>> drive) {
  const ModelView<RealOf<S>>& model = context.model;
  const std::size_t nv = size(model.nv);
  return {model,
          scratch.workspace,
          group,
          args.f_ext,
          group.read(args.q, size(model.nq), scratch.q),
          read_or_zeros(group, args.v, nv, scratch.v, scratch),
          read_or_zeros(group, drive, nv, scratch.a, scratch)};
}

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
