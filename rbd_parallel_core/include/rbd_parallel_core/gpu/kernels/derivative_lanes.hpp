// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/turning_wrenches.hpp"
#include "rbd_parallel_core/gpu/kernels/derivative_workspace.hpp"

/// What the kernels of derivatives read: wrenches on links, and numbers with their changes.
namespace rbd_parallel_core {

/// The wrenches of a call, in lanes of their own stride.
template <class Real>
struct LaneWrenches {
  const std::int32_t* links;
  std::int32_t count;  ///< of links; zero: there are no wrenches
  const Real* numbers;
  std::int64_t stride;
  bool in_world_axes;

  /// Six numbers: those on link k of the list, in state s.
  RBD_INLINE LaneRow<Real> row(std::int32_t k, std::int64_t s) const {
    return {numbers + 6 * k * stride + s, stride};
  }
};

/// Those of state s as rnea_derivatives and rnea_vjp take them.
template <class Real>
struct TurningLaneWrenches {
  const LaneWrenches<Real>& given;
  std::int64_t s;
  const DerivativeWorkspace<Real>& memory;  ///< `turn` finds the axes of the bodies there

  RBD_INLINE bool any() const { return given.count > 0 && given.in_world_axes; }

  template <class Matrices>
  RBD_INLINE bool place(const ModelView<Real>& model, const Matrices& ws) const {
    if (!any()) return false;
    for (std::int32_t i = 0; i < model.body_count; ++i) {
      ws.wrench.store(i, WorldWrench<Real>::zero());
    }
    for (std::int32_t k = 0; k < given.count; ++k) {
      const LinkView<Real>& link = model.link[given.links[k]];
      if (link.body < 0) continue;  // the world does not move
      const LaneRow<Real> w = given.row(k, s);
      place_wrench(ws, link, Vec3<Real>{w(0), w(1), w(2)}, Vec3<Real>{w(3), w(4), w(5)});
    }
    return true;
  }
  template <class Vjp>
  RBD_INLINE bool turn(const ModelView<Real>& model, const Vjp& ws) const {
    if (!any()) return false;
    for (std::int32_t k = 0; k < given.count; ++k) {
      const LinkView<Real>& link = model.link[given.links[k]];
      if (link.body < 0) continue;
      const LaneRow<Real> w = given.row(k, s);
      turn_wrench(ws, memory.placements.X0.load(link.body).E, link, Vec3<Real>{w(0), w(1), w(2)},
                  Vec3<Real>{w(3), w(4), w(5)});
    }
    return true;
  }
};

/// Reads numbers with their changes; these are zero where there is no row of them.
template <class Real>
struct DualLaneRow {
  LaneRow<Real> x;
  const Real* changes;  ///< lanes, number 0 of the state; or null
  RBD_INLINE Dual<Real> operator()(std::int32_t k) const {
    return {x(k), changes == nullptr ? Real(0) : changes[k * x.stride]};
  }
};

/// Reads constants.
template <class Real>
struct ConstantLaneRow {
  LaneRow<Real> x;
  RBD_INLINE Dual<Real> operator()(std::int32_t k) const { return {x(k), Real(0)}; }
};

/// Writes values and changes to rows of their own.
template <class Real>
struct DualLaneOut {
  LaneOut<Real> x, d;
  RBD_INLINE Dual<Real> load(std::int32_t k) const { return {x.load(k), d.load(k)}; }
  RBD_INLINE void store(std::int32_t k, const Dual<Real>& value) const {
    x.store(k, value.x);
    d.store(k, value.d);
  }
};

/// The forces that the wrenches put on the bodies in state s, with their changes.
template <class Real>
RBD_INLINE PossibleForces<Dual<Real>, Strided<Real>::template Array> dual_forces_of(
    const ModelView<Real>& model, const DerivativeWorkspace<Real>& ws,
    const LaneWrenches<Real>& wrenches, std::int64_t s, const DualLaneRow<Real>& q) {
  if (wrenches.count == 0) return {ws.dual_forces, false};
  if (wrenches.in_world_axes) forward_kinematics(model, ws.dual_placements, q);
  clear_external_forces(model, ws.dual_forces);
  for (std::int32_t k = 0; k < wrenches.count; ++k) {
    add_external_force(model, ws.dual_placements, wrenches.links[k],
                       ConstantLaneRow<Real>{wrenches.row(k, s)}, wrenches.in_world_axes,
                       ws.dual_forces);
  }
  return {ws.dual_forces, true};
}

}  // namespace rbd_parallel_core
