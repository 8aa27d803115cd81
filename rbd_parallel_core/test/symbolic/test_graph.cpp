// SPDX-License-Identifier: Apache-2.0
// Graphs: what is simplified, and derivatives by the chain rule against finite differences.
#include <gtest/gtest.h>

#include <cmath>

#include "rbd_parallel_core/symbolic/function.hpp"
#include "rbd_parallel_core/symbolic/fusion.hpp"

namespace rbd_parallel_core::symbolic {
namespace {

class Graphs : public ::testing::Test {
 protected:
  Function f;
  std::vector<Expr> in = f.add_input("x", 3);
  Graph& g = f.graph;
  Expr x = in[0], y = in[1], z = in[2];
  Expr number(double value) { return g.constant(value); }
};

TEST_F(Graphs, AnExpressionIsWrittenOnce) {
  EXPECT_EQ(g.add(x, y), g.add(y, x));
  EXPECT_EQ(g.multiply(x, y), g.multiply(y, x));
  EXPECT_EQ(g.subtract(x, y), -g.subtract(y, x));
  EXPECT_EQ(g.multiply(-x, y), -g.multiply(x, y));
  EXPECT_EQ(g.sine(-x), -g.sine(x));
  EXPECT_EQ(g.cosine(-x), g.cosine(x));
}

TEST_F(Graphs, ZerosAndOnesVanish) {
  EXPECT_EQ(g.add(x, number(0)), x);
  EXPECT_EQ(g.multiply(number(1), x), x);
  EXPECT_EQ(g.multiply(number(-1), x), -x);
  EXPECT_TRUE(g.is_constant(g.multiply(x, number(0)), 0));
  EXPECT_TRUE(g.is_constant(g.subtract(x, x), 0));
  EXPECT_EQ(g.divide(x, number(1)), x);
  EXPECT_EQ(g.divide(x, number(4)), g.multiply(number(0.25), x));
}

TEST_F(Graphs, ConstantsAreGathered) {
  EXPECT_EQ(g.multiply(number(2), g.multiply(number(3), x)), g.multiply(number(6), x));
  EXPECT_EQ(g.add(number(2), g.add(number(3), x)), g.add(number(5), x));
  EXPECT_EQ(g.subtract(number(2), g.subtract(number(3), x)), g.add(number(-1), x));
  EXPECT_EQ(g.add(g.multiply(number(2), x), g.multiply(number(3), x)), g.multiply(number(5), x));
  EXPECT_EQ(g.add(x, x), g.multiply(number(2), x));
  EXPECT_TRUE(g.is_constant(g.add(number(2), number(3)), 5));
}

TEST_F(Graphs, AChoiceThatIsKnownIsMade) {
  EXPECT_EQ(g.select(g.less(number(1), number(2)), x, y), x);
  EXPECT_EQ(g.select(g.less(number(2), number(1)), x, y), y);
  EXPECT_EQ(g.select(g.less(x, y), z, z), z);
}

TEST_F(Graphs, AProductIsTakenInByAllThatUseItOrStays) {
  const Expr product = g.multiply(x, y), shared = g.multiply(y, z);
  const Expr results[] = {g.add(product, z), g.add(shared, x), g.sine(shared)};
  f.add_output("r", results);
  const Fusion fusion = fuse(f, live_nodes(f));
  EXPECT_EQ(fusion.count, 1);
  EXPECT_TRUE(fusion.taken_in[static_cast<std::size_t>(product.node())]);
  EXPECT_FALSE(fusion.taken_in[static_cast<std::size_t>(shared.node())]);
}

TEST_F(Graphs, CountsWhatTheResultsNeed) {
  g.multiply(x, g.sine(z));  // for nobody
  const Expr result[] = {g.divide(g.add(g.multiply(x, y), z), g.square_root(g.cosine(y)))};
  f.add_output("r", result);
  const OperationCounts counts = count_operations(f);
  EXPECT_EQ(counts.multiplications, 1);
  EXPECT_EQ(counts.additions, 1);
  EXPECT_EQ(counts.divisions, 1);
  EXPECT_EQ(counts.square_roots, 1);
  EXPECT_EQ(counts.sines_and_cosines, 1);
  EXPECT_EQ(counts.total(), 5);
  EXPECT_EQ(counts.fused, 1);
}

/// Two functions with every operation that has a derivative.
std::vector<Expr> two_functions(Graph& g, const std::vector<Expr>& in) {
  const Expr x = in[0], y = in[1], z = in[2];
  const Expr root = g.square_root(g.add(g.constant(3), g.multiply(x, x)));
  const Expr first = g.divide(g.multiply(g.sine(g.multiply(x, y)), root), g.add(g.constant(4), z));
  const Expr second = g.subtract(g.cosine(first), g.divide(y, root));
  return {first, -second};
}

TEST_F(Graphs, DerivativesAreThoseOfFiniteDifferences) {
  const std::vector<Expr> results = two_functions(g, in);
  f.add_output("r", results);
  f.add_output("forward", forward_jacobian(g, results, in));
  f.add_output("reverse", reverse_jacobian(g, results, in));
  const std::vector<double> at{0.7, -0.4, 1.1};
  const std::vector<double> values = evaluate(f, at);
  const double h = 1e-6;
  for (std::size_t j = 0; j < 3; ++j) {
    std::vector<double> up = at, down = at;
    up[j] += h;
    down[j] -= h;
    const std::vector<double> above = evaluate(f, up), below = evaluate(f, down);
    for (std::size_t k = 0; k < 2; ++k) {
      const double expected = (above[k] - below[k]) / (2 * h);
      EXPECT_NEAR(values[2 + 3 * k + j], expected, 1e-9);
      EXPECT_NEAR(values[8 + 3 * k + j], expected, 1e-9);
    }
  }
}

TEST_F(Graphs, AFunctionCanBeInsertedIntoAnother) {
  Function inner;
  const std::vector<Expr> inputs = inner.add_input("x", 3);
  inner.add_output("r", two_functions(inner.graph, inputs));
  const Expr arguments[] = {g.add(x, y), z, g.sine(x)};
  f.add_output("r", insert(g, inner, arguments));
  const std::vector<double> at{0.7, -0.4, 1.1};
  const std::vector<double> expected =
      evaluate(inner, std::vector<double>{at[0] + at[1], at[2], std::sin(at[0])});
  EXPECT_EQ(evaluate(f, at), expected);
}

TEST_F(Graphs, AComparisonHasNoDerivative) {
  const Expr result[] = {g.select(g.less(x, y), x, y)};
  EXPECT_THROW(forward_jacobian(g, result, in), std::invalid_argument);
  EXPECT_THROW(reverse_jacobian(g, result, in), std::invalid_argument);
}

}  // namespace
}  // namespace rbd_parallel_core::symbolic
