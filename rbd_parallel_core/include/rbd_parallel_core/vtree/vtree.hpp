// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rbd_parallel_core/vtree/executor.hpp"

namespace rbd_parallel_core {

/// A vtree as plain pointers, fit for a kernel; valid while its VTree lives.
struct VTreeView {
  std::int32_t size;        ///< nodes of the parent array
  std::int32_t node_count;  ///< the same, and the virtual root if there is one, which is the last
  const std::int32_t* lp;   ///< node_count: the step at which a node is entered
  const std::int32_t* rp;   ///< node_count: the step at which it is left for good

  RBD_INLINE std::int32_t step_count() const { return 2 * node_count; }
  /// Whether j is i or lies above it.
  RBD_INLINE bool is_ancestor_or_self(std::int32_t j, std::int32_t i) const {
    return lp[j] <= lp[i] && rp[i] <= rp[j];
  }
};

/// The shape of a tree as two numbers per node (T. Lynghus, "Data Parallel Rigid Body Dynamics"):
/// the steps lp and rp of the Euler tour at which a node is entered and left for good. The tour
/// starts with the root and visits children in the order of their indices; its 2 n steps are each
/// used once. Depends on the topology only: built once for a robot.
///
/// Parents may come in any order. A node whose parent is -1 or itself is a root; several of them
/// hang on a virtual root, one more node behind the others.
class VTree {
 public:
  /// 2 node_count must stay below the largest power of two of an int32.
  static constexpr std::int32_t largest_node_count = 1 << 29;

  /// The tree without nodes.
  VTree() = default;
  /// One node after the other, O(n). Throws std::invalid_argument for a parent that is no node and
  /// for a cycle.
  explicit VTree(std::span<const std::int32_t> parents);

  /// The same by data-parallel means: sort the nodes by parent, link the steps of the tour, rank
  /// the list by pointer doubling. O(n log n) work in O(log^2 n) rounds. Gives the same arrays and
  /// the same errors. Defined in parallel_build.hpp.
  template <Executor Exec>
  static VTree built_by(const Exec& executor, std::span<const std::int32_t> parents);

  std::int32_t size() const { return size_; }
  bool has_virtual_root() const { return view().node_count > size_; }
  /// lp and rp, node_count of each.
  std::span<const std::int32_t> lp() const { return lp_; }
  std::span<const std::int32_t> rp() const { return rp_; }

  /// The nodes of the subtree of i, itself included: rp - lp + 1 steps, two a node.
  std::int32_t subtree_size(std::int32_t i) const {
    return (rp_[index(i)] - lp_[index(i)] + 1) / 2;
  }
  /// Whether j lies above i.
  bool is_ancestor(std::int32_t j, std::int32_t i) const {
    return j != i && view().is_ancestor_or_self(j, i);
  }
  /// Of all nodes, 0 for roots. O(n)
  std::vector<std::int32_t> depths() const;

  VTreeView view() const {
    return {size_, static_cast<std::int32_t>(lp_.size()), lp_.data(), rp_.data()};
  }

 private:
  static std::size_t index(std::int32_t i) { return static_cast<std::size_t>(i); }

  std::int32_t size_ = 0;
  std::vector<std::int32_t> lp_, rp_;
};

}  // namespace rbd_parallel_core
