// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rbd_parallel_core/vtree/vtree.hpp"

/// The construction of a vtree from a parent array by map and scan alone (T. Lynghus, "Data
/// Parallel Rigid Body Dynamics"; the Euler tour technique of Tarjan and Vishkin, 1985). On a few
/// cores the sequential constructor is faster; this one is for executors with many threads.
namespace rbd_parallel_core::vtree_detail {

using Numbers = std::vector<std::int32_t>;

inline std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
inline std::int32_t size_of(const Numbers& numbers) {
  return static_cast<std::int32_t>(numbers.size());
}

/// counts[k] <- counts[0] + ... + counts[k-1]; returns the sum of all.
template <Executor Exec>
std::int32_t exclusive_sums(const Exec& executor, Numbers& counts, Numbers& scratch) {
  if (counts.empty()) return 0;
  scratch.resize(at(executor.scan_scratch(size_of(counts))));
  const std::int32_t last = counts.back();
  executor.exclusive_scan(counts.data(), size_of(counts), std::plus<std::int32_t>{}, 0,
                          scratch.data());
  return counts.back() + last;
}

/// For how many i < n it holds.
template <Executor Exec, class Condition>
std::int32_t count_if(const Exec& executor, std::int32_t n, const Condition& condition) {
  Numbers flags(at(n)), scratch;
  executor.map(
      n, [&](std::int32_t i) { flags[at(i)] = condition(i) ? 1 : 0; }, 1);
  return exclusive_sums(executor, flags, scratch);
}

/// The nodes in the order of key(node), equal keys in the order of the nodes: Blelloch's split
/// radix sort, which moves the nodes whose key has a 0 in the current bit before the others, their
/// places found by a scan. 0 <= key < bound.
template <Executor Exec, class Key>
Numbers sorted_by(const Exec& executor, std::int32_t n, std::int32_t bound, const Key& key) {
  Numbers nodes(at(n)), moved(at(n)), zeros(at(n)), scratch;
  executor.map(
      n, [&](std::int32_t k) { nodes[at(k)] = k; }, 1);
  for (std::int32_t bit = 1; bit < bound; bit *= 2) {
    const auto is_zero = [&](std::int32_t k) { return (key(nodes[at(k)]) & bit) == 0; };
    executor.map(
        n, [&](std::int32_t k) { zeros[at(k)] = is_zero(k) ? 1 : 0; }, 1);
    const std::int32_t zero_count = exclusive_sums(executor, zeros, scratch);
    executor.map(
        n,
        [&](std::int32_t k) {
          const std::int32_t zeros_before = zeros[at(k)];
          const std::int32_t place = is_zero(k) ? zeros_before : zero_count + (k - zeros_before);
          moved[at(place)] = nodes[at(k)];
        },
        1);
    std::swap(nodes, moved);
  }
  return nodes;
}

/// The tour as a linked list. Steps are named before their place is known: 2 i enters node i,
/// 2 i + 1 leaves it. Entering a node is followed by entering its first child, or leaving the node;
/// leaving it is followed by entering the next sibling, or leaving the parent. The last step, where
/// the root is left, follows itself.
template <Executor Exec>
Numbers successors(const Exec& executor, const Numbers& parent, std::int32_t root) {
  const std::int32_t n = size_of(parent);
  const auto parent_of = [&](std::int32_t i) { return i == root ? n : parent[at(i)]; };
  const Numbers sorted = sorted_by(executor, n, n + 1, parent_of);  // the root comes last
  Numbers next(2 * parent.size());
  executor.map(
      n,
      [&](std::int32_t i) {  // as if every node were a leaf and an only child
        next[at(2 * i)] = 2 * i + 1;
        next[at(2 * i + 1)] = 2 * (i == root ? root : parent[at(i)]) + 1;
      },
      1);
  executor.map(
      n - 1,
      [&](std::int32_t k) {
        const std::int32_t i = sorted[at(k)], p = parent[at(i)];
        const bool is_first = k == 0 || parent[at(sorted[at(k - 1)])] != p;
        if (is_first) next[at(2 * p)] = 2 * i;
        const std::int32_t sibling = sorted[at(k + 1)];
        if (parent_of(sibling) == p) next[at(2 * i + 1)] = 2 * sibling;
      },
      1);
  return next;
}

/// How many steps follow each step of the list that ends at `end`, by pointer doubling: in every
/// round each step hands over its distance to the one that it sees, and sees twice as far. A step
/// of a cycle never sees the end; then the result is empty.
template <Executor Exec>
std::vector<std::uint32_t> steps_to(const Exec& executor, Numbers next, std::int32_t end) {
  const std::int32_t n = size_of(next);
  // A cycle counts on to less than 4 n: more than an int32 may hold.
  std::vector<std::uint32_t> distance(next.size()), new_distance(next.size());
  Numbers new_next(next.size());
  executor.map(
      n, [&](std::int32_t k) { distance[at(k)] = k == end ? 0 : 1; }, 1);
  for (std::int32_t reach = 1; reach < n; reach *= 2) {
    executor.map(
        n,
        [&](std::int32_t k) {
          const std::int32_t seen = next[at(k)];
          new_distance[at(k)] = distance[at(k)] + distance[at(seen)];
          new_next[at(k)] = next[at(seen)];
        },
        1);
    std::swap(distance, new_distance);
    std::swap(next, new_next);
  }
  const std::int32_t lost =
      count_if(executor, n, [&](std::int32_t k) { return next[at(k)] != end; });
  if (lost > 0) distance.clear();
  return distance;
}

/// Has the sequential build say what is wrong with these parents.
[[noreturn]] inline void refuse(std::span<const std::int32_t> parents) {
  const VTree tree(parents);
  throw std::logic_error("VTree: the parallel build took a sound tree of " +
                         std::to_string(tree.size()) + " nodes for a faulty one");
}

}  // namespace rbd_parallel_core::vtree_detail

