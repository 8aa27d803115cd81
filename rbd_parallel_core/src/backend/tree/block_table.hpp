// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "rbd_parallel_core/instruction_set.hpp"
#include "rbd_parallel_core/model/model_view.hpp"
#include "rbd_parallel_core/vtree/block_plan.hpp"
#include "tree_columns.hpp"

/// What the tree backend calls: the phases of an operation on one state of one large tree, compiled
/// for one instruction set. A phase works on a range of packs or of blocks; ranges of one phase may
/// be worked on at once. block_kernels.hpp has the code.
namespace rbd_parallel_core {

/// BlockPlan as plain pointers.
struct PlanView {
  const BlockPack* packs;
  const Block* blocks;
  const std::int32_t* lanes;
  const std::int32_t* nodes;
  const HangingPath* hanging;
  std::int32_t pack_count, block_count, step_count, longest_pack;

  static PlanView of(const BlockPlan& plan) {
    return {plan.packs().data(),
            plan.blocks().data(),
            plan.lanes().data(),
            plan.nodes().data(),
            plan.hanging().data(),
            static_cast<std::int32_t>(plan.packs().size()),
            static_cast<std::int32_t>(plan.blocks().size()),
            plan.step_count(),
            plan.longest_pack()};
  }
};

/// Where a pack's coordinates lie among those of all packs, counted in Scalars.
struct PackOffsets {
  std::int64_t q, v;
};

/// Memory for what the packs of some groups keep from one phase to the next. Where it is used for
/// one group after the other, it stays in a cache.
struct WorkArea {
  std::byte* memory;
  std::int32_t first_pack;    ///< that has a place in it, ...
  std::int32_t first_step;    ///< ... its steps ...
  PackOffsets first;          ///< ... and its coordinates
  std::int32_t packs, steps;  ///< there is room for
  PackOffsets size;           ///< the same for coordinates
};

/// What comes in and goes out: one state. Null pointers stand for zeros.
template <class Real>
struct TreeState {
  const Real* q;
  const Real* v;
  const Real* a;             ///< forward dynamics: the torques
  const Force<Real>* f_ext;  ///< per body, at its origin, in its axes
  Vec3<Real> gravity;
  bool friction;
  Real* tau;                  ///< forward dynamics: the accelerations
  TreeColumns<Real> columns;  ///< that the mass matrix is made of
};

template <class Real>
struct BlockContext {
  ModelView<Real> model;
  PlanView plan;
  const PackOffsets* offsets;  ///< pack_count + 1
  std::byte* shared;           ///< BlockTable::shared_bytes; filled by prepare
  WorkArea work;               ///< of the packs that a phase is called for
  bool large;                  ///< so that a cache does not hold all the numbers
};

struct Range {
  std::int32_t begin, end;
};

template <class Real>
struct BlockTable {
  /// scratch: BlockTable::scratch_bytes, one for each thread
  using Phase = void (*)(const BlockContext<Real>&, const TreeState<Real>&, std::byte* scratch,
                         Range) noexcept;

  std::int32_t width;  ///< of BlockPlan
  std::size_t (*shared_bytes)(const BlockContext<Real>&);
  std::size_t (*work_bytes)(const WorkArea&);
  std::size_t (*scratch_bytes)(const BlockContext<Real>&);
  void (*prepare)(const BlockContext<Real>&);  ///< once, on fresh memory

  // Inverse dynamics. From the first level to the last:
  Phase read_state;     ///< packs: joint coordinates into lanes; how cut paths move
  Phase outward_seams;  ///< blocks: how their bases move
  Phase outward;        ///< packs: accelerations and forces; bases of the paths that hang on them
  // then from the last level to the first:
  Phase inward;        ///< packs: forces inward; torques of those that end their paths
  Phase inward_seams;  ///< blocks: forces between blocks
  Phase torques;       ///< packs: forces inward again, torques of those that do not

  // Forward dynamics. From the first level to the last:
  Phase read_forward;    ///< packs: joint coordinates into lanes; how cut paths turn
  Phase velocity_seams;  ///< blocks: how their bases turn
  Phase velocities;      ///< packs: velocity products; bases of the paths that hang on them
  // then from the last level to the first:
  Phase articulate;   ///< packs: articulated inertias, and two-ports of what does not end its path
  Phase close_paths;  ///< blocks: articulated inertias with all that hangs on their ends
  // then from the first level to the last:
  Phase acceleration_seams;  ///< blocks: how their bases accelerate, what pulls at their ends
  Phase accelerations;       ///< packs

  // Columns of the mass matrix. From the first level to the last:
  Phase read_positions;  ///< packs: joint coordinates into lanes; where the ends of cut paths are
  Phase frame_seams;     ///< blocks: where their bases are
  Phase axes;            ///< packs: axes and origins; bases of the paths that hang on them
  // then from the last level to the first:
  Phase composites;       ///< packs: composite inertias; forces of those that end their paths
  Phase composite_seams;  ///< blocks: composite inertias with all that hangs on their ends
  Phase forces;           ///< packs: composite inertias again, forces of those that do not

  /// NaN unless all that the phases of inverse or forward dynamics read and wrote was finite
  Real (*taint)(const BlockContext<Real>&) noexcept;
  /// After articulate: -1, or the first coordinate at which the motion is singular
  std::int32_t (*singular)(const BlockContext<Real>&) noexcept;
};

/// The phases for the set, in lanes of double or float.
template <class Real>
const BlockTable<Real>& block_table(InstructionSet set);

/// The same for one block at a time: a "pack" is a number.
template <class Real>
const BlockTable<Real>& lone_block_table(InstructionSet set);

}  // namespace rbd_parallel_core
