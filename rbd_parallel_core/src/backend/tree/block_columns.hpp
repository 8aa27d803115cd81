// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "block_coordinates.hpp"
#include "number_pair.hpp"

/// The phases that compute the columns of the mass matrix (BlockTable says in which order they
/// run).
namespace rbd_parallel_core {

template <class S>
RBD_KERNEL void read_positions(const BlockContext<RealOf<S>>& context,
                               const TreeState<RealOf<S>>& state, std::byte* scratch,
                               Range packs) noexcept {
  for (std::int32_t p = packs.begin; p < packs.end; ++p) {
    const PackRobot<S> robot = PackRobot<S>::of(context, scratch, p);
    prefetch_next(context, robot, p);
    read_positions_of(robot, state.q);
    if (robot.pack.ends_paths) continue;
    const PathMotion<S> end = path_motion(robot.model, robot.ws.turns, PackRow<S>{robot.q().data},
                                          Zeros<S>{}, Zeros<S>{});
    to_lanes(
        end, robot.pack.blocks, [&](std::size_t l) RBD_INLINE_LAMBDA -> auto& {
          return robot.shared.motion[robot.block(context.plan, l)];
        });
  }
}

template <class S>
RBD_KERNEL void frame_seams(const BlockContext<RealOf<S>>& context, const TreeState<RealOf<S>>&,
                            std::byte*, Range blocks) noexcept {
  using Real = RealOf<S>;
  const PlanView& plan = context.plan;
  const BlockShared<S> shared = BlockShared<S>::in(context);
  for (std::int32_t b = blocks.begin; b < blocks.end; ++b) {
    if (begins_path(plan, b)) {
      if (context.model.body[plan.nodes[plan.blocks[b].first]].parent >= 0) continue;
      shared.frame[b] = {Mat3<Real>::identity(), Vec3<Real>::zero(), Vec3<Real>::zero()};
    } else {
      BlockFrame<Real> frame = shared.frame[b - 1];
      const PathMotion<Real>& end = shared.motion[b - 1];
      add_to_pair(frame.high, frame.low, transpose_times(frame.E, end.p));
      frame.E = end.E * frame.E;
      shared.frame[b] = frame;
    }
  }
}

/// Brings n packs to the k-th place of n arrays, k by the lane; nowhere where that is negative.
template <class S, std::size_t n>
RBD_INLINE void scatter(const S (&packs)[n], RealOf<S>* const (&arrays)[n],
                        const std::int32_t* index) {
  constexpr std::size_t width = ScalarTraits<S>::width;
  RealOf<S> lanes[n][width];
  for (std::size_t a = 0; a < n; ++a) ScalarTraits<S>::store(lanes[a], packs[a]);
  for (std::size_t l = 0; l < width; ++l) {
    const std::int32_t k = index[l];
    if (k < 0) continue;
    for (std::size_t a = 0; a < n; ++a) arrays[a][k] = lanes[a][l];
  }
}

/// The columns' axes and the origins of their runs, to where they belong.
template <class S>
RBD_INLINE void write_axes(const PackRobot<S>& robot, const TreeColumns<RealOf<S>>& columns) {
  constexpr auto width = static_cast<std::int64_t>(ScalarTraits<S>::width);
  RealOf<S>* const arrays[12] = {columns.axis[0], columns.axis[1], columns.axis[2], columns.axis[3],
                                 columns.axis[4], columns.axis[5], columns.high[0], columns.high[1],
                                 columns.high[2], columns.low[0],  columns.low[1],  columns.low[2]};
  const std::int32_t* index = robot.shared.tau_index + robot.at.v * width;
  for (std::int32_t k = 0; k < robot.model.nv; ++k, index += width) {
    const std::int32_t run = k / (robot.model.nv / robot.model.body_count) / longest_run;
    const Motion<S>& axis = robot.scratch.axis[k];
    const Vec3<S>&high = robot.scratch.high[run], &low = robot.scratch.low[run];
    const S packs[12] = {axis.w.x, axis.w.y, axis.w.z, axis.v.x, axis.v.y, axis.v.z,
                         high.x,   high.y,   high.z,   low.x,    low.y,    low.z};
    scatter(packs, arrays, index);
  }
}

template <class S>
RBD_KERNEL void axes_of_pack(const BlockContext<RealOf<S>>& context,
                             const TreeState<RealOf<S>>& state, std::byte* scratch,
                             std::int32_t p) {
  const PackRobot<S> robot = PackRobot<S>::of(context, scratch, p);
  const PlanView& plan = context.plan;
  const auto frame = from_lanes<BlockFrame, S>([&](std::size_t l) RBD_INLINE_LAMBDA -> auto& {
    return robot.shared.frame[robot.block(plan, l)];
  });
  crba_axes(robot.model, robot.crba, PackRow<S>{robot.q().data}, 0, robot.model.body_count,
            BaseAxes<S>{frame.E});
  Vec3<S> high = frame.high, low = frame.low;
  for (std::int32_t k = 0; k < robot.model.body_count; k += longest_run) {
    add_to_pair(high, low, robot.scratch.to_head[k]);
    robot.scratch.high[k / longest_run] = high;
    robot.scratch.low[k / longest_run] = low;
  }
  write_axes(robot, state.columns);
  for (std::int32_t h = 0; h < robot.pack.hanging; ++h) {
    const HangingPath& path = plan.hanging[robot.pack.first_hanging + h];
    const std::int32_t run = path.step / longest_run;
    BlockFrame<RealOf<S>>& child = robot.shared.frame[path.block];
    child = {lane_of(robot.crba.E.data[path.step], path.lane),
             lane_of(robot.scratch.high[run], path.lane),
             lane_of(robot.scratch.low[run], path.lane)};
    add_to_pair(child.high, child.low, lane_of(robot.crba.p.data[path.step], path.lane));
  }
}

template <class S>
RBD_KERNEL void axes(const BlockContext<RealOf<S>>& context, const TreeState<RealOf<S>>& state,
                     std::byte* scratch, Range packs) noexcept {
  for (std::int32_t p = packs.begin; p < packs.end; ++p) {
    axes_of_pack<S>(context, state, scratch, p);
  }
}

/// The inward pass of one pack with the forces along its columns, written to where they belong.
/// Returns the composite inertias as the bases see them.
template <class S>
RBD_KERNEL Inertia<S> write_forces(const PackRobot<S>& robot, const TreeColumns<RealOf<S>>& columns,
                                   const Inertia<S>& beyond) {
  constexpr auto width = static_cast<std::int64_t>(ScalarTraits<S>::width);
  const std::int32_t* const index = robot.shared.tau_index + robot.at.v * width;
  RealOf<S>* const arrays[7] = {columns.diagonal, columns.force[0], columns.force[1],
                                columns.force[2], columns.force[3], columns.force[4],
                                columns.force[5]};
  Inertia<S> carried = beyond;
  S diagonal;
  crba_forces(
      robot.model, robot.crba, PackRow<S>{robot.q().data}, 0, robot.model.body_count, carried,
      [&](std::int32_t i, int k, const S& product) RBD_INLINE_LAMBDA {
        diagonal = product + robot.model.armature[robot.model.body[i].column + k];
      },
      [&](std::int32_t i, int k, const Force<S>& F) RBD_INLINE_LAMBDA {
        const S packs[7] = {diagonal, F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z};
        scatter(packs, arrays, index + (robot.model.body[i].column + k) * width);
      },
      BaseAxes<S>{});
  return carried;
}

template <class S>
RBD_KERNEL void composites_of_pack(const BlockContext<RealOf<S>>& context,
                                   const TreeState<RealOf<S>>& state, std::byte* scratch,
                                   std::int32_t p) {
  const PackRobot<S> robot = PackRobot<S>::of(context, scratch, p);
  const PlanView& plan = context.plan;
  // What hangs on the bodies of the pack was done before; it is added in a fixed order.
  for (std::int32_t h = 0; h < robot.pack.hanging; ++h) {
    const HangingPath& path = plan.hanging[robot.pack.first_hanging + h];
    add_to_lane(robot.crba.Ic.data[path.step], path.lane, robot.shared.composite[path.block]);
  }
  Inertia<S> composite = Inertia<S>::zero();
  if (robot.pack.ends_paths) {
    composite = write_forces(robot, state.columns, composite);
  } else {
    const auto nothing = [](auto&&...) RBD_INLINE_LAMBDA {};
    crba_forces(robot.model, robot.crba, PackRow<S>{robot.q().data}, 0, robot.model.body_count,
                composite, nothing, nothing, BaseAxes<S>{});
  }
  to_lanes(
      composite, robot.pack.blocks, [&](std::size_t l) RBD_INLINE_LAMBDA -> auto& {
        return robot.shared.composite[robot.block(plan, l)];
      });
}

template <class S>
RBD_KERNEL void composites(const BlockContext<RealOf<S>>& context,
                           const TreeState<RealOf<S>>& state, std::byte* scratch,
                           Range packs) noexcept {
  for (std::int32_t p = packs.begin; p < packs.end; ++p) {
    composites_of_pack<S>(context, state, scratch, p);
  }
}

/// One block after the other, from the ends of the paths inward.
template <class S>
RBD_KERNEL void composite_seams(const BlockContext<RealOf<S>>& context, const TreeState<RealOf<S>>&,
                                std::byte*, Range blocks) noexcept {
  using Real = RealOf<S>;
  const BlockShared<S> shared = BlockShared<S>::in(context);
  for (std::int32_t b = blocks.end - 1; b >= blocks.begin; --b) {
    shared.beyond[b] = Inertia<Real>::zero();
    if (context.plan.blocks[b].ends_path) continue;
    const PathMotion<Real>& end = shared.motion[b];
    shared.beyond[b] = shared.composite[b + 1];
    shared.composite[b] += apply_inverse(Transform<Real>{end.E, end.p}, shared.beyond[b]);
  }
}

template <class S>
RBD_KERNEL void forces(const BlockContext<RealOf<S>>& context, const TreeState<RealOf<S>>& state,
                       std::byte* scratch, Range packs) noexcept {
  for (std::int32_t p = packs.begin; p < packs.end; ++p) {
    if (context.plan.packs[p].ends_paths) continue;
    const PackRobot<S> robot = PackRobot<S>::of(context, scratch, p);
    const auto beyond = from_lanes<Inertia, S>([&](std::size_t l) RBD_INLINE_LAMBDA -> auto& {
      return robot.shared.beyond[robot.block(context.plan, l)];
    });
    write_forces(robot, state.columns, beyond);
  }
}

}  // namespace rbd_parallel_core
