// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/vtree/heavy_paths.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace rbd_parallel_core {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

void require_parents_first(std::span<const std::int32_t> parent) {
  for (std::size_t i = 0; i < parent.size(); ++i) {
    if (parent[i] >= -1 && parent[i] < static_cast<std::int32_t>(i)) continue;
    throw std::invalid_argument("heavy paths: node " + std::to_string(i) + " has the parent " +
                                std::to_string(parent[i]) +
                                "; expected -1 or a smaller number, so sort the nodes first");
  }
}

/// For each node the child with the most descendants, the first of them where several have, or -1.
std::vector<std::int32_t> heavy_children(std::span<const std::int32_t> parent) {
  std::vector<std::int32_t> size(parent.size(), 1), heavy(parent.size(), -1);
  for (std::size_t i = parent.size(); i-- > 0;) {
    if (parent[i] >= 0) size[at(parent[i])] += size[i];
  }
  for (std::size_t i = 0; i < parent.size(); ++i) {
    if (parent[i] < 0) continue;
    std::int32_t& best = heavy[at(parent[i])];
    if (best < 0 || size[i] > size[at(best)]) best = static_cast<std::int32_t>(i);
  }
  return heavy;
}

}  // namespace

HeavyPaths::HeavyPaths(std::span<const std::int32_t> parent) {
  require_parents_first(parent);
  const auto n = static_cast<std::int32_t>(parent.size());
  const std::vector<std::int32_t> heavy = heavy_children(parent);
  const auto begins_path = [&](std::int32_t i) {
    return parent[at(i)] < 0 || heavy[at(parent[at(i)])] != i;
  };

  std::vector<std::int32_t> level(parent.size(), 0);
  std::int32_t levels = 0;
  for (std::int32_t i = 0; i < n; ++i) {
    const std::int32_t p = parent[at(i)];
    if (p >= 0) level[at(i)] = level[at(p)] + (begins_path(i) ? 1 : 0);
    levels = std::max(levels, level[at(i)] + 1);
  }

  // Counting sort of the paths by level.
  level_first_.assign(at(levels) + 1, 0);
  for (std::int32_t i = 0; i < n; ++i) {
    if (begins_path(i)) ++level_first_[at(level[at(i)]) + 1];
  }
  for (std::size_t l = 1; l < level_first_.size(); ++l) level_first_[l] += level_first_[l - 1];
  std::vector<std::int32_t> first_nodes(at(level_first_.back()));
  std::vector<std::int32_t> next = level_first_;
  for (std::int32_t i = 0; i < n; ++i) {
    if (begins_path(i)) first_nodes[at(next[at(level[at(i)])]++)] = i;
  }

  nodes_.reserve(parent.size());
  first_.push_back(0);
  for (const std::int32_t first : first_nodes) {
    for (std::int32_t i = first; i >= 0; i = heavy[at(i)]) nodes_.push_back(i);
    first_.push_back(static_cast<std::int32_t>(nodes_.size()));
    hangs_on_.push_back(parent[at(first)]);
  }
}

}  // namespace rbd_parallel_core
