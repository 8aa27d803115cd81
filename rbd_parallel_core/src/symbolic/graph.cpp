// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/symbolic/graph.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace rbd_parallel_core::symbolic {

std::size_t Graph::Hash::operator()(const Key& key) const {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto mix = [&](std::uint64_t x) {
    hash = (hash ^ x) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  };
  mix(static_cast<std::uint64_t>(key.op) << 32 | static_cast<std::uint32_t>(key.a));
  mix(static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.b)) << 32 |
      static_cast<std::uint32_t>(key.c));
  mix(key.value);
  return hash;
}

Expr Graph::node(Op op, Expr a, Expr b, Expr c, double value) {
  const Key key{static_cast<std::int32_t>(op), a.code(), b.code(), c.code(),
                std::bit_cast<std::uint64_t>(value)};
  const auto [place, fresh] = known_.try_emplace(key, static_cast<std::int32_t>(nodes_.size()));
  if (fresh) nodes_.push_back({op, a, b, c, value});
  return {place->second, false};
}

Expr Graph::constant(double value) {
  const Expr magnitude = node(Op::constant, {}, {}, {}, std::abs(value));
  return value < 0 ? -magnitude : magnitude;
}

Expr Graph::input() { return node(Op::input, Expr(inputs_++, false)); }

Graph::Scaled Graph::scaled(Expr x) const {
  const double sign = x.negative() ? -1 : 1;
  const Node& n = at(x);
  if (n.op == Op::multiply && is_constant(n.a)) return {sign * at(n.a).value, n.b};
  return {sign, x.positive()};
}

Expr Graph::add_constant(Expr constant_term, Expr x) {
  const Node n = at(x);
  if (n.op == Op::add) {
    const Expr first = n.a.times_sign_of(x), second = n.b.times_sign_of(x);
    if (is_constant(first)) {
      return add(constant(value_of(constant_term) + value_of(first)), second);
    }
  }
  return {};
}

Expr Graph::add(Expr a, Expr b) {
  if (is_constant(a, 0)) return b;
  if (is_constant(b, 0)) return a;
  if (is_constant(a) && is_constant(b)) return constant(value_of(a) + value_of(b));
  const Scaled of_a = scaled(a), of_b = scaled(b);
  if (of_a.rest == of_b.rest && !is_constant(of_a.rest)) {
    return multiply(constant(of_a.factor + of_b.factor), of_a.rest);
  }
  if (is_constant(b)) std::swap(a, b);
  if (is_constant(a)) {
    if (const Expr merged = add_constant(a, b); merged.exists()) return merged;
  } else if (a.node() > b.node()) {
    std::swap(a, b);
  }
  // The first operand is positive, and a constant comes first.
  if (a.negative()) return -node(Op::add, -a, -b);
  return node(Op::add, a, b);
}

Expr Graph::multiply(Expr a, Expr b) {
  const bool negative = a.negative() != b.negative();
  const auto with_sign = [&](Expr x) { return negative ? negate(x) : x; };
  a = a.positive();
  b = b.positive();
  if (is_constant(b)) std::swap(a, b);
  if (is_constant(a)) {
    if (is_constant(a, 0)) return a;
    if (is_constant(a, 1)) return with_sign(b);
    if (is_constant(b)) return with_sign(constant(at(a).value * at(b).value));
    const Node n = at(b);
    if (n.op == Op::multiply && is_constant(n.a)) {
      return with_sign(multiply(constant(at(a).value * at(n.a).value), n.b));
    }
  } else if (a.node() > b.node()) {
    std::swap(a, b);
  }
  return with_sign(node(Op::multiply, a, b));
}

Expr Graph::divide(Expr a, Expr b) {
  const bool negative = a.negative() != b.negative();
  const auto with_sign = [&](Expr x) { return negative ? negate(x) : x; };
  a = a.positive();
  b = b.positive();
  if (is_constant(b, 0)) {
    divides_by_zero_ = true;
  } else if (is_constant(b)) {
    if (is_constant(a)) return with_sign(constant(at(a).value / at(b).value));
    return with_sign(multiply(constant(1 / at(b).value), a));
  } else if (is_constant(a, 0)) {
    return a;
  }
  return with_sign(node(Op::divide, a, b));
}

Expr Graph::square_root(Expr a) {
  if (is_constant(a) && !a.negative()) return constant(std::sqrt(value_of(a)));
  return node(Op::square_root, a);
}

Expr Graph::sine(Expr a) {
  if (is_constant(a)) return constant(std::sin(value_of(a)));
  const Expr result = node(Op::sine, a.positive());
  return a.negative() ? -result : result;
}

Expr Graph::cosine(Expr a) {
  if (is_constant(a)) return constant(std::cos(value_of(a)));
  return node(Op::cosine, a.positive());
}

Expr Graph::absolute(Expr a) {
  if (is_constant(a)) return a.positive();
  return node(Op::absolute, a.positive());
}

Expr Graph::maximum(Expr a, Expr b) {
  if (a == b) return a;
  if (is_constant(a) && is_constant(b)) return constant(std::max(value_of(a), value_of(b)));
  return node(Op::maximum, a, b);
}

Expr Graph::less(Expr a, Expr b) {
  if (is_constant(a) && is_constant(b)) return constant(value_of(a) < value_of(b) ? 1 : 0);
  return node(Op::less, a, b);
}

Expr Graph::less_equal(Expr a, Expr b) {
  if (is_constant(a) && is_constant(b)) return constant(value_of(a) <= value_of(b) ? 1 : 0);
  return node(Op::less_equal, a, b);
}

Expr Graph::select(Expr mask, Expr a, Expr b) {
  if (is_constant(mask)) return is_constant(mask, 0) ? b : a;
  if (a == b) return a;
  return node(Op::select, mask, a, b);
}

}  // namespace rbd_parallel_core::symbolic
