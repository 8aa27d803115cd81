// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/symbolic/function.hpp"

#include <cmath>
#include <utility>

#include "rbd_parallel_core/symbolic/fusion.hpp"

namespace rbd_parallel_core::symbolic {
namespace {

double value_of(const Node& node, const std::vector<double>& x, std::span<const double> inputs) {
  const auto of = [&](Expr e) {
    const double value = x[static_cast<std::size_t>(e.node())];
    return e.negative() ? -value : value;
  };
  switch (node.op) {
    case Op::constant:
      return node.value;
    case Op::input:
      return inputs[static_cast<std::size_t>(node.a.node())];
    case Op::add:
      return of(node.a) + of(node.b);
    case Op::multiply:
      return of(node.a) * of(node.b);
    case Op::divide:
      return of(node.a) / of(node.b);
    case Op::square_root:
      return std::sqrt(of(node.a));
    case Op::sine:
      return std::sin(of(node.a));
    case Op::cosine:
      return std::cos(of(node.a));
    case Op::absolute:
      return std::abs(of(node.a));
    case Op::maximum:
      return of(node.a) < of(node.b) ? of(node.b) : of(node.a);
    case Op::less:
      return of(node.a) < of(node.b) ? 1 : 0;
    case Op::less_equal:
      return of(node.a) <= of(node.b) ? 1 : 0;
    case Op::select:
      return of(node.a) != 0 ? of(node.b) : of(node.c);
  }
  return 0;
}

/// A node of one graph in another one. of(operand): what an operand is there.
template <class Of>
Expr inserted_node(Graph& graph, const Node& node, const Of& of, std::span<const Expr> inputs) {
  switch (node.op) {
    case Op::constant:
      return graph.constant(node.value);
    case Op::input:
      return inputs[static_cast<std::size_t>(node.a.node())];
    case Op::add:
      return graph.add(of(node.a), of(node.b));
    case Op::multiply:
      return graph.multiply(of(node.a), of(node.b));
    case Op::divide:
      return graph.divide(of(node.a), of(node.b));
    case Op::square_root:
      return graph.square_root(of(node.a));
    case Op::sine:
      return graph.sine(of(node.a));
    case Op::cosine:
      return graph.cosine(of(node.a));
    case Op::absolute:
      return graph.absolute(of(node.a));
    case Op::maximum:
      return graph.maximum(of(node.a), of(node.b));
    case Op::less:
      return graph.less(of(node.a), of(node.b));
    case Op::less_equal:
      return graph.less_equal(of(node.a), of(node.b));
    case Op::select:
      return graph.select(of(node.a), of(node.b), of(node.c));
  }
  return {};
}

}  // namespace

std::vector<Expr> Function::add_input(std::string name, std::int32_t size) {
  inputs.push_back({std::move(name), graph.input_count(), size});
  std::vector<Expr> expressions;
  expressions.reserve(static_cast<std::size_t>(size));
  for (std::int32_t k = 0; k < size; ++k) expressions.push_back(graph.input());
  return expressions;
}

void Function::add_output(std::string name, std::span<const Expr> expressions) {
  outputs.push_back({std::move(name), static_cast<std::int32_t>(results.size()),
                     static_cast<std::int32_t>(expressions.size())});
  results.insert(results.end(), expressions.begin(), expressions.end());
}

std::vector<Expr> Function::input_expressions(const Array& array) const {
  std::vector<Expr> expressions(static_cast<std::size_t>(array.size));
  for (std::size_t k = 0; k < graph.nodes().size(); ++k) {
    const Node& node = graph.nodes()[k];
    if (node.op != Op::input) continue;
    const std::int32_t at = node.a.node() - array.first;
    if (at < 0 || at >= array.size) continue;
    expressions[static_cast<std::size_t>(at)] = {static_cast<std::int32_t>(k), false};
  }
  return expressions;
}

std::vector<char> live_nodes(const Function& function) {
  const std::vector<Node>& nodes = function.graph.nodes();
  std::vector<char> live(nodes.size(), 0);
  for (const Expr x : function.results) live[static_cast<std::size_t>(x.node())] = 1;
  for (std::size_t k = nodes.size(); k-- > 0;) {
    if (!live[k]) continue;
    for_each_operand(nodes[k], [&](Expr x) { live[static_cast<std::size_t>(x.node())] = 1; });
  }
  return live;
}

OperationCounts count_operations(const Function& function) {
  const std::vector<Node>& nodes = function.graph.nodes();
  const std::vector<char> live = live_nodes(function);
  OperationCounts counts;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (!live[k]) continue;
    switch (nodes[k].op) {
      case Op::constant:
      case Op::input:
        break;
      case Op::add:
        ++counts.additions;
        break;
      case Op::multiply:
        ++counts.multiplications;
        break;
      case Op::divide:
        ++counts.divisions;
        break;
      case Op::square_root:
        ++counts.square_roots;
        break;
      case Op::sine:
      case Op::cosine:
        ++counts.sines_and_cosines;
        break;
      default:
        ++counts.others;
    }
  }
  counts.fused = fuse(function, live).count;
  return counts;
}

std::vector<Expr> insert(Graph& graph, const Function& function, std::span<const Expr> inputs) {
  const std::vector<Node>& nodes = function.graph.nodes();
  const std::vector<char> live = live_nodes(function);
  std::vector<Expr> x(nodes.size());
  const auto of = [&](Expr e) {
    const Expr inserted = x[static_cast<std::size_t>(e.node())];
    return e.negative() ? graph.negate(inserted) : inserted;
  };
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (live[k]) x[k] = inserted_node(graph, nodes[k], of, inputs);
  }
  std::vector<Expr> results;
  results.reserve(function.results.size());
  for (const Expr e : function.results) results.push_back(of(e));
  return results;
}

std::vector<double> evaluate(const Function& function, std::span<const double> inputs) {
  const std::vector<Node>& nodes = function.graph.nodes();
  std::vector<double> x(nodes.size());
  for (std::size_t k = 0; k < nodes.size(); ++k) x[k] = value_of(nodes[k], x, inputs);
  std::vector<double> results;
  results.reserve(function.results.size());
  for (const Expr e : function.results) {
    const double value = x[static_cast<std::size_t>(e.node())];
    results.push_back(e.negative() ? -value : value);
  }
  return results;
}

}  // namespace rbd_parallel_core::symbolic
