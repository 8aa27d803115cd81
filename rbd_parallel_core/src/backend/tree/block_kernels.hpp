// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "block_table.hpp"
#include "lanes.hpp"
#include "number_pair.hpp"
#include "rbd_parallel_core/algorithm/crba.hpp"
#include "rbd_parallel_core/algorithm/path_motion.hpp"
#include "rbd_parallel_core/algorithm/two_port.hpp"

/// The phases of BlockTable: blocks of one tree side by side in the lanes of a pack. A pack of
/// blocks is to the algorithms a robot like any other, a chain whose numbers happen to be packs; so
/// their text is that of one robot (rnea.hpp). Included by the files that are compiled once for
/// each instruction set; everything is local to them (RBD_KERNEL).
namespace rbd_parallel_core {

/// Where the base of a block is.
template <class S>
struct BlockFrame {
  Mat3<S> E;          ///< world axes to its own
  Vec3<S> high, low;  ///< its origin in the world, the sum of both
};

/// Sines and cosines of a pack are followed by so many that mean nothing: of plain numbers
/// sincos_all works on several at a time, and what belongs to the next pack may be in use.
template <class S>
inline constexpr std::int32_t turns_after_pack = ScalarTraits<S>::width == 1 ? turns_padding : 0;

/// All that the phases keep from one to the next, in one block of memory.
template <class S>
struct BlockShared {
  using Real = RealOf<S>;

  // Packs, by step or coordinate.
  BodyView<S>* body;
  S *armature, *damping, *friction;
  S* rigid_armature;  ///< so large on empty steps that nothing moves there
  S* taint;           ///< per pack
  // Numbers, by block.
  MovingBase<Real>* base;    ///< how its base moves
  PathMotion<Real>* motion;  ///< how its end moves relative to that
  PathTurn<Real>* turn;      ///< the same for forward dynamics
  Force<Real>* top;          ///< that it exerts on its base
  Force<Real>* tip;          ///< that it exerts on the next block of the path
  TwoPort<Real>* port;       ///< it alone; after close_paths M and m with all that hangs on its end
  EndMotion<Real>* end;      ///< after close_paths
  std::int32_t* singular;    ///< coordinate, or -1
  BlockFrame<Real>* frame;   ///< of its base
  Inertia<Real>* composite;  ///< as its base sees it; after composite_seams with all beyond its end
  Inertia<Real>* beyond;     ///< composite inertia of the next block of the path, zero if none is
  // Where the numbers of the lanes come from and go to.
  std::int32_t *q_index, *v_index;  ///< per coordinate and lane
  std::int32_t* tau_index;          ///< the same, -1 where the lane has nothing of its own
  std::int32_t* body_index;         ///< per step and lane, -1 likewise

  static RBD_INLINE std::size_t bytes(const BlockContext<Real>& context) {
    BlockShared unused;
    return unused.lay_out(nullptr, context);
  }
  static RBD_INLINE BlockShared in(const BlockContext<Real>& context) {
    BlockShared shared;
    shared.lay_out(context.shared, context);
    return shared;
  }

 private:
  RBD_INLINE std::size_t lay_out(std::byte* memory, const BlockContext<Real>& context) {
    constexpr std::size_t width = ScalarTraits<S>::width;
    const PlanView& plan = context.plan;
    const auto steps = static_cast<std::size_t>(plan.step_count);
    const auto packs = static_cast<std::size_t>(plan.pack_count);
    const auto blocks = static_cast<std::size_t>(plan.block_count);
    const auto nq = static_cast<std::size_t>(context.offsets[packs].q);
    const auto nv = static_cast<std::size_t>(context.offsets[packs].v);
    std::size_t used = 0;
    const auto cut = [&]<class T>(T*& piece, std::size_t count) RBD_INLINE_LAMBDA {
      piece = memory == nullptr ? nullptr : reinterpret_cast<T*>(memory + used);
      used += (count * sizeof(T) + 63) / 64 * 64;
    };
    cut(body, steps);
    cut(armature, nv);
    cut(damping, nv);
    cut(friction, nv);
    cut(rigid_armature, nv);
    cut(taint, packs);
    cut(base, blocks);
    cut(motion, blocks);
    cut(turn, blocks);
    cut(top, blocks);
    cut(tip, blocks);
    cut(port, blocks);
    cut(end, blocks);
    cut(singular, blocks);
    cut(frame, blocks);
    cut(composite, blocks);
    cut(beyond, blocks);
    cut(q_index, nq * width);
    cut(v_index, nv * width);
    cut(tau_index, nv * width);
    cut(body_index, steps * width);
    return used;
  }
};

/// What the phases keep of each step from one to the next, in a WorkArea.
template <class S>
struct BlockWork {
  S *q, *v, *a;  ///< the state in lanes
  S *sine, *cosine;
  // Dynamics.
  Force<S>* f;                          ///< forces, or bias forces
  Motion<S>* c;                         ///< velocity products, then accelerations
  EliminatedCoordinate<S>* eliminated;  ///< per coordinate
  Motion<S>* y;                         ///< per coordinate: OpenEnd::y_over_D
  // The same memory again, for the columns of the mass matrix: as in CrbaWorkspace.
  Mat3<S>* E;
  Vec3<S>* p;
  Inertia<S>* Ic;

