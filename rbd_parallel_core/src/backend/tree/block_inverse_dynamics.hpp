// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "block_coordinates.hpp"

/// The phases of inverse dynamics (BlockTable says in which order they run).
namespace rbd_parallel_core {

template <class S>
RBD_KERNEL void read_pack(const BlockContext<RealOf<S>>& context, const TreeState<RealOf<S>>& state,
                          std::byte* scratch, std::int32_t p) {
  const PackRobot<S> robot = PackRobot<S>::of(context, scratch, p);
  const BlockShared<S>& shared = robot.shared;
  prefetch_next(context, robot, p);
  S taint = read_positions_of(robot, state.q);
  if (state.v != nullptr || state.a != nullptr) {
    taint = taint + gather_rates(state.v, robot, robot.v().data);
    taint = taint + gather_rates(state.a, robot, robot.a().data);
  }
  shared.taint[p] = taint;
  const PackRow<S> q{robot.q().data};
  if (robot.pack.ends_paths) return;
  with_pack_rates(robot, state, [&](const auto& v, const auto& a) RBD_INLINE_LAMBDA {
    const PathMotion<S> motion = path_motion(robot.model, robot.ws.turns, q, v, a);
    to_lanes(
        motion, robot.pack.blocks, [&](std::size_t l) RBD_INLINE_LAMBDA -> auto& {
          return shared.motion[robot.block(context.plan, l)];
        });
  });
}

template <class S>
RBD_KERNEL void read_state(const BlockContext<RealOf<S>>& context,
                           const TreeState<RealOf<S>>& state, std::byte* scratch,
                           Range packs) noexcept {
  for (std::int32_t p = packs.begin; p < packs.end; ++p) read_pack<S>(context, state, scratch, p);
}

/// One block after the other. What begins with a root hangs on the world.
template <class S>
RBD_KERNEL void outward_seams(const BlockContext<RealOf<S>>& context,
                              const TreeState<RealOf<S>>& state, std::byte*,
                              Range blocks) noexcept {
  using Real = RealOf<S>;
  const PlanView& plan = context.plan;
  const BlockShared<S> shared = BlockShared<S>::in(context);
  for (std::int32_t b = blocks.begin; b < blocks.end; ++b) {
    if (begins_path(plan, b)) {
      if (context.model.body[plan.nodes[plan.blocks[b].first]].parent >= 0) continue;
      shared.base[b] = {Vec3<Real>::zero(), {Vec3<Real>::zero(), -state.gravity}};
    } else {
      shared.base[b] = moved_along(shared.base[b - 1], shared.motion[b - 1]);
    }
  }
}

template <class S>
RBD_KERNEL void outward_pack(const BlockContext<RealOf<S>>& context,
                             const TreeState<RealOf<S>>& state, std::byte* scratch,
                             std::int32_t p) {
  const PackRobot<S> robot = PackRobot<S>::of(context, scratch, p);
  const BlockShared<S>& shared = robot.shared;
  const PlanView& plan = context.plan;
  const auto base = from_lanes<MovingBase, S>([&](std::size_t l) RBD_INLINE_LAMBDA -> auto& {
    return shared.base[robot.block(plan, l)];
  });
  const PackRow<S> q{robot.q().data};
  with_pack_rates(robot, state, [&](const auto& v, const auto& a) RBD_INLINE_LAMBDA {
    using V = std::remove_cvref_t<decltype(v)>;
    rnea_outward(robot.model, robot.ws, q, v, a, base);
    for (std::int32_t h = 0; h < robot.pack.hanging; ++h) {
      const HangingPath& path = plan.hanging[robot.pack.first_hanging + h];
      MovingBase<RealOf<S>>& child = shared.base[path.block];
      child.w = Vec3<RealOf<S>>::zero();
      if constexpr (!is_zero<V>) child.w = lane_of(robot.ws.w.data[path.step], path.lane);
      child.a = lane_of(robot.ws.a.data[path.step], path.lane);
      if constexpr (is_zero<V>) child.a.w = Vec3<RealOf<S>>::zero();
    }
  });
  if (state.f_ext != nullptr) subtract_external_forces(robot, state.f_ext);
}

template <class S>
RBD_KERNEL void outward(const BlockContext<RealOf<S>>& context, const TreeState<RealOf<S>>& state,
                        std::byte* scratch, Range packs) noexcept {
  for (std::int32_t p = packs.begin; p < packs.end; ++p) {
    outward_pack<S>(context, state, scratch, p);
  }
}

/// The inward pass of one pack with its torques, written to where they belong. Returns the forces
/// on the bases.
template <class S>
RBD_INLINE Force<S> write_torques(const TreeState<RealOf<S>>& state, const PackRobot<S>& robot,
                                  const Force<S>& tip, std::int32_t p) {
  using Real = RealOf<S>;
  const OutRow<S> tau{reinterpret_cast<Real*>(robot.scratch.tau)};
  with_pack_rates(robot, state, [&](const auto& v, const auto& a) RBD_INLINE_LAMBDA {
    for (std::int32_t k = 0; k < robot.model.nv; ++k) {
      tau.store(k, joint_terms<S>(robot.model, k, v, a, state.friction));
    }
  });
  const Force<S> top =
      rnea_inward(robot.model, robot.ws, PackRow<S>{robot.q().data}, tip, tau, MovingBase<S>{});
  write_results(robot, tau, state.tau, p);
  return top;
}

template <class S>
RBD_KERNEL void inward_pack(const BlockContext<RealOf<S>>& context,
                            const TreeState<RealOf<S>>& state, std::byte* scratch, std::int32_t p) {
  const PackRobot<S> robot = PackRobot<S>::of(context, scratch, p);
  const PlanView& plan = context.plan;
  // What hangs on the bodies of the pack was done before; its forces are added in a fixed order.
  for (std::int32_t h = 0; h < robot.pack.hanging; ++h) {
    const HangingPath& path = plan.hanging[robot.pack.first_hanging + h];
    add_to_lane(robot.ws.f.data[path.step], path.lane, robot.shared.top[path.block]);
  }
  const Force<S> nothing = Force<S>::zero();
  const Force<S> top = robot.pack.ends_paths
                           ? write_torques<S>(state, robot, nothing, p)
                           : rnea_inward(robot.model, robot.ws, PackRow<S>{robot.q().data}, nothing,
                                         NoTorques{}, MovingBase<S>{});
  to_lanes(
      top, robot.pack.blocks, [&](std::size_t l) RBD_INLINE_LAMBDA -> auto& {
        return robot.shared.top[robot.block(plan, l)];
      });
}

template <class S>
RBD_KERNEL void inward(const BlockContext<RealOf<S>>& context, const TreeState<RealOf<S>>& state,
                       std::byte* scratch, Range packs) noexcept {
  for (std::int32_t p = packs.begin; p < packs.end; ++p) {
    inward_pack<S>(context, state, scratch, p);
  }
}

/// One block after the other, from the ends of the paths inward.
template <class S>
RBD_KERNEL void inward_seams(const BlockContext<RealOf<S>>& context, const TreeState<RealOf<S>>&,
                             std::byte*, Range blocks) noexcept {
  using Real = RealOf<S>;
  const BlockShared<S> shared = BlockShared<S>::in(context);
  for (std::int32_t b = blocks.end - 1; b >= blocks.begin; --b) {
    if (context.plan.blocks[b].ends_path) {
      shared.tip[b] = Force<Real>::zero();
      continue;
    }
    shared.tip[b] = shared.top[b + 1];
    shared.top[b] += carried_back(shared.motion[b], shared.tip[b]);
  }
}

template <class S>
RBD_KERNEL void torques(const BlockContext<RealOf<S>>& context, const TreeState<RealOf<S>>& state,
                        std::byte* scratch, Range packs) noexcept {
  for (std::int32_t p = packs.begin; p < packs.end; ++p) {
    if (context.plan.packs[p].ends_paths) continue;
    const PackRobot<S> robot = PackRobot<S>::of(context, scratch, p);
    const auto tip = from_lanes<Force, S>([&](std::size_t l) RBD_INLINE_LAMBDA -> auto& {
      return robot.shared.tip[robot.block(context.plan, l)];
    });
    write_torques<S>(state, robot, tip, p);
  }
}

}  // namespace rbd_parallel_core
