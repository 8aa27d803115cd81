// SPDX-License-Identifier: Apache-2.0
// Derivatives of graphs by the chain rule: forward along the nodes for one input, or backward for
// one result (Griewank and Walther, Evaluating Derivatives, 2008, chapter 3).
#include <algorithm>
#include <stdexcept>

#include "rbd_parallel_core/symbolic/function.hpp"

namespace rbd_parallel_core::symbolic {
namespace {

[[noreturn]] void refuse() {
  throw std::invalid_argument(
      "a comparison, a choice, a maximum or an absolute value has no derivative; expected "
      "functions without them");
}

/// Those that the results need, in order. Derivatives add nodes to the graph, so this is a copy.
std::vector<std::int32_t> needed(const Graph& graph, std::span<const Expr> results) {
  std::vector<char> live(graph.nodes().size(), 0);
  for (const Expr x : results) live[static_cast<std::size_t>(x.node())] = 1;
  for (std::size_t k = live.size(); k-- > 0;) {
    if (!live[k]) continue;
    for_each_operand(graph.nodes()[k],
                     [&](Expr x) { live[static_cast<std::size_t>(x.node())] = 1; });
  }
  std::vector<std::int32_t> nodes;
  for (std::size_t k = 0; k < live.size(); ++k) {
    if (live[k]) nodes.push_back(static_cast<std::int32_t>(k));
  }
  return nodes;
}

/// A value for each node, that of an expression with its sign.
class Values {
 public:
  Values(const Graph& graph, Expr zero) : graph_(graph), x_(graph.nodes().size(), zero) {}
  Expr& operator[](std::int32_t node) { return x_[static_cast<std::size_t>(node)]; }
  Expr of(Expr e) {
    const Expr x = (*this)[e.node()];
    return e.negative() ? graph_.negate(x) : x;
  }

 private:
  const Graph& graph_;
  std::vector<Expr> x_;
};

/// The derivative of a node whose operands have the derivatives d.
Expr derivative(Graph& graph, std::int32_t k, Values& d) {
  const Node n = graph.nodes()[static_cast<std::size_t>(k)];
  const Expr y(k, false);
  switch (n.op) {
    case Op::constant:
    case Op::input:
      return d[k];
    case Op::add:
      return graph.add(d.of(n.a), d.of(n.b));
    case Op::multiply:
      return graph.add(graph.multiply(d.of(n.a), n.b), graph.multiply(n.a, d.of(n.b)));
    case Op::divide:
      return graph.divide(graph.subtract(d.of(n.a), graph.multiply(y, d.of(n.b))), n.b);
    case Op::square_root:
      return graph.divide(d.of(n.a), graph.add(y, y));
    case Op::sine:
      return graph.multiply(graph.cosine(n.a), d.of(n.a));
    case Op::cosine:
      return graph.negate(graph.multiply(graph.sine(n.a), d.of(n.a)));
    default:
      refuse();
  }
}

/// Adds to the operands of a node what it brings them, where a result changes by `bar` with it.
void pull_back(Graph& graph, std::int32_t k, Values& bars) {
  const Node n = graph.nodes()[static_cast<std::size_t>(k)];
  const Expr y(k, false), bar = bars[k];
  const auto give = [&](Expr to, Expr x) {
    Expr& sum = bars[to.node()];
    sum = graph.add(sum, to.negative() ? graph.negate(x) : x);
  };
  switch (n.op) {
    case Op::constant:
    case Op::input:
      return;
    case Op::add:
      give(n.a, bar);
      give(n.b, bar);
      return;
    case Op::multiply:
      give(n.a, graph.multiply(bar, n.b));
      give(n.b, graph.multiply(bar, n.a));
      return;
    case Op::divide: {
      const Expr x = graph.divide(bar, n.b);
      give(n.a, x);
      give(n.b, graph.negate(graph.multiply(x, y)));
      return;
    }
    case Op::square_root:
      give(n.a, graph.divide(bar, graph.add(y, y)));
      return;
    case Op::sine:
      give(n.a, graph.multiply(bar, graph.cosine(n.a)));
      return;
    case Op::cosine:
      give(n.a, graph.negate(graph.multiply(bar, graph.sine(n.a))));
      return;
    default:
      refuse();
  }
}

}  // namespace

std::vector<Expr> forward_jacobian(Graph& graph, std::span<const Expr> results,
                                   std::span<const Expr> wrt) {
  const std::vector<std::int32_t> nodes = needed(graph, results);
  const Expr zero = graph.constant(0), one = graph.constant(1);
  std::vector<Expr> jacobian(results.size() * wrt.size());
  for (std::size_t j = 0; j < wrt.size(); ++j) {
    Values d(graph, zero);
    d[wrt[j].node()] = one;
    for (const std::int32_t k : nodes) d[k] = derivative(graph, k, d);
    for (std::size_t k = 0; k < results.size(); ++k) {
      jacobian[k * wrt.size() + j] = d.of(results[k]);
    }
  }
  return jacobian;
}

std::vector<Expr> reverse_jacobian(Graph& graph, std::span<const Expr> results,
                                   std::span<const Expr> wrt) {
  const Expr zero = graph.constant(0), one = graph.constant(1);
  std::vector<Expr> jacobian;
  jacobian.reserve(results.size() * wrt.size());
  for (const Expr result : results) {
    const std::vector<std::int32_t> nodes = needed(graph, std::span(&result, 1));
    Values bars(graph, zero);
    bars[result.node()] = result.negative() ? -one : one;
    for (auto k = nodes.rbegin(); k != nodes.rend(); ++k) {
      if (!graph.is_constant(bars[*k], 0)) pull_back(graph, *k, bars);
    }
    for (const Expr x : wrt) jacobian.push_back(bars[x.node()]);
  }
  return jacobian;
}

}  // namespace rbd_parallel_core::symbolic