namespace rbd_parallel_core {

template <Executor Exec>
VTree VTree::built_by(const Exec& executor, std::span<const std::int32_t> parents) {
  using namespace vtree_detail;
  if (parents.empty() || parents.size() >= at(largest_node_count)) return VTree(parents);
  const auto size = static_cast<std::int32_t>(parents.size());
  const auto is_root = [&](std::int32_t i) { return parents[at(i)] == -1 || parents[at(i)] == i; };
  const std::int32_t bad_count = count_if(executor, size, [&](std::int32_t i) {
    return parents[at(i)] < -1 || parents[at(i)] >= size;
  });
  const std::int32_t root_count = count_if(executor, size, is_root);
  if (bad_count > 0 || root_count == 0) refuse(parents);

  const std::int32_t node_count = root_count > 1 ? size + 1 : size;
  Numbers parent(at(node_count), -1);
  std::int32_t root = size;  // the virtual one
  executor.map(
      size,
      [&](std::int32_t i) {
        parent[at(i)] = is_root(i) ? size : parents[at(i)];
        if (root_count == 1 && is_root(i)) root = i;
      },
      1);
  const std::int32_t end = 2 * root + 1;
  const auto distance = steps_to(executor, successors(executor, parent, root), end);
  if (distance.empty()) refuse(parents);

  VTree tree;
  tree.size_ = size;
  tree.lp_.resize(at(node_count));
  tree.rp_.resize(at(node_count));
  const auto last = static_cast<std::uint32_t>(2 * node_count - 1);
  executor.map(
      node_count,
      [&](std::int32_t i) {
        tree.lp_[at(i)] = static_cast<std::int32_t>(last - distance[at(2 * i)]);
        tree.rp_[at(i)] = static_cast<std::int32_t>(last - distance[at(2 * i + 1)]);
      },
      1);
  return tree;
}

}  // namespace rbd_parallel_core
