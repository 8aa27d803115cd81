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

std::vector<std::int32_t> subtree_sizes(std::span<const std::int32_t> parent) {
  std::vector<std::int32_t> size(parent.size(), 1);
  for (std::size_t i = parent.size(); i-- > 0;) {
    if (parent[i] >= 0) size[at(parent[i])] += size[i];
  }
  return size;
}

/// For each node the child of its group with the most descendants, the first of them where several
/// have, or -1.
std::vector<std::int32_t> heavy_children(std::span<const std::int32_t> parent,
                                         std::span<const std::int32_t> group) {
  const std::vector<std::int32_t> size = subtree_sizes(parent);
  std::vector<std::int32_t> heavy(parent.size(), -1);
  for (std::size_t i = 0; i < parent.size(); ++i) {
    if (parent[i] < 0 || group[at(parent[i])] != group[i]) continue;
    std::int32_t& best = heavy[at(parent[i])];
    if (best < 0 || size[i] > size[at(best)]) best = static_cast<std::int32_t>(i);
  }
  return heavy;
}

/// Turns how many there are of each into where each begins: first[k + 1] counts k.
void add_up(std::vector<std::int32_t>& first) {
  for (std::size_t k = 1; k < first.size(); ++k) first[k] += first[k - 1];
}

}  // namespace

HeavyPaths::HeavyPaths(std::span<const std::int32_t> parent, std::span<const std::int32_t> groups) {
  require_parents_first(parent);
  const auto n = static_cast<std::int32_t>(parent.size());
  const std::vector<std::int32_t> one(groups.empty() ? parent.size() : 0, 0);
  const std::span<const std::int32_t> group = groups.empty() ? std::span(one) : groups;
  const std::vector<std::int32_t> heavy = heavy_children(parent, group);
  const auto begins_path = [&](std::int32_t i) {
    return parent[at(i)] < 0 || heavy[at(parent[at(i)])] != i;
  };

  // Levels within each group, then among all of them.
  std::vector<std::int32_t> level(parent.size(), 0);
  for (std::int32_t i = 0; i < n; ++i) {
    const std::int32_t p = parent[at(i)];
    if (p >= 0 && group[at(p)] == group[at(i)]) {
      level[at(i)] = level[at(p)] + (begins_path(i) ? 1 : 0);
    }
    if (at(group[at(i)]) + 2 > group_first_.size()) group_first_.resize(at(group[at(i)]) + 2, 0);
    std::int32_t& levels = group_first_[at(group[at(i)]) + 1];
    levels = std::max(levels, level[at(i)] + 1);
  }
  if (n == 0) group_first_.assign(1, 0);
  add_up(group_first_);
  for (std::int32_t i = 0; i < n; ++i) level[at(i)] += group_first_[at(group[at(i)])];

  // Counting sort of the paths by level.
  level_first_.assign(at(group_first_.back()) + 1, 0);
  for (std::int32_t i = 0; i < n; ++i) {
    if (begins_path(i)) ++level_first_[at(level[at(i)]) + 1];
  }
  add_up(level_first_);
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

std::vector<std::int32_t> subtree_groups(std::span<const std::int32_t> parent,
                                         std::int32_t largest) {
  const std::vector<std::int32_t> size = subtree_sizes(parent);
  largest = std::min(largest, static_cast<std::int32_t>(parent.size()));
  std::vector<std::int32_t> group(parent.size(), 0);
  std::int32_t last = 0, nodes_of_last = largest;
  for (std::size_t i = 0; i < parent.size(); ++i) {
    if (size[i] > largest) continue;
    if (parent[i] >= 0 && size[at(parent[i])] <= largest) {
      group[i] = group[at(parent[i])];
      continue;
    }
    if (size[i] > largest - nodes_of_last) {
      ++last;
      nodes_of_last = 0;
    }
    nodes_of_last += size[i];
    group[i] = last;
  }
  return group;
}

}  // namespace rbd_parallel_core
