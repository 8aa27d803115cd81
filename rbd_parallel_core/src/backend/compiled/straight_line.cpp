// SPDX-License-Identifier: Apache-2.0
#include "straight_line.hpp"

#include <stdexcept>
#include <unordered_map>

#include "rbd_parallel_core/symbolic/fusion.hpp"

namespace rbd_parallel_core::compiled {
namespace {

using symbolic::Expr;
using symbolic::Function;
using symbolic::Fusion;
using symbolic::Graph;
using symbolic::Node;
using symbolic::Op;

std::size_t at(std::int32_t k) { return static_cast<std::size_t>(k); }

/// Which nodes the lines compute: what the results need, but for the angles of sines and cosines,
/// which are computed before the code runs.
std::vector<char> computed_nodes(const Function& function) {
  const std::vector<Node>& nodes = function.graph.nodes();
  std::vector<char> live(nodes.size(), 0);
  for (const Expr x : function.results) live[at(x.node())] = 1;
  for (std::size_t k = nodes.size(); k-- > 0;) {
    if (!live[k] || nodes[k].op == Op::sine || nodes[k].op == Op::cosine) continue;
    for_each_operand(nodes[k], [&](Expr x) { live[at(x.node())] = 1; });
  }
  return live;
}

/// Puts the nodes of a function into lines.
class Lowering {
 public:
  Lowering(const Function& function, bool fused)
      : graph_(function.graph), live_(computed_nodes(function)) {
    fusion_ = fused ? symbolic::fuse(function, live_) : symbolic::fuse(function, live_, 0);
    negated_.assign(graph_.nodes().size(), 0);
    value_.assign(graph_.nodes().size(), -1);
    place_leaves();
    choose_signs(function);
    for (std::size_t k = 0; k < graph_.nodes().size(); ++k) {
      if (live_[k] && !fusion_.taken_in[k]) lower(static_cast<std::int32_t>(k));
    }
    store_results(function);
  }
  StraightLine take() { return std::move(out_); }

 private:
  const Node& node(std::int32_t k) const { return graph_.nodes()[at(k)]; }

  void place_leaves() {
    out_.inputs = graph_.input_count();
    for (std::size_t k = 0; k < live_.size(); ++k) {
      const Node& n = graph_.nodes()[k];
      if (!live_[k]) continue;
      if (n.op == Op::sine || n.op == Op::cosine) number_turn(n.a);
    }
    for (std::size_t k = 0; k < live_.size(); ++k) {
      const Node& n = graph_.nodes()[k];
      if (!live_[k]) continue;
      if (n.op == Op::input) value_[k] = n.a.node();
      if (n.op == Op::sine) value_[k] = out_.inputs + turn_of_.at(n.a.node());
      if (n.op == Op::cosine) {
        value_[k] = out_.inputs + out_.turn_count() + turn_of_.at(n.a.node());
      }
      if (n.op == Op::constant) {
        value_[k] = out_.first_constant() + static_cast<std::int32_t>(out_.constants.size());
        out_.constants.push_back(n.value);
      }
    }
  }

  void number_turn(Expr angle) {
    const auto next = static_cast<std::int32_t>(turn_of_.size());
    if (turn_of_.try_emplace(angle.node(), next).second) out_.turns.push_back(turn(angle));
  }
  StraightLine::Turn turn(Expr angle) const {
    StraightLine::Turn turn{-1, 1, 0};
    Expr x = angle;
    if (graph_.at(x).op == Op::add && graph_.is_constant(graph_.at(x).a)) {
      turn.offset = graph_.value_of(graph_.at(x).a);
      x = graph_.at(x).b;
      if (x.negative()) turn.factor = -1;
    }
    if (graph_.at(x).op == Op::multiply && graph_.is_constant(graph_.at(x).a)) {
      turn.factor *= graph_.value_of(graph_.at(x).a);
      x = graph_.at(x).b;
    }
    if (graph_.at(x).op != Op::input) {
      throw std::invalid_argument(
          "the angle of a sine is no factor times an input plus an offset, which is all that "
          "compiled code takes");
    }
    turn.input = graph_.at(x).a.node();
    return turn;
  }

