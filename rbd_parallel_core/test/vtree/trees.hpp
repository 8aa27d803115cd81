// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <ostream>
#include <random>
#include <string>
#include <vector>

/// Parent arrays to test with, and what a plain walk over them says.
namespace rbd_parallel_core::trees {

using Parents = std::vector<std::int32_t>;

inline std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
inline std::int32_t size_of(const Parents& parents) {
  return static_cast<std::int32_t>(parents.size());
}

struct Tree {
  std::string name;
  Parents parents;
  friend void PrintTo(const Tree& tree, std::ostream* out) { *out << tree.name; }
};

/// Gives the nodes new indices at random, so that parents come before and after their children.
inline Parents shuffled(const Parents& parents, std::uint32_t seed) {
  std::mt19937 engine(seed);
  Parents to(parents.size()), result(parents.size());
  std::iota(to.begin(), to.end(), 0);
  for (std::size_t i = to.size(); i > 1; --i) std::swap(to[i - 1], to[engine() % i]);
  for (std::size_t i = 0; i < parents.size(); ++i) {
    result[at(to[i])] = parents[i] < 0 ? -1 : to[at(parents[i])];
  }
  return result;
}

inline Parents chain(std::int32_t n) {
  Parents parents(at(n));
  std::iota(parents.begin(), parents.end(), -1);
  return parents;
}

inline Parents star(std::int32_t n) {
  Parents parents(at(n), 0);
  if (n > 0) parents[0] = -1;
  return parents;
}

/// Every node hangs on one of the `window` nodes before it: a small window makes it deep. The first
/// `roots` nodes are roots.
inline Parents random_tree(std::int32_t n, std::int32_t window, std::int32_t roots,
                           std::uint32_t seed) {
  std::mt19937 engine(seed);
  Parents parents(at(n), -1);
  for (std::int32_t i = roots; i < n; ++i) {
    const std::int32_t back = 1 + static_cast<std::int32_t>(engine() % at(std::min(i, window)));
    parents[at(i)] = i - back;
  }
  return parents;
}

/// All shapes with about n nodes, in order and shuffled.
inline std::vector<Tree> shapes(std::int32_t n) {
  std::vector<Tree> trees = {{"chain", chain(n)},
                             {"star", star(n)},
                             {"random", random_tree(n, n, 1, 1)},
                             {"deep", random_tree(n, 3, 1, 2)},
                             {"forest", random_tree(n, n, std::min(n, 7), 3)},
                             {"roots_only", Parents(at(n), -1)}};
  const std::size_t count = trees.size();
  for (std::size_t k = 0; k < count; ++k) {
    trees.push_back({"shuffled_" + trees[k].name,
                     shuffled(trees[k].parents, static_cast<std::uint32_t>(k) + 5)});
  }
  return trees;
}

/// Nodes with parents before children, found by going up from every node until a placed one comes.
inline Parents outward(const Parents& parents) {
  Parents order, path;
  std::vector<char> placed(parents.size(), 0);
  for (std::int32_t i = 0; i < size_of(parents); ++i) {
    for (std::int32_t j = i; j >= 0 && placed[at(j)] == 0; j = parents[at(j)]) {
      path.push_back(j);
      placed[at(j)] = 1;
    }
    order.insert(order.end(), path.rbegin(), path.rend());
    path.clear();
  }
  return order;
}

}  // namespace rbd_parallel_core::trees