  static RBD_INLINE std::size_t bytes(const WorkArea& area) {
    BlockWork unused;
    return unused.lay_out(nullptr, area);
  }
  static RBD_INLINE BlockWork in(const WorkArea& area) {
    BlockWork work;
    work.lay_out(area.memory, area);
    return work;
  }

 private:
  RBD_INLINE std::size_t lay_out(std::byte* memory, const WorkArea& area) {
    const auto packs = static_cast<std::size_t>(area.packs);
    const auto steps = static_cast<std::size_t>(area.steps);
    const auto nq = static_cast<std::size_t>(area.size.q);
    const auto nv = static_cast<std::size_t>(area.size.v);
    std::size_t used = 0;
    const auto cut = [&]<class T>(T*& piece, std::size_t count) RBD_INLINE_LAMBDA {
      piece = memory == nullptr ? nullptr : reinterpret_cast<T*>(memory + used);
      used += (count * sizeof(T) + 63) / 64 * 64;
    };
    cut(q, nq);
    cut(v, nv);
    cut(a, nv);
    cut(sine, steps + packs * turns_after_pack<S>);
    cut(cosine, steps + packs * turns_after_pack<S>);
    const std::size_t begin = used;
    cut(f, steps);
    cut(c, steps);
    cut(eliminated, nv);
    cut(y, nv);
    const std::size_t end_of_dynamics = used;
    used = begin;
    cut(E, steps);
    cut(p, steps);
    cut(Ic, steps);
    return used < end_of_dynamics ? end_of_dynamics : used;
  }
};

/// What a phase needs while it works on one pack.
template <class S>
struct BlockScratch {
  S* angle;
  Vec3<S>* w;
  Motion<S>* a;
  Mat3<S>* K;
  ArticulatedInertia<S>* IA;
  S* tau;
  Vec3<S>* to_head;
  Vec3<S>*high, *low;  ///< per run: its origin, the sum of both
  Motion<S>* axis;

  static RBD_INLINE std::size_t bytes(std::size_t steps) {
    BlockScratch unused;
    return unused.lay_out(nullptr, steps);
  }
  static RBD_INLINE BlockScratch in(std::byte* memory, std::size_t steps) {
    BlockScratch scratch;
    scratch.lay_out(memory, steps);
    return scratch;
  }

