// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "block_coordinates.hpp"

/// The phases of forward dynamics (BlockTable says in which order they run).
namespace rbd_parallel_core {

template <class S>
RBD_KERNEL void read_forward_pack(const BlockContext<RealOf<S>>& context,
                                  const TreeState<RealOf<S>>& state, std::byte* scratch,
                                  std::int32_t p) {
  const PackRobot<S> robot = PackRobot<S>::of(context, scratch, p);
  const BlockShared<S>& shared = robot.shared;
  prefetch_next(context, robot, p);
  S taint = read_positions_of(robot, state.q);
  taint = taint + gather_rates(state.v, robot, robot.v().data);
  taint = taint + gather_rates(state.a, robot, robot.a().data);
  shared.taint[p] = taint;
  const PackRow<S> q{robot.q().data};
  if (robot.pack.ends_paths) return;
  const PathTurn<S> turn = path_turn(robot.model, robot.ws.turns, q, PackRow<S>{robot.v().data});
  to_lanes(
      turn, robot.pack.blocks, [&](std::size_t l) RBD_INLINE_LAMBDA -> auto& {
        return shared.turn[robot.block(context.plan, l)];
      });
}

template <class S>
RBD_KERNEL void read_forward(const BlockContext<RealOf<S>>& context,
                             const TreeState<RealOf<S>>& state, std::byte* scratch,
                             Range packs) noexcept {
  for (std::int32_t p = packs.begin; p < packs.end; ++p) {
    read_forward_pack<S>(context, state, scratch, p);
  }
}

template <class S>
RBD_KERNEL void velocity_seams(const BlockContext<RealOf<S>>& context, const TreeState<RealOf<S>>&,
                               std::byte*, Range blocks) noexcept {
  using Real = RealOf<S>;
  const PlanView& plan = context.plan;
  const BlockShared<S> shared = BlockShared<S>::in(context);
  for (std::int32_t b = blocks.begin; b < blocks.end; ++b) {
    if (begins_path(plan, b)) {
      const bool on_world = context.model.body[plan.nodes[plan.blocks[b].first]].parent < 0;
      if (on_world) shared.base[b].w = Vec3<Real>::zero();
    } else {
      shared.base[b].w = turned_along(shared.base[b - 1].w, shared.turn[b - 1]);
    }
  }
}

template <class S>
RBD_KERNEL void velocities_of_pack(const BlockContext<RealOf<S>>& context,
                                   const TreeState<RealOf<S>>& state, std::byte* scratch,
                                   std::int32_t p) {
  const PackRobot<S> robot = PackRobot<S>::of(context, scratch, p);
  const PlanView& plan = context.plan;
  const auto base = from_lanes<MovingBase, S>([&](std::size_t l) RBD_INLINE_LAMBDA -> auto& {
    return robot.shared.base[robot.block(plan, l)];
  });
  aba_velocities(robot.model, robot.aba, PackRow<S>{robot.q().data}, PackRow<S>{robot.v().data},
                 base);
  for (std::int32_t h = 0; h < robot.pack.hanging; ++h) {
    const HangingPath& path = plan.hanging[robot.pack.first_hanging + h];
    robot.shared.base[path.block].w = lane_of(robot.aba.w.data[path.step], path.lane);
  }
  if (state.f_ext != nullptr) subtract_external_forces(robot, state.f_ext);
}

template <class S>
RBD_KERNEL void velocities(const BlockContext<RealOf<S>>& context,
                           const TreeState<RealOf<S>>& state, std::byte* scratch,
                           Range packs) noexcept {
  for (std::int32_t p = packs.begin; p < packs.end; ++p) {
    velocities_of_pack<S>(context, state, scratch, p);
  }
}

/// Adds what hangs on the bodies of a pack to their inertias and bias forces, in a fixed order.
template <class S>
RBD_INLINE void add_hanging_bodies(const PlanView& plan, const PackRobot<S>& robot) {
  for (std::int32_t k = 0; robot.pack.hanging > 0 && k < robot.model.body_count; ++k) {
    if (robot.model.body[k].has_more_children) {
      robot.aba.IA.data[k] = ArticulatedInertia<S>::zero();
    }
  }
  for (std::int32_t h = 0; h < robot.pack.hanging; ++h) {
    const HangingPath& path = plan.hanging[robot.pack.first_hanging + h];
    add_to_lane(robot.aba.IA.data[path.step], path.lane, robot.shared.port[path.block].M);
    add_to_lane(robot.aba.pA.data[path.step], path.lane, robot.shared.port[path.block].m);
  }
}

/// Keeps which coordinate of each block is singular.
template <class S>
RBD_INLINE void keep_singular(const PlanView& plan, const PackRobot<S>& robot, const S& singular) {
  constexpr std::size_t width = ScalarTraits<S>::width;
  RealOf<S> lanes[width];
  ScalarTraits<S>::store(lanes, singular);
  for (std::size_t l = 0; l < static_cast<std::size_t>(robot.pack.blocks); ++l) {
    const auto at = static_cast<std::int64_t>(lanes[l]) - 1 + robot.at.v;
    robot.shared.singular[robot.block(plan, l)] =
        lanes[l] > 0 ? robot.shared.v_index[static_cast<std::size_t>(at) * width + l] : -1;
  }
}

/// End: an OpenEnd, or what does its work.
template <class S, class End>
RBD_KERNEL void articulate_pack(const BlockContext<RealOf<S>>& context,
                                const TreeState<RealOf<S>>& state, std::byte* scratch,
                                std::int32_t p) {
  const PackRobot<S> robot = PackRobot<S>::rigid(context, scratch, p);
  const PlanView& plan = context.plan;
  const BlockShared<S>& shared = robot.shared;
  add_hanging_bodies(plan, robot);
  const auto port = [&](std::size_t l) RBD_INLINE_LAMBDA -> auto& {
    return shared.port[robot.block(plan, l)];
  };
  const PackRow<S> q{robot.q().data}, v{robot.v().data}, tau{robot.a().data};
  ArticulatedBody<S> body;
  if (robot.pack.ends_paths) {
    FreeEnd end;
    body = aba_inward(robot.model, robot.aba, q, v, tau, state.friction, MovingBase<S>{}, end);
  } else {
    auto end = End::at_itself(Column<Motion<S>>{robot.work.y + robot.in_work.v});
    body = aba_inward(robot.model, robot.aba, q, v, tau, state.friction, MovingBase<S>{}, end);
    to_lanes(
        end.transmission(), robot.pack.blocks, [&](std::size_t l) RBD_INLINE_LAMBDA -> auto& {
          return port(l).across;
        });
  }
  to_lanes(
      body.IA,
      robot.pack.blocks, [&](std::size_t l) RBD_INLINE_LAMBDA -> auto& { return port(l).M; });
  to_lanes(
      body.pA,
      robot.pack.blocks, [&](std::size_t l) RBD_INLINE_LAMBDA -> auto& { return port(l).m; });
  keep_singular(plan, robot, body.singular);
}

template <class S, class End = OpenEnd<S, Column>>
RBD_KERNEL void articulate(const BlockContext<RealOf<S>>& context,
                           const TreeState<RealOf<S>>& state, std::byte* scratch,
                           Range packs) noexcept {
  for (std::int32_t p = packs.begin; p < packs.end; ++p) {
    articulate_pack<S, End>(context, state, scratch, p);
  }
}

/// One block after the other, from the ends of the paths inward.
template <class S>
RBD_KERNEL void close_paths(const BlockContext<RealOf<S>>& context, const TreeState<RealOf<S>>&,
                            std::byte*, Range blocks) noexcept {
  const BlockShared<S> shared = BlockShared<S>::in(context);
  for (std::int32_t b = blocks.end - 1; b >= blocks.begin; --b) {
    if (context.plan.blocks[b].ends_path) continue;
    TwoPort<RealOf<S>>& port = shared.port[b];
    const TwoPort<RealOf<S>>& next = shared.port[b + 1];
    shared.end[b] = end_motion(port.across, next.M, next.m);
    close_path(port, shared.end[b], next.M, next.m, port.M, port.m);
  }
}

/// One block after the other, outward.
template <class S>
RBD_KERNEL void acceleration_seams(const BlockContext<RealOf<S>>& context,
                                   const TreeState<RealOf<S>>& state, std::byte*,
                                   Range blocks) noexcept {
  using Real = RealOf<S>;
  const PlanView& plan = context.plan;
  const BlockShared<S> shared = BlockShared<S>::in(context);
  for (std::int32_t b = blocks.begin; b < blocks.end; ++b) {
    const bool on_world =
        begins_path(plan, b) && context.model.body[plan.nodes[plan.blocks[b].first]].parent < 0;
    if (on_world) shared.base[b].a = {Vec3<Real>::zero(), -state.gravity};
    if (plan.blocks[b].ends_path) continue;
    const TwoPort<Real>& next = shared.port[b + 1];
    const Motion<Real> a = shared.base[b + 1].a = moved_end(shared.end[b], shared.base[b].a);
    shared.tip[b] = next.M * a + next.m;
  }
}

/// What hangs on the ends of a pack takes from the acceleration of a coordinate: nothing where the
/// blocks end their paths.
template <class S>
struct PackPull {
  const Motion<S>* y;  ///< per coordinate: OpenEnd::y_over_D, or null
  Force<S> tip;
  RBD_INLINE S operator()(std::int32_t at) const {
    return y == nullptr ? S(RealOf<S>(0)) : dot(y[at], tip);
  }
};

template <class S>
RBD_KERNEL void accelerations_of_pack(const BlockContext<RealOf<S>>& context,
                                      const TreeState<RealOf<S>>& state, std::byte* scratch,
                                      std::int32_t p) {
  using Real = RealOf<S>;
  const PackRobot<S> robot = PackRobot<S>::of(context, scratch, p);
  const PlanView& plan = context.plan;
  const BlockShared<S>& shared = robot.shared;
  const auto base = from_lanes<MovingBase, S>([&](std::size_t l) RBD_INLINE_LAMBDA -> auto& {
    return shared.base[robot.block(plan, l)];
  });
  const OutRow<S> qdd{reinterpret_cast<Real*>(robot.scratch.tau)};
  PackPull<S> pull{robot.pack.ends_paths ? nullptr : robot.work.y + robot.in_work.v,
                   Force<S>::zero()};
  if (!robot.pack.ends_paths) {
    pull.tip = from_lanes<Force, S>([&](std::size_t l) RBD_INLINE_LAMBDA -> auto& {
      return shared.tip[robot.block(plan, l)];
    });
  }
  aba_accelerations(robot.model, robot.aba, PackRow<S>{robot.q().data}, PackRow<S>{robot.v().data},
                    base, pull, qdd);
  for (std::int32_t h = 0; h < robot.pack.hanging; ++h) {
    const HangingPath& path = plan.hanging[robot.pack.first_hanging + h];
    shared.base[path.block].a = lane_of(robot.aba.c.data[path.step], path.lane);
  }
  write_results(robot, qdd, state.tau, p);
}

template <class S>
RBD_KERNEL void accelerations(const BlockContext<RealOf<S>>& context,
                              const TreeState<RealOf<S>>& state, std::byte* scratch,
                              Range packs) noexcept {
  for (std::int32_t p = packs.begin; p < packs.end; ++p) {
    accelerations_of_pack<S>(context, state, scratch, p);
  }
}

template <class S>
RBD_KERNEL std::int32_t first_singular(const BlockContext<RealOf<S>>& context) noexcept {
  const BlockShared<S> shared = BlockShared<S>::in(context);
  std::int32_t first = -1;
  for (std::int32_t b = 0; b < context.plan.block_count; ++b) {
    const std::int32_t dof = shared.singular[b];
    if (dof >= 0 && (first < 0 || dof < first)) first = dof;
  }
  return first;
}

}  // namespace rbd_parallel_core
