// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "../kernels/kernel_memory.hpp"
#include "block_table.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "team.hpp"

namespace rbd_parallel_core {

/// Inverse and forward dynamics of one state of one large tree, by blocks (docs/vtree.md). The
/// model must have no mimic joints and live as long.
template <class Real>
class BlockDynamics {
 public:
  BlockDynamics(const ModelView<Real>& model, InstructionSet set, int threads,
                const TreeOptions& options);

  void inverse_dynamics(const TreeState<Real>& state) noexcept;
  /// Whether forward dynamics may be done by blocks: on each that does not end its path stands a
  /// body that is no lighter than its like. A block divides by the inertia of its last body alone.
  bool can_go_forward() const { return can_go_forward_; }
  void forward_dynamics(const TreeState<Real>& state) noexcept;

  /// NaN unless all numbers of the last call, in and out, were finite.
  Real taint() const noexcept { return table_->taint(context_); }
  /// After forward_dynamics: the first coordinate at which the motion is singular, or -1.
  std::int32_t singular() const noexcept { return table_->singular(context_); }

 private:
  using Phase = typename BlockTable<Real>::Phase;

  /// Packs of a level that are one task: about as much work as it takes to hand out a task.
  struct Tasks {
    std::vector<Range> of_level;
  };
  void run(Phase BlockTable<Real>::*phase, const TreeState<Real>& state, const Tasks& tasks);
  void run_seams(Phase BlockTable<Real>::*phase, const TreeState<Real>& state,
                 const BlockPlan::Level& level);

  const BlockTable<Real>* table_;
  std::vector<std::uint8_t> heavy_;  ///< per body, whether a block should end there
  BlockPlan plan_;
  bool can_go_forward_;
  std::vector<PackOffsets> offsets_;
  std::vector<Tasks> tasks_;  ///< by level
  Tasks all_;                 ///< of all levels
  BlockContext<Real> context_;
  std::vector<KernelMemory> memory_;  ///< shared, then scratch for each thread
  Team team_;
};

extern template class BlockDynamics<double>;
extern template class BlockDynamics<float>;

}  // namespace rbd_parallel_core
