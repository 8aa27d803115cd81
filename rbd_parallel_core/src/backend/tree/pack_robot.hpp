// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "block_memory.hpp"

/// A pack of blocks as the algorithms see it: a robot like any other, a chain whose numbers happen
/// to be packs.
namespace rbd_parallel_core {

/// One pack as a robot, its state, and where it is worked on.
template <class S>
struct PackRobot {
  using Real = RealOf<S>;

  BlockPack pack;
  ModelView<S> model;
  RneaWorkspace<S, Column> ws;
  AbaWorkspace<S, Column> aba;
  CrbaWorkspace<S, Column> crba;
  BlockShared<S> shared;
  BlockWork<S> work;
  BlockScratch<S> scratch;
  PackOffsets at;       ///< its coordinates among those of all packs
  PackOffsets in_work;  ///< the same in `work`

  static RBD_INLINE PackRobot of(const BlockContext<Real>& context, std::byte* memory,
                                 std::int32_t p) {
    PackRobot robot;
    robot.pack = context.plan.packs[p];
    robot.shared = BlockShared<S>::in(context);
    robot.scratch =
        BlockScratch<S>::in(memory, static_cast<std::size_t>(context.plan.longest_pack));
    robot.work = BlockWork<S>::in(context.work);
    robot.at = context.offsets[p];
    robot.in_work = {robot.at.q - context.work.first.q, robot.at.v - context.work.first.v};
    const std::int32_t first = robot.pack.first_step, n = robot.pack.length;
    const std::int32_t step = first - context.work.first_step;
    const auto type = static_cast<JointType>(robot.pack.kind);
    robot.model = {};
    robot.model.body_count = n;
    robot.model.nq = n * nq_of(type);
    robot.model.nv = n * nv_of(type);
    robot.model.column_count = robot.model.nv;
    robot.model.body = robot.shared.body + first;
    robot.model.armature = robot.shared.armature + robot.at.v;
    robot.model.damping = robot.shared.damping + robot.at.v;
    robot.model.friction = robot.shared.friction + robot.at.v;
    const std::int32_t turns = step + (p - context.work.first_pack) * turns_after_pack<S>;
    robot.ws.turns = {
        {robot.scratch.angle}, {robot.work.sine + turns}, {robot.work.cosine + turns}};
    robot.ws.w = {robot.scratch.w};
    robot.ws.a = {robot.scratch.a};
    robot.ws.K = {robot.scratch.K};
    robot.ws.f = {robot.work.f + step};
    robot.aba.turns = robot.ws.turns;
    robot.aba.w = robot.ws.w;
    robot.aba.c = {robot.work.c + step};
    robot.aba.pA = robot.ws.f;
    robot.aba.IA = {robot.scratch.IA};
    robot.aba.eliminated = {robot.work.eliminated + robot.in_work.v};
    robot.crba.turns = robot.ws.turns;
    robot.crba.E = {robot.work.E + step};
    robot.crba.p = {robot.work.p + step};
    robot.crba.to_head = {robot.scratch.to_head};
    robot.crba.Ic = {robot.work.Ic + step};
    robot.crba.axis = {robot.scratch.axis};
    return robot;
  }
  /// The same for aba, to which empty steps are rigid.
  static RBD_INLINE PackRobot rigid(const BlockContext<Real>& context, std::byte* memory,
                                    std::int32_t p) {
    PackRobot robot = of(context, memory, p);
    robot.model.armature = robot.shared.rigid_armature + robot.at.v;
    return robot;
  }

  RBD_INLINE Column<S> q() const { return {work.q + in_work.q}; }
  RBD_INLINE Column<S> v() const { return {work.v + in_work.v}; }
  RBD_INLINE Column<S> a() const { return {work.a + in_work.v}; }
  RBD_INLINE std::int32_t block(const PlanView& plan, std::size_t lane) const {
    return plan.lanes[static_cast<std::size_t>(pack.first_lane) + lane];
  }
};

/// Reads what lies in memory as packs.
template <class S>
struct PackRow {
  const S* data;
  RBD_INLINE const S& operator()(std::int32_t k) const { return data[k]; }
};

/// Calls visit(v, a) with what reads the rates of a pack. Where both are zero, their terms are left
/// out of what is compiled. Where one of them is, it is read as zeros: to leave out accelerations
/// alone would spare one addition a coordinate, and every pass would be compiled once more.
template <class S, class Visit>
RBD_INLINE void with_pack_rates(const PackRobot<S>& robot, const TreeState<RealOf<S>>& state,
                                const Visit& visit) {
  if (state.v != nullptr || state.a != nullptr) {
    visit(PackRow<S>{robot.v().data}, PackRow<S>{robot.a().data});
  } else {
    visit(Zeros<S>{}, Zeros<S>{});
  }
}

}  // namespace rbd_parallel_core