 private:
  RBD_INLINE std::size_t lay_out(std::byte* memory, std::size_t steps) {
    std::size_t used = 0;
    const auto cut = [&]<class T>(T*& piece, std::size_t count) RBD_INLINE_LAMBDA {
      piece = memory == nullptr ? nullptr : reinterpret_cast<T*>(memory + used);
      used += count * sizeof(T);
    };
    cut(angle, steps + turns_after_pack<S>);
    cut(w, steps);
    cut(a, steps);
    cut(K, steps);
    cut(IA, steps);
    cut(tau, 6 * steps);
    cut(to_head, steps);
    cut(high, steps);
    cut(low, steps);
    cut(axis, 6 * steps);
    return used;
  }
};

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

/// Calls visit(v, a) with what reads the rates of a pack. Where both or the accelerations are zero,
/// their terms are left out of what is compiled; that velocities alone are zero is rare and they
/// are read as such.
template <class S, class Visit>
RBD_INLINE void with_pack_rates(const PackRobot<S>& robot, const TreeState<RealOf<S>>& state,
                                const Visit& visit) {
  if (state.a != nullptr) {
    visit(PackRow<S>{robot.v().data}, PackRow<S>{robot.a().data});
  } else if (state.v != nullptr) {
    visit(PackRow<S>{robot.v().data}, Zeros<S>{});
  } else {
    visit(Zeros<S>{}, Zeros<S>{});
  }
}

// ---- once ---------------------------------------------------------------------------------------

/// The step that a shorter block fills up with: no mass, no motion, the same frame as before.
template <class Real>
RBD_INLINE BodyView<Real> empty_step() {
  BodyView<Real> body{};
  body.placement = Transform<Real>::identity();
  body.inertia = Inertia<Real>::zero();
  body.dh_cos = Real(1);
  body.form = PlacementForm::dh_parallel;
  return body;
}

/// Inertia beyond all that a robot has, and far from overflow when multiplied by a few numbers.
template <class Real>
inline constexpr Real immovable = sizeof(Real) == 4 ? Real(1e30) : Real(1e200);

/// The form that both have: their own where it is the same, else the next more general one.
RBD_INLINE PlacementForm common_form(PlacementForm a, PlacementForm b) {
  if (a == b) return a;
  const bool general = a == PlacementForm::general || b == PlacementForm::general;
  return general ? PlacementForm::general : PlacementForm::dh;
}

/// Puts the numbers of a body into a lane of its step.
template <class S>
RBD_INLINE void set_body_lane(BodyView<S>& step, std::int32_t lane,
                              const BodyView<RealOf<S>>& body) {
  set_lane(step.placement, lane, body.placement);
  set_lane(step.inertia, lane, body.inertia);
  store_lane<S>(&step.dh_cos, 0, lane, body.dh_cos);
  store_lane<S>(&step.dh_sin, 0, lane, body.dh_sin);
  store_lane<S>(&step.dh_a, 0, lane, body.dh_a);
  store_lane<S>(&step.angle, 0, lane, body.angle);
  store_lane<S>(&step.shift, 0, lane, body.shift);
  store_lane<S>(&step.pitch, 0, lane, body.pitch);
  store_lane<S>(&step.multiplier, 0, lane, body.multiplier);
  store_lane<S>(&step.offset, 0, lane, body.offset);
  store_lane<S>(&step.lever2, 0, lane, body.lever2);
}

template <class S>
RBD_KERNEL void prepare_pack(const BlockContext<RealOf<S>>& context, std::int32_t p) {
  using Real = RealOf<S>;
  constexpr auto width = static_cast<std::int32_t>(ScalarTraits<S>::width);
  const ModelView<Real>& model = context.model;
  const PlanView& plan = context.plan;
  const BlockPack& pack = plan.packs[p];
  const BlockShared<S> shared = BlockShared<S>::in(context);
  const auto type = static_cast<JointType>(pack.kind);
  const std::int32_t nq = nq_of(type), nv = nv_of(type);
  for (std::int32_t k = 0; k < pack.length; ++k) {
    BodyView<S>& step = shared.body[pack.first_step + k];
    step.type = type;
    step.parent = k - 1;
    step.head = k - k % longest_run;
    step.column = step.v_index = k * nv;
    step.q_index = k * nq;
    step.next_is_child = true;  // the last one too: the force at the tip comes from there
    step.has_more_children = false;
    for (std::int32_t l = 0; l < width; ++l) {
      const Block& block = plan.blocks[plan.lanes[pack.first_lane + l]];
      const bool empty = k >= block.length;
      // An empty step reads coordinates too, and multiplies them by zero.
      const std::int32_t i = plan.nodes[block.first + (empty ? 0 : k)];
      const BodyView<Real> body = empty ? empty_step<Real>() : model.body[i];
      step.form = l == 0 ? body.form : common_form(step.form, body.form);
      set_body_lane(step, l, body);
      const bool own = !empty && l < pack.blocks;
      shared.body_index[(pack.first_step + k) * width + l] = own ? i : -1;
      for (std::int32_t c = 0; c < nq; ++c) {
        shared.q_index[(context.offsets[p].q + step.q_index + c) * width + l] =
            model.body[i].q_index + c;
      }
      for (std::int32_t c = 0; c < nv; ++c) {
        const std::int64_t at = context.offsets[p].v + step.v_index + c;
        const std::int32_t dof = model.body[i].v_index + c;
        shared.v_index[at * width + l] = dof;
        shared.tau_index[at * width + l] = own ? dof : -1;
        store_lane<S>(shared.armature + at, 0, l, empty ? Real(0) : model.armature[dof]);
        store_lane<S>(shared.rigid_armature + at, 0, l,
                      empty ? immovable<Real> : model.armature[dof]);
        store_lane<S>(shared.damping + at, 0, l, empty ? Real(0) : model.damping[dof]);
        store_lane<S>(shared.friction + at, 0, l, empty ? Real(0) : model.friction[dof]);
      }
    }
  }
}

template <class S>
RBD_KERNEL void prepare_blocks(const BlockContext<RealOf<S>>& context) {
  const PlanView& plan = context.plan;
  const BlockShared<S> shared = BlockShared<S>::in(context);
  for (std::int32_t p = 0; p < plan.pack_count; ++p) {
    prepare_pack<S>(context, p);
    const BlockPack& pack = plan.packs[p];
    for (std::int32_t h = 0; h < pack.hanging; ++h) {
      const HangingPath& path = plan.hanging[pack.first_hanging + h];
      shared.body[pack.first_step + path.step].has_more_children = true;
    }
  }
}

// ---- outward ------------------------------------------------------------------------------------

/// Brings n coordinates of each lane to where the lanes of a pack lie. Returns NaN if one is not
/// finite.
template <class S>
RBD_INLINE S gather_coordinates(const RealOf<S>* numbers, const std::int32_t* index, std::int32_t n,
                                S* out) {
  using Real = RealOf<S>;
  constexpr std::size_t width = ScalarTraits<S>::width;
  S taint(Real(0));
  for (std::int32_t k = 0; k < n; ++k) {
    Real lanes[width];
    for (std::size_t l = 0; l < width; ++l) {
      lanes[l] = numbers[index[static_cast<std::size_t>(k) * width + l]];
    }
    out[k] = ScalarTraits<S>::load(lanes);
    taint = mul_add(S(Real(0)), out[k], taint);
  }
  return taint;
}

/// Has the bodies of the next pack brought into the cache, where packs are short: their numbers lie
/// so far apart that the machine does not foresee it.
template <class S>
RBD_INLINE void prefetch_next(const BlockContext<RealOf<S>>& context, const PackRobot<S>& robot,
                              std::int32_t p) {
  constexpr std::int32_t longest = 8;
  if (!context.large || p + 1 >= context.plan.pack_count) return;
  const BlockPack& next = context.plan.packs[p + 1];
  if (next.length > longest) return;
  const auto* bodies = reinterpret_cast<const std::byte*>(robot.shared.body + next.first_step);
  const std::size_t bytes = static_cast<std::size_t>(next.length) * sizeof(BodyView<S>);
  for (std::size_t at = 0; at < bytes; at += 64) __builtin_prefetch(bodies + at, 0, 2);
}

/// Brings the positions of a pack to its lanes, with sines and cosines. Returns as
/// gather_coordinates.
template <class S>
RBD_INLINE S read_positions_of(const PackRobot<S>& robot, const RealOf<S>* q) {
  constexpr auto width = static_cast<std::int64_t>(ScalarTraits<S>::width);
  const std::int32_t* index = robot.shared.q_index + robot.at.q * width;
  const S taint = gather_coordinates<S>(q, index, robot.model.nq, robot.q().data);
  compute_turns(robot.model, robot.ws.turns, PackRow<S>{robot.q().data});
  return taint;
}

template <class S>
RBD_KERNEL void read_pack(const BlockContext<RealOf<S>>& context, const TreeState<RealOf<S>>& state,
                          std::byte* scratch, std::int32_t p) {
  using Real = RealOf<S>;
  constexpr std::size_t width = ScalarTraits<S>::width;
  const PackRobot<S> robot = PackRobot<S>::of(context, scratch, p);
  const BlockShared<S>& shared = robot.shared;
  const std::int32_t* v_index = shared.v_index + robot.at.v * static_cast<std::int64_t>(width);
  prefetch_next(context, robot, p);
  S taint = read_positions_of(robot, state.q);
  if (state.v != nullptr) {
    taint = taint + gather_coordinates<S>(state.v, v_index, robot.model.nv, robot.v().data);
  } else if (state.a != nullptr) {
    for (std::int32_t k = 0; k < robot.model.nv; ++k) robot.v().data[k] = S(Real(0));
  }
  if (state.a != nullptr) {
    taint = taint + gather_coordinates<S>(state.a, v_index, robot.model.nv, robot.a().data);
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

RBD_INLINE bool begins_path(const PlanView& plan, std::int32_t b) {
  return b == 0 || plan.blocks[b - 1].ends_path;
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

/// f -= f_ext for the bodies of a pack.
template <class S>
RBD_INLINE void subtract_external_forces(const PackRobot<S>& robot, const Force<RealOf<S>>* f_ext) {
  constexpr auto width = static_cast<std::int32_t>(ScalarTraits<S>::width);
  for (std::int32_t k = 0; k < robot.model.body_count; ++k) {
    for (std::int32_t l = 0; l < robot.pack.blocks; ++l) {
      const std::int32_t i = robot.shared.body_index[(robot.pack.first_step + k) * width + l];
      if (i >= 0) add_to_lane(robot.ws.f.data[k], l, RealOf<S>(-1) * f_ext[i]);
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
    using A = std::remove_cvref_t<decltype(a)>;
    rnea_outward(robot.model, robot.ws, q, v, a, NoForces{}, base);
    for (std::int32_t h = 0; h < robot.pack.hanging; ++h) {
      const HangingPath& path = plan.hanging[robot.pack.first_hanging + h];
      MovingBase<RealOf<S>>& child = shared.base[path.block];
      child.w = Vec3<RealOf<S>>::zero();
      if constexpr (!is_zero<V>) child.w = lane_of(robot.ws.w.data[path.step], path.lane);
      child.a = lane_of(robot.ws.a.data[path.step], path.lane);
      if constexpr (is_zero<V> && is_zero<A>) child.a.w = Vec3<RealOf<S>>::zero();
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

// ---- inward -------------------------------------------------------------------------------------

/// Brings the results of a pack to where they belong, and looks whether they are finite.
template <class S>
RBD_INLINE void write_results(const PackRobot<S>& robot, const OutRow<S>& results, RealOf<S>* out,
                              std::int32_t p) {
  using Real = RealOf<S>;
  constexpr std::size_t width = ScalarTraits<S>::width;
  S taint = robot.shared.taint[p];
  const std::int32_t* index =
      robot.shared.tau_index + robot.at.v * static_cast<std::int64_t>(width);
  for (std::int32_t k = 0; k < robot.model.nv; ++k) {
    taint = mul_add(S(Real(0)), results.load(k), taint);
    for (std::size_t l = 0; l < width; ++l) {
      const std::int32_t at = index[static_cast<std::size_t>(k) * width + l];
      if (at >= 0) out[at] = results.data[static_cast<std::size_t>(k) * width + l];
    }
  }
  robot.shared.taint[p] = taint;
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

// ---- forward dynamics ---------------------------------------------------------------------------

/// Calls visit(v) with what reads the velocities of a pack.
template <class S, class Visit>
RBD_INLINE void with_pack_velocities(const PackRobot<S>& robot, const TreeState<RealOf<S>>& state,
                                     const Visit& visit) {
  if (state.v != nullptr) {
    visit(PackRow<S>{robot.v().data});
  } else {
    visit(Zeros<S>{});
  }
}

template <class S>
RBD_KERNEL void read_forward_pack(const BlockContext<RealOf<S>>& context,
                                  const TreeState<RealOf<S>>& state, std::byte* scratch,
                                  std::int32_t p) {
  using Real = RealOf<S>;
  constexpr std::size_t width = ScalarTraits<S>::width;
  const PackRobot<S> robot = PackRobot<S>::of(context, scratch, p);
  const BlockShared<S>& shared = robot.shared;
  const std::int32_t* v_index = shared.v_index + robot.at.v * static_cast<std::int64_t>(width);
  prefetch_next(context, robot, p);
  S taint = read_positions_of(robot, state.q);
  if (state.v != nullptr) {
    taint = taint + gather_coordinates<S>(state.v, v_index, robot.model.nv, robot.v().data);
  }
  if (state.a != nullptr) {
    taint = taint + gather_coordinates<S>(state.a, v_index, robot.model.nv, robot.a().data);
  } else {
    for (std::int32_t k = 0; k < robot.model.nv; ++k) robot.a().data[k] = S(Real(0));
  }
  shared.taint[p] = taint;
  const PackRow<S> q{robot.q().data};
  if (robot.pack.ends_paths || state.v == nullptr) return;
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
RBD_KERNEL void velocity_seams(const BlockContext<RealOf<S>>& context,
                               const TreeState<RealOf<S>>& state, std::byte*,
                               Range blocks) noexcept {
  using Real = RealOf<S>;
  const PlanView& plan = context.plan;
  const BlockShared<S> shared = BlockShared<S>::in(context);
  for (std::int32_t b = blocks.begin; b < blocks.end; ++b) {
    if (begins_path(plan, b)) {
      const bool on_world = context.model.body[plan.nodes[plan.blocks[b].first]].parent < 0;
      if (on_world) shared.base[b].w = Vec3<Real>::zero();
    } else if (state.v != nullptr) {
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
  with_pack_velocities(robot, state, [&](const auto& v) RBD_INLINE_LAMBDA {
    aba_velocities(robot.model, robot.aba, PackRow<S>{robot.q().data}, v, NoForces{}, base);
    if constexpr (!is_zero<std::remove_cvref_t<decltype(v)>>) {
      for (std::int32_t h = 0; h < robot.pack.hanging; ++h) {
        const HangingPath& path = plan.hanging[robot.pack.first_hanging + h];
        robot.shared.base[path.block].w = lane_of(robot.aba.w.data[path.step], path.lane);
      }
    }
  });
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
  with_pack_velocities(robot, state, [&](const auto& v) RBD_INLINE_LAMBDA {
    const PackRow<S> q{robot.q().data}, tau{robot.a().data};
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
  });
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
  const PackRow<S> q{robot.q().data};
  with_pack_velocities(robot, state, [&](const auto& v) RBD_INLINE_LAMBDA {
    if (robot.pack.ends_paths) {
      aba_accelerations(robot.model, robot.aba, q, v, base, NoForces{}, qdd);
      return;
    }
    const auto tip = from_lanes<Force, S>([&](std::size_t l) RBD_INLINE_LAMBDA -> auto& {
      return shared.tip[robot.block(plan, l)];
    });
    const Motion<S>* y = robot.work.y + robot.in_work.v;
    aba_accelerations(
        robot.model, robot.aba, q, v, base,
        [&](std::int32_t at) RBD_INLINE_LAMBDA { return dot(y[at], tip); }, qdd);
  });
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

// ---- columns of the mass matrix -----------------------------------------------------------------

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
RBD_INLINE Inertia<S> write_forces(const PackRobot<S>& robot, const TreeColumns<RealOf<S>>& columns,
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

// ---- the table ----------------------------------------------------------------------------------

template <class S>
RBD_KERNEL RealOf<S> taint_of_packs(const BlockContext<RealOf<S>>& context) noexcept {
  using Real = RealOf<S>;
  const BlockShared<S> shared = BlockShared<S>::in(context);
  S sum(Real(0));
  for (std::int32_t p = 0; p < context.plan.pack_count; ++p) sum = sum + shared.taint[p];
  Real lanes[ScalarTraits<S>::width], total = 0;
  ScalarTraits<S>::store(lanes, sum);
  for (const Real lane : lanes) total = total + lane;
  return total;
}

template <class S>
RBD_KERNEL std::size_t shared_bytes(const BlockContext<RealOf<S>>& context) {
  return BlockShared<S>::bytes(context);
}

template <class S>
RBD_KERNEL std::size_t work_bytes(const WorkArea& area) {
  return BlockWork<S>::bytes(area);
}

template <class S>
RBD_KERNEL std::size_t scratch_bytes(const BlockContext<RealOf<S>>& context) {
  return BlockScratch<S>::bytes(static_cast<std::size_t>(context.plan.longest_pack));
}

template <class S, class End = OpenEnd<S, Column>>
RBD_KERNEL constexpr BlockTable<RealOf<S>> block_kernels() {
  return {static_cast<std::int32_t>(ScalarTraits<S>::width),
          &shared_bytes<S>,
          &work_bytes<S>,
          &scratch_bytes<S>,
          &prepare_blocks<S>,
          &read_state<S>,
          &outward_seams<S>,
          &outward<S>,
          &inward<S>,
          &inward_seams<S>,
          &torques<S>,
          &read_forward<S>,
          &velocity_seams<S>,
          &velocities<S>,
          &articulate<S, End>,
          &close_paths<S>,
          &acceleration_seams<S>,
          &accelerations<S>,
          &read_positions<S>,
          &frame_seams<S>,
          &axes<S>,
          &composites<S>,
          &composite_seams<S>,
          &forces<S>,
          &taint_of_packs<S>,
          &first_singular<S>};
}

}  // namespace rbd_parallel_core
