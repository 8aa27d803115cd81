// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/spatial/scalar.hpp"
#include "rbd_parallel_core/symbolic/graph.hpp"

/// A Scalar whose operations are written down in a graph. Any algorithm over Scalars can be run on
/// it.
namespace rbd_parallel_core::symbolic {

/// Makes a graph the one that Symbols of this thread are written to, as long as it lives: a Scalar
/// is made from a number alone, and could not be told a graph otherwise.
class Tracing {
 public:
  /// singular_tolerance: of the numbers that will run, which need not be double.
  explicit Tracing(Graph& graph, double singular_tolerance = 0)
      : outer_(current), outer_tolerance_(tolerance) {
    current = &graph;
    tolerance = singular_tolerance;
  }
  ~Tracing() {
    current = outer_;
    tolerance = outer_tolerance_;
  }
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;

  static Graph& graph() { return *current; }
  static double singular_tolerance() { return tolerance; }

 private:
  static inline thread_local Graph* current = nullptr;
  static inline thread_local double tolerance = 0;
  Graph* outer_;
  double outer_tolerance_;
};

struct Symbol {
  Expr expr;

  Symbol() = default;
  explicit Symbol(double value) : expr(Tracing::graph().constant(value)) {}
  explicit Symbol(Expr e) : expr(e) {}

  friend Symbol operator+(const Symbol& a, const Symbol& b) {
    return Symbol(Tracing::graph().add(a.expr, b.expr));
  }
  friend Symbol operator-(const Symbol& a, const Symbol& b) {
    return Symbol(Tracing::graph().subtract(a.expr, b.expr));
  }
  friend Symbol operator*(const Symbol& a, const Symbol& b) {
    return Symbol(Tracing::graph().multiply(a.expr, b.expr));
  }
  friend Symbol operator/(const Symbol& a, const Symbol& b) {
    return Symbol(Tracing::graph().divide(a.expr, b.expr));
  }
  friend Symbol operator-(const Symbol& a) { return Symbol(Tracing::graph().negate(a.expr)); }
};

}  // namespace rbd_parallel_core::symbolic

namespace rbd_parallel_core {

/// Has no load and store: Symbols do not lie in arrays of numbers, so what traces an algorithm
/// brings readers and writers of its own (symbolic/trace.hpp).
template <>
struct ScalarTraits<symbolic::Symbol> {
  using S = symbolic::Symbol;
  using Real = double;
  using Mask = symbolic::Expr;
  static constexpr std::size_t width = 1;

  static symbolic::Graph& graph() { return symbolic::Tracing::graph(); }
  static S mul_add(const S& a, const S& b, const S& c) { return a * b + c; }
  static S neg_mul_add(const S& a, const S& b, const S& c) { return c - a * b; }
  static S sqrt(const S& x) { return S(graph().square_root(x.expr)); }
  static S abs(const S& x) { return S(graph().absolute(x.expr)); }
  static S max(const S& a, const S& b) { return S(graph().maximum(a.expr, b.expr)); }
  static void sincos(const S& x, S& sine, S& cosine) {
    sine = S(graph().sine(x.expr));
    cosine = S(graph().cosine(x.expr));
  }
  static Mask less(const S& a, const S& b) { return graph().less(a.expr, b.expr); }
  static Mask less_equal(const S& a, const S& b) { return graph().less_equal(a.expr, b.expr); }
  static S select(const Mask& mask, const S& a, const S& b) {
    return S(graph().select(mask, a.expr, b.expr));
  }
  static S singular_tolerance() { return S(symbolic::Tracing::singular_tolerance()); }
};

}  // namespace rbd_parallel_core
