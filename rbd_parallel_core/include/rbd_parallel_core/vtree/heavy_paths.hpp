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
  explicit HeavyPaths(std::span<const std::int32_t> parent);

  /// The paths are numbered by level, within a level by their first nodes.
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

  /// How often a walk to the root changes paths. Paths of one level do not depend on each other.
  std::int32_t level_count() const { return static_cast<std::int32_t>(level_first_.size()) - 1; }
  /// The paths of a level are level_first(l) <= path < level_first(l + 1).
  std::int32_t level_first(std::int32_t level) const {
    return level_first_[static_cast<std::size_t>(level)];
  }

 private:
  std::vector<std::int32_t> nodes_, first_, hangs_on_, level_first_;
};

}  // namespace rbd_parallel_core
