// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/symbolic/fusion.hpp"

#include <algorithm>
#include <cstddef>

namespace rbd_parallel_core::symbolic {
namespace {

std::size_t at(std::int32_t node) { return static_cast<std::size_t>(node); }

/// The users of each node, as lists in one array.
struct Users {
  std::vector<std::int32_t> begin, user;

  Users(const std::vector<Node>& nodes, const std::vector<char>& live) {
    begin.assign(nodes.size() + 1, 0);
    for_each_use(nodes, live, [&](std::int32_t of, std::int32_t) { ++begin[at(of) + 1]; });
    for (std::size_t k = 0; k < nodes.size(); ++k) begin[k + 1] += begin[k];
    user.resize(at(begin.back()));
    std::vector<std::int32_t> next(begin.begin(), begin.end() - 1);
    for_each_use(nodes, live,
                 [&](std::int32_t of, std::int32_t by) { user[at(next[at(of)]++)] = by; });
  }
  int count(std::int32_t node) const { return begin[at(node) + 1] - begin[at(node)]; }

 private:
  template <class Visit>
  static void for_each_use(const std::vector<Node>& nodes, const std::vector<char>& live,
                           const Visit& visit) {
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      if (!live[k]) continue;
      for_each_operand(nodes[k], [&](Expr x) { visit(x.node(), static_cast<std::int32_t>(k)); });
    }
  }
};

}  // namespace

Fusion fuse(const Function& function, const std::vector<char>& live, int most_users) {
  const std::vector<Node>& nodes = function.graph.nodes();
  const Users users(nodes, live);
  std::vector<char> is_result(nodes.size(), 0);
  for (const Expr x : function.results) is_result[at(x.node())] = 1;
  std::vector<std::int32_t> products;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const auto node = static_cast<std::int32_t>(k);
    if (live[k] && nodes[k].op == Op::multiply && !is_result[k] && users.count(node) <= most_users)
      products.push_back(node);
  }
  std::stable_sort(products.begin(), products.end(), [&](std::int32_t a, std::int32_t b) {
    return users.count(a) != users.count(b) ? users.count(a) < users.count(b) : a > b;
  });
  Fusion fusion;
  fusion.product.assign(nodes.size(), Fusion::Product::none);
  fusion.taken_in.assign(nodes.size(), 0);
  for (const std::int32_t product : products) {
    const auto* const first = users.user.data() + users.begin[at(product)];
    const auto* const last = users.user.data() + users.begin[at(product) + 1];
    const bool possible = std::all_of(first, last, [&](std::int32_t user) {
      return nodes[at(user)].op == Op::add && fusion.product[at(user)] == Fusion::Product::none;
    });
    if (!possible) continue;
    std::for_each(first, last, [&](std::int32_t user) {
      fusion.product[at(user)] =
          nodes[at(user)].a.node() == product ? Fusion::Product::first : Fusion::Product::second;
    });
    fusion.taken_in[at(product)] = 1;
    ++fusion.count;
  }
  return fusion;
}

}  // namespace rbd_parallel_core::symbolic