  /// A sum that only results use, and these only negated, is computed with the other sign.
  void choose_signs(const Function& function) {
    std::vector<char> used(negated_.size(), 0), positive(negated_.size(), 0);
    for (std::size_t k = 0; k < live_.size(); ++k) {
      if (!live_[k]) continue;
      for_each_operand(graph_.nodes()[k], [&](Expr x) { used[at(x.node())] = 1; });
    }
    for (const Expr x : function.results) {
      if (!x.negative()) positive[at(x.node())] = 1;
    }
    for (const Expr x : function.results) {
      const std::int32_t k = x.node();
      if (used[at(k)] || positive[at(k)] || node(k).op != Op::add) continue;
      const bool product = fusion_.product[at(k)] != Fusion::Product::none;
      negated_[at(k)] = product || node(k).b.negative() ? 1 : 0;
    }
  }

  std::int32_t append(Line line) {
    out_.lines.push_back(line);
    return out_.first_line() + static_cast<std::int32_t>(out_.lines.size()) - 1;
  }
  std::int32_t value(Expr x) const { return value_[at(x.node())]; }
  /// A value with the sign of its expression.
  std::int32_t with_sign(Expr x) {
    if (!x.negative()) return value(x);
    const auto [place, fresh] = negatives_.try_emplace(x.node(), -1);
    if (fresh) place->second = append({Step::negate, value(x)});
    return place->second;
  }

  void lower(std::int32_t k) {
    const Node& n = node(k);
    const auto line = [&](Step step) {
      value_[at(k)] = append({step, with_sign(n.a), n.b.exists() ? with_sign(n.b) : -1,
                              n.c.exists() ? with_sign(n.c) : -1});
    };
    switch (n.op) {
      case Op::constant:
      case Op::input:
      case Op::sine:
      case Op::cosine:
        return;
      case Op::add:
        value_[at(k)] = append(sum(k));
        return;
      case Op::multiply:
        return line(Step::multiply);
      case Op::divide:
        return line(Step::divide);
      case Op::square_root:
        return line(Step::square_root);
      case Op::absolute:
        return line(Step::absolute);
      case Op::maximum:
        return line(Step::maximum);
      case Op::less:
        return line(Step::less);
      case Op::less_equal:
        return line(Step::less_equal);
      case Op::select:
        return line(Step::select);
    }
  }

  Line sum(std::int32_t k) const {
    const Node& n = node(k);
    const bool flip = negated_[at(k)] != 0;
    const Fusion::Product which = fusion_.product[at(k)];
    if (which == Fusion::Product::none) {
      if (flip) return {Step::subtract, value(n.b), value(n.a)};
      return {n.b.negative() ? Step::subtract : Step::add, value(n.a), value(n.b)};
    }
    const Expr product = which == Fusion::Product::first ? n.a : n.b;
    const Expr other = which == Fusion::Product::first ? n.b : n.a;
    const Node& factors = graph_.at(product);
    const bool minus_product = product.negative() != flip, minus_other = other.negative() != flip;
    const Step step =
        minus_product ? (minus_other ? Step::negated_multiply_subtract : Step::negated_multiply_add)
                      : (minus_other ? Step::multiply_subtract : Step::multiply_add);
    return {step, value(factors.a), value(factors.b), value(other)};
  }

  void store_results(const Function& function) {
    out_.result_count = static_cast<std::int32_t>(function.results.size());
    for (std::size_t k = 0; k < function.results.size(); ++k) {
      const Expr x = function.results[k];
      const auto place = static_cast<std::int32_t>(k);
      if (graph_.is_constant(x)) {
        if (graph_.value_of(x) != 0) {
          out_.constant_results.push_back({place, graph_.value_of(x)});
        }
        continue;
      }
      const bool done = negated_[at(x.node())] != 0;
      out_.results.push_back({done ? value(x) : with_sign(x), place});
    }
  }

  const Graph& graph_;
  std::vector<char> live_, negated_;
  Fusion fusion_;
  std::vector<std::int32_t> value_;  ///< per node
  std::unordered_map<std::int32_t, std::int32_t> turn_of_, negatives_;
  StraightLine out_;
};

}  // namespace

StraightLine straight_line(const Function& function, bool fused) {
  return Lowering(function, fused).take();
}

}  // namespace rbd_parallel_core::compiled
