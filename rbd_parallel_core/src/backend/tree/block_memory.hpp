// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "block_table.hpp"
#include "rbd_parallel_core/algorithm/arena.hpp"
#include "rbd_parallel_core/algorithm/crba.hpp"
#include "rbd_parallel_core/algorithm/path_motion.hpp"
#include "rbd_parallel_core/algorithm/two_port.hpp"

/// Where the phases of BlockTable keep their numbers: for all of a tree, for the packs of a group,
/// and for the pack that is being worked on.
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
    Arena<64> arena{memory};
    arena.cut(body, steps);
    arena.cut(armature, nv);
    arena.cut(damping, nv);
    arena.cut(friction, nv);
    arena.cut(rigid_armature, nv);
    arena.cut(taint, packs);
    arena.cut(base, blocks);
    arena.cut(motion, blocks);
    arena.cut(turn, blocks);
    arena.cut(top, blocks);
    arena.cut(tip, blocks);
    arena.cut(port, blocks);
    arena.cut(end, blocks);
    arena.cut(singular, blocks);
    arena.cut(frame, blocks);
    arena.cut(composite, blocks);
    arena.cut(beyond, blocks);
    arena.cut(q_index, nq * width);
    arena.cut(v_index, nv * width);
    arena.cut(tau_index, nv * width);
    arena.cut(body_index, steps * width);
    return arena.used;
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
    Arena<64> arena{memory};
    arena.cut(q, nq);
    arena.cut(v, nv);
    arena.cut(a, nv);
    arena.cut(sine, steps + packs * turns_after_pack<S>);
    arena.cut(cosine, steps + packs * turns_after_pack<S>);
    Arena<64> of_columns = arena;
    arena.cut(f, steps);
    arena.cut(c, steps);
    arena.cut(eliminated, nv);
    arena.cut(y, nv);
    of_columns.cut(E, steps);
    of_columns.cut(p, steps);
    of_columns.cut(Ic, steps);
    return of_columns.used < arena.used ? arena.used : of_columns.used;
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
    Arena<> arena{memory};
    arena.cut(angle, steps + turns_after_pack<S>);
    arena.cut(w, steps);
    arena.cut(a, steps);
    arena.cut(K, steps);
    arena.cut(IA, steps);
    arena.cut(tau, 6 * steps);
    arena.cut(to_head, steps);
    arena.cut(high, steps);
    arena.cut(low, steps);
    arena.cut(axis, 6 * steps);
    return arena.used;
  }
};

}  // namespace rbd_parallel_core
