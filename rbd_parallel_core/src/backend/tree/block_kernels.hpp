// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "block_columns.hpp"
#include "block_forward_dynamics.hpp"
#include "block_inverse_dynamics.hpp"
#include "prepare_blocks.hpp"

/// The phases of BlockTable: blocks of one tree side by side in the lanes of a pack. A pack of
/// blocks is to the algorithms a robot like any other, a chain whose numbers happen to be packs; so
/// their text is that of one robot (rnea.hpp). Included by the files that are compiled once for
/// each instruction set; everything is local to them (RBD_KERNEL).
namespace rbd_parallel_core {

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
