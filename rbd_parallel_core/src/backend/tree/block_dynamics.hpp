// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "../../team.hpp"
#include "../kernels/kernel_memory.hpp"
#include "block_table.hpp"
#include "rbd_parallel_core/backend.hpp"

namespace rbd_parallel_core {

/// Inverse and forward dynamics of one state of one large tree, by blocks (docs/vtree.md). The
/// model must have no mimic joints and live as long.
template <class Real>
class BlockDynamics {
 public:
  /// `spin`: how long a thread stays awake after a call.
  BlockDynamics(const ModelView<Real>& model, InstructionSet set, int threads,
                std::chrono::microseconds spin, const TreeOptions& options);

  void inverse_dynamics(const TreeState<Real>& state) noexcept;
  /// Whether forward dynamics may be done by blocks (block_cut.hpp).
  bool can_go_forward() const { return can_go_forward_; }
  void forward_dynamics(const TreeState<Real>& state) noexcept;

  /// Whether the lanes of the registers are so well filled that blocks side by side take less time
  /// than one body after the other.
  bool pays() const noexcept;
  Team& team() noexcept { return team_; }
  int used_threads() const noexcept { return alone_ ? 1 : team_.threads(); }

  /// What the mass matrix is made of (TreeColumns); q: nq.
  void mass_matrix_columns(const Real* q, const TreeColumns<Real>& columns) noexcept;
  /// Where the columns of a body belong: bodies of one path, and those of them with one origin,
  /// have the same numbers.
  struct Place {
    std::int32_t path, origin;
  };
  std::vector<Place> places() const;  ///< per body

  /// NaN unless all numbers of the last inverse_dynamics or forward_dynamics, in and out, were
  /// finite.
  Real taint() const noexcept { return table_->taint(context_); }
  /// After forward_dynamics: the first coordinate at which the motion is singular, or -1.
  std::int32_t singular() const noexcept { return table_->singular(context_); }

 private:
  using Phase = typename BlockTable<Real>::Phase;

  /// Packs that make a phase, and how they are cut into tasks.
  struct Work {
    Range packs;
    std::vector<Range> tasks;
  };
  /// Levels, one after the other, that one thread or all together go through.
  struct Group {
    std::int32_t first_level, last_level;
    Work all;  ///< of all its levels
  };
  /// How the phases of an operation are run: by one thread, or by all of them together.
  class Alone;
  class Together;

  void take_memory();
  /// The context of a group whose work area is the thread's own.
  BlockContext<Real> context_of(const Group& group, int thread) const;
  Work work_of(std::int32_t first_pack, std::int32_t last_pack) const;
  bool is_worth_threads() const;
  /// Runs operation(), with the other threads at hand if they are of use. `ns_per_body`: predicted
  /// for one thread.
  template <class Operation>
  void call(double ns_per_body, const Operation& operation);
  /// Calls visit(runner, group) for what lies near the root, ...
  template <class Visit>
  void near_root(const TreeState<Real>& state, const Visit& visit);
  /// ... and for the groups of subtrees that hang on it. `keep`: what one visit leaves is there at
  /// the next one.
  template <class Visit>
  void subtrees(const TreeState<Real>& state, bool keep, const Visit& visit);
  /// Whether some base follows from the world or from the block before it.
  bool has_outward_seams(std::size_t level) const {
    return plan_.levels()[level].cut || has_roots_[level] != 0;
  }
  std::byte* scratch(int thread) const { return scratch_[static_cast<std::size_t>(thread)].get(); }

  const BlockTable<Real>* table_;
  BlockPlan plan_;
  bool can_go_forward_ = false;
  std::vector<PackOffsets> offsets_;
  std::vector<Work> work_;               ///< by level
  std::vector<std::uint8_t> has_roots_;  ///< by level
  std::vector<Group> groups_;  ///< the first one lies near the root, the others hang on it
  BlockContext<Real> context_;
  WorkArea largest_area_{};  ///< that a group of subtrees needs
  KernelMemory shared_{0}, work_memory_{0};
  std::vector<KernelMemory> scratch_, areas_;  ///< one a thread
  Team team_;
  bool alone_;              ///< one thread, or nothing to share out
  bool alone_now_ = false;  ///< in this call; results are the same
};

extern template class BlockDynamics<double>;
extern template class BlockDynamics<float>;

}  // namespace rbd_parallel_core
