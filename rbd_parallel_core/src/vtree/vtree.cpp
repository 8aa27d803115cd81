// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/vtree/vtree.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace rbd_parallel_core {
namespace {

using Numbers = std::vector<std::int32_t>;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

void require_indices(std::span<const std::int32_t> parents) {
  if (parents.size() >= at(VTree::largest_node_count)) {
    throw std::invalid_argument("VTree: " + std::to_string(parents.size()) + " nodes; at most " +
                                std::to_string(VTree::largest_node_count - 1) + " are possible");
  }
  const auto n = static_cast<std::int32_t>(parents.size());
  for (std::int32_t i = 0; i < n; ++i) {
    const std::int32_t p = parents[at(i)];
    if (-1 <= p && p < n) continue;
    throw std::invalid_argument("VTree: node " + std::to_string(i) + " has the parent " +
                                std::to_string(p) + ", which is no node; give 0 to " +
                                std::to_string(n - 1) + ", or -1 for a root");
  }
}

/// The parents with -1 for every root, and a virtual root behind them where there are several.
Numbers with_one_root(std::span<const std::int32_t> parents) {
  Numbers parent(parents.begin(), parents.end());
  std::int32_t roots = 0;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(parent.size()); ++i) {
    if (parent[at(i)] == i) parent[at(i)] = -1;
    roots += parent[at(i)] == -1;
  }
  if (roots > 1) {
    const auto virtual_root = static_cast<std::int32_t>(parent.size());
    std::replace(parent.begin(), parent.end(), -1, virtual_root);
    parent.push_back(-1);
  }
  return parent;
}

/// The children of all nodes, one node's after the other's, each node's in ascending order.
struct Children {
  Numbers first;  ///< of node i: child[first[i]], ..., child[first[i + 1] - 1]
  Numbers child;
};

Children children_of(const Numbers& parent) {
  const auto n = static_cast<std::int32_t>(parent.size());
  Children children{Numbers(parent.size() + 1, 0), Numbers(parent.size())};
  for (const std::int32_t p : parent) {
    if (p >= 0) ++children.first[at(p) + 1];
  }
  for (std::size_t i = 1; i <= parent.size(); ++i) children.first[i] += children.first[i - 1];
  Numbers next = children.first;
  for (std::int32_t i = 0; i < n; ++i) {
    if (parent[at(i)] >= 0) children.child[at(next[at(parent[at(i)])]++)] = i;
  }
  return children;
}

/// All nodes that a root leads to, parents before children. Level by level: no recursion, so that a
/// chain may be as long as memory allows.
Numbers outward_order(const Numbers& parent, const Children& children) {
  Numbers order;
  order.reserve(parent.size());
  const auto root = std::find(parent.begin(), parent.end(), -1);
  if (root != parent.end()) order.push_back(static_cast<std::int32_t>(root - parent.begin()));
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::size_t i = at(order[k]);
    for (std::int32_t c = children.first[i]; c < children.first[i + 1]; ++c) {
      order.push_back(children.child[at(c)]);
    }
  }
  return order;
}

/// Some nodes were never reached, so that each of them has a parent that was not reached either:
/// going up from one of them ends in the cycle.
[[noreturn]] void throw_cycle(const Numbers& parent, const Numbers& reached) {
  std::vector<char> is_reached(parent.size(), 0);
  for (const std::int32_t i : reached) is_reached[at(i)] = 1;
  const auto lost = std::find(is_reached.begin(), is_reached.end(), 0);
  auto node = static_cast<std::int32_t>(lost - is_reached.begin());
  for (std::size_t k = 0; k < parent.size(); ++k) node = parent[at(node)];
  throw std::invalid_argument(
      "VTree: node " + std::to_string(node) + " is its own ancestor, by way of its parent " +
      std::to_string(parent[at(node)]) + "; give one node of the cycle the parent -1");
}

}  // namespace

VTree::VTree(std::span<const std::int32_t> parents)
    : size_(static_cast<std::int32_t>(parents.size())) {
  require_indices(parents);
  const Numbers parent = with_one_root(parents);
  const Numbers order = outward_order(parent, children_of(parent));
  if (order.size() < parent.size()) throw_cycle(parent, order);

  Numbers size(parent.size(), 1);
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    if (parent[at(*i)] >= 0) size[at(parent[at(*i)])] += size[at(*i)];
  }
  // A node takes the steps from lp on that its subtree needs; its children follow one another.
  lp_.resize(parent.size());
  rp_.resize(parent.size());
  Numbers next(parent.size());  // free step of a node's next child
  for (const std::int32_t i : order) {
    const std::int32_t p = parent[at(i)];
    lp_[at(i)] = p >= 0 ? next[at(p)] : 0;
    rp_[at(i)] = lp_[at(i)] + 2 * size[at(i)] - 1;
    if (p >= 0) next[at(p)] += 2 * size[at(i)];
    next[at(i)] = lp_[at(i)] + 1;
  }
}

std::vector<std::int32_t> VTree::depths() const {
  // How many nodes are open before each step of the tour; the virtual root counts for nothing.
  Numbers open(2 * lp_.size(), 0);
  for (std::int32_t i = 0; i < size_; ++i) {
    open[at(lp_[at(i)])] = 1;
    open[at(rp_[at(i)])] = -1;
  }
  scan_range(open.data(), 0, static_cast<std::int32_t>(open.size()), std::plus<std::int32_t>{}, 0);
  Numbers depth(at(size_));
  for (std::int32_t i = 0; i < size_; ++i) depth[at(i)] = open[at(lp_[at(i)])];
  return depth;
}

}  // namespace rbd_parallel_core
