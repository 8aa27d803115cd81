// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "block_launch.hpp"
#include "tree/block_kernels.hpp"

/// The kernels of dynamics by blocks: the phases of BlockTable on plain numbers, where a pack is
/// one block. A launch takes one phase of one level (docs/gpu.md).
namespace rbd_parallel_core {

// The text asks for two things that a CUDA thread does in its own way; these are found in the place
// of those for the lanes and caches of a CPU.

/// Sines and cosines, one after the other.
template <class Real>
RBD_KERNEL void compute_turns(const ModelView<Real>& model, JointTurns<Real, Column> turns,
                              PackRow<Real> q) {
  compute_angles(model, turns, q, 0, model.body_count);
  for (std::int32_t i = 0; i < model.body_count; ++i) {
    ScalarTraits<Real>::sincos(turns.angle.load(i), turns.sine.data[i], turns.cosine.data[i]);
  }
}
/// Nothing: other threads work while one waits for memory.
template <class S>
requires(ScalarTraits<S>::width == 1) RBD_INLINE
    void prefetch_next(const BlockContext<RealOf<S>>&, const PackRobot<S>&, std::int32_t) {}

/// A block has few threads, so that the packs of a level find many multiprocessors.
inline constexpr std::int32_t threads_of_phase = 32;

/// Where the scratch memory of a pack begins, if every pack has its own, as long as its steps.
template <class Real>
RBD_INLINE std::size_t scratch_before_pack(std::int32_t pack, std::int32_t first_step) {
  const std::size_t of_none = BlockScratch<Real>::bytes(0);
  const std::size_t steps = BlockScratch<Real>::bytes(static_cast<std::size_t>(first_step));
  return steps - of_none + static_cast<std::size_t>(pack) * of_none;
}

/// Phase on packs, a thread each.
template <class Real, class Phase>
struct PacksBody {
  static constexpr int phases = 1;
  BlockLaunch<Real> all;
  Range packs;

  LaunchShape shape() const { return one_thread_each(packs.end - packs.begin, threads_of_phase); }
  template <int>
  RBD_HD void run(const ThreadIndex& at, std::byte*) const {
    if (at.global() >= packs.end - packs.begin) return;
    const std::int32_t p = packs.begin + static_cast<std::int32_t>(at.global());
    const BlockPack& pack = all.context.plan.packs[p];
    BlockContext<Real> own = all.context;
    own.plan.longest_pack = pack.length;  // that its scratch memory has room for
    std::byte* const scratch = all.scratch + scratch_before_pack<Real>(p, pack.first_step);
    Phase::template run<Real>(own, all.state, scratch, {p, p + 1});
  }
};

/// Phase on the blocks of paths, one block after the other, a thread for each path.
template <class Real, class Phase>
struct PathsBody {
  static constexpr int phases = 1;
  BlockLaunch<Real> all;
  Range paths;

  LaunchShape shape() const { return one_thread_each(paths.end - paths.begin, threads_of_phase); }
  template <int>
  RBD_HD void run(const ThreadIndex& at, std::byte*) const {
    if (at.global() >= paths.end - paths.begin) return;
    const std::int64_t path = paths.begin + at.global();
    Phase::template run<Real>(all.context, all.state, nullptr,
                              {all.paths[path], all.paths[path + 1]});
  }
};

/// A type for each phase, to make a body of.
#define RBD_BLOCK_PHASE(Name, phase)                                                            \
  struct Name {                                                                                 \
    template <class Real>                                                                       \
    static RBD_INLINE void run(const BlockContext<Real>& context, const TreeState<Real>& state, \
                               std::byte* scratch, Range range) {                               \
      phase<Real>(context, state, scratch, range);                                              \
    }                                                                                           \
  }
RBD_BLOCK_PHASE(ReadState, read_state);
RBD_BLOCK_PHASE(OutwardSeams, outward_seams);
RBD_BLOCK_PHASE(Outward, outward);
RBD_BLOCK_PHASE(Inward, inward);
RBD_BLOCK_PHASE(InwardSeams, inward_seams);
RBD_BLOCK_PHASE(Torques, torques);
RBD_BLOCK_PHASE(ReadForward, read_forward);
RBD_BLOCK_PHASE(VelocitySeams, velocity_seams);
RBD_BLOCK_PHASE(Velocities, velocities);
RBD_BLOCK_PHASE(Articulate, articulate);
RBD_BLOCK_PHASE(ClosePaths, close_paths);
RBD_BLOCK_PHASE(AccelerationSeams, acceleration_seams);
RBD_BLOCK_PHASE(Accelerations, accelerations);
RBD_BLOCK_PHASE(ReadPositions, read_positions);
RBD_BLOCK_PHASE(FrameSeams, frame_seams);
RBD_BLOCK_PHASE(ColumnAxes, axes);
RBD_BLOCK_PHASE(Composites, composites);
RBD_BLOCK_PHASE(CompositeSeams, composite_seams);
RBD_BLOCK_PHASE(ForceColumns, forces);
#undef RBD_BLOCK_PHASE

}  // namespace rbd_parallel_core
