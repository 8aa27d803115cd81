// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

/// Expressions as a graph. An algorithm that runs on Symbols (symbol.hpp) instead of numbers leaves
/// here what it computes: every distinct expression is one node, written once.
namespace rbd_parallel_core::symbolic {

/// What a node computes from its operands a, b and c.
enum class Op : std::uint8_t {
  constant,  ///< Node::value, never negative
  input,     ///< number Node::a of the inputs
  add,       ///< a + b
  multiply,  ///< a b
  divide,    ///< a / b
  square_root,
  sine,
  cosine,
  absolute,
  maximum,
  less,        ///< 1 where a < b, else 0
  less_equal,  ///< 1 where a <= b, else 0
  select,      ///< b where a is not 0, else c
};

/// A node with a sign: expressions that differ only in sign share a node, and a minus costs nothing
/// until somebody must compute it.
class Expr {
 public:
  constexpr Expr() = default;
  constexpr Expr(std::int32_t node, bool negative) : code_(2 * node + (negative ? 1 : 0)) {}

  constexpr bool exists() const { return code_ >= 0; }
  constexpr std::int32_t node() const { return code_ >> 1; }
  constexpr bool negative() const { return (code_ & 1) != 0; }
  constexpr std::int32_t code() const { return code_; }
  constexpr Expr positive() const { return {node(), false}; }
  constexpr Expr operator-() const { return {node(), !negative()}; }
  /// With the sign of `other` besides its own.
  constexpr Expr times_sign_of(Expr other) const {
    return {node(), negative() != other.negative()};
  }
  constexpr bool operator==(const Expr&) const = default;

 private:
  std::int32_t code_ = -1;
};

struct Node {
  Op op = Op::constant;
  Expr a, b, c;
  double value = 0;
};

/// Calls visit(operand) for the expressions that a node is computed from.
template <class Visit>
void for_each_operand(const Node& node, const Visit& visit) {
  if (node.op == Op::constant || node.op == Op::input) return;
  for (const Expr x : {node.a, node.b, node.c}) {
    if (x.exists()) visit(x);
  }
}

/// The nodes in an order in which operands come before what uses them.
///
/// Expressions are simplified as they are made, by rules that change a result by no more than
/// rounding does: constants are folded; x + 0, 1 x, 0 x, x - x and x / 1 vanish; c1 x + c2 x,
/// c1 (c2 x) and (x + c1) + c2 become one operation; signs move out of products, quotients and
/// sines; division by a constant multiplies by its inverse. That 0 x is 0 holds for finite x only:
/// whether inputs and results are finite must be judged outside.
class Graph {
 public:
  Expr constant(double value);
  Expr input();  ///< the next one

  Expr add(Expr a, Expr b);
  Expr subtract(Expr a, Expr b) { return add(a, negate(b)); }
  Expr multiply(Expr a, Expr b);
  Expr divide(Expr a, Expr b);
  Expr square_root(Expr a);
  Expr sine(Expr a);
  Expr cosine(Expr a);
  Expr absolute(Expr a);
  Expr maximum(Expr a, Expr b);
  Expr less(Expr a, Expr b);
  Expr less_equal(Expr a, Expr b);
  Expr select(Expr mask, Expr a, Expr b);
  Expr negate(Expr a) const { return is_constant(a, 0) ? a : -a; }

  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& at(Expr x) const { return nodes_[static_cast<std::size_t>(x.node())]; }
  std::int32_t input_count() const { return inputs_; }
  /// Whether something was divided by the constant zero: then results mean nothing, whatever the
  /// inputs are.
  bool divides_by_zero() const { return divides_by_zero_; }
  bool is_constant(Expr x) const { return at(x).op == Op::constant; }
  bool is_constant(Expr x, double value) const { return is_constant(x) && value_of(x) == value; }
  /// Of a constant.
  double value_of(Expr x) const { return x.negative() ? -at(x).value : at(x).value; }

 private:
  struct Key {
    std::int32_t op, a, b, c;
    std::uint64_t value;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  Expr node(Op op, Expr a = {}, Expr b = {}, Expr c = {}, double value = 0);
  /// x as factor times rest, where rest is no product with a constant.
  struct Scaled {
    double factor;
    Expr rest;
  };
  Scaled scaled(Expr x) const;
  Expr add_constant(Expr constant, Expr x);

  std::vector<Node> nodes_;
  std::unordered_map<Key, std::int32_t, Hash> known_;
  std::int32_t inputs_ = 0;
  bool divides_by_zero_ = false;
};

}  // namespace rbd_parallel_core::symbolic
