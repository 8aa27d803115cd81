// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rbd_parallel_core {

/// A tree cut into paths: every node goes on to its heavy child, the one with the most descendants,
/// and each of its other children begins a path of its own (Sleator and Tarjan 1983). A walk to the
/// root changes paths at most log2(n) times, since each change at least doubles the number of
/// descendants. That bounds the number of levels, and needs no inverse of anything: this is what
/// the inverse-free tree scans of this library are made of.
class HeavyPaths {
 public:
  /// parent[i] < i, or -1 for a root; there may be several. Throws std::invalid_argument otherwise.
  /// group: per node, from 0 on; paths do not lead from one group into another. Empty: all are one.
  explicit HeavyPaths(std::span<const std::int32_t> parent,
                      std::span<const std::int32_t> group = {});

  /// The paths are numbered by group, then by level, within a level by their first nodes.
  std::int32_t count() const { return static_cast<std::int32_t>(hangs_on_.size()); }
  /// The nodes of a path, from the root outward.
  std::span<const std::int32_t> nodes(std::int32_t path) const {
    const auto at = static_cast<std::size_t>(path);
    return std::span(nodes_).subspan(static_cast<std::size_t>(first_[at]),
                                     static_cast<std::size_t>(first_[at + 1] - first_[at]));
  }
  /// The node that a path hangs on, -1 where it begins with a root.
  std::int32_t hangs_on(std::int32_t path) const {
    return hangs_on_[static_cast<std::size_t>(path)];
  }

  std::int32_t group_count() const { return static_cast<std::int32_t>(group_first_.size()) - 1; }
  /// The levels of a group are group_first(g) <= level < group_first(g + 1).
  std::int32_t group_first(std::int32_t group) const {
    return group_first_[static_cast<std::size_t>(group)];
  }

  /// How often a walk to the root changes paths, or leaves the group; of all groups together. Paths
  /// of one level do not depend on each other.
  std::int32_t level_count() const { return static_cast<std::int32_t>(level_first_.size()) - 1; }
  /// The paths of a level are level_first(l) <= path < level_first(l + 1).
  std::int32_t level_first(std::int32_t level) const {
    return level_first_[static_cast<std::size_t>(level)];
  }

 private:
  std::vector<std::int32_t> nodes_, first_, hangs_on_, level_first_, group_first_;
};

/// Groups for HeavyPaths: the largest subtrees of at most `largest` nodes, several of them in one
/// group where they are small together, and in group 0 what lies between them and the roots. A
/// group's numbers stay in a cache while all is done that its nodes ask for.
std::vector<std::int32_t> subtree_groups(std::span<const std::int32_t> parent,
                                         std::int32_t largest);

}  // namespace rbd_parallel_core
