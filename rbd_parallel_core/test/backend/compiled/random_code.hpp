// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../../../src/backend/compiled/machine_code.hpp"
#include "../../../src/backend/kernels/kernel_memory.hpp"
#include "rbd_parallel_core/testing/robots.hpp"

/// Random graphs, and whether the code that is made of them computes what they say.
namespace rbd_parallel_core::compiled {

using conformance::Random;
using symbolic::Expr;
using symbolic::Function;
using symbolic::Graph;

inline std::string text_of(const Target& target) {
  return name_of(target.set) + (target.packed ? " packed" : " alone") +
         (target.is_float ? " float" : " double");
}

/// Runs the code with numbers that differ from lane to lane, and compares each with `evaluate`.
/// run(code, target, block) does it.
template <class Real, class Run>
void expect_same(const Function& function, const Target& target, Random& random, double tolerance,
                 Run& run) {
  const StraightLine line = straight_line(function, target.fused());
  const AllocatedCode code =
      allocate_registers(line, target.registers(), 16, target.fused_result());
  const std::size_t width = target.width();
  const KernelMemory memory(
      masks_bytes + static_cast<std::size_t>(code.layout.size) * target.scalar_bytes() + 64);
  write_masks(memory.get(), target.is_float);
  Real* const numbers = reinterpret_cast<Real*>(memory.get() + masks_bytes);
  const auto at = [&](std::int32_t place, std::size_t lane) -> Real& {
    return numbers[static_cast<std::size_t>(place) * width + lane];
  };
  std::vector<std::vector<double>> inputs(width);
  for (std::size_t lane = 0; lane < width; ++lane) {
    for (std::int32_t k = 0; k < line.inputs; ++k) {
      const double x = static_cast<Real>(random.uniform(0.5, 2));
      inputs[lane].push_back(x);
      at(code.layout.inputs + k, lane) = static_cast<Real>(x);
    }
    for (std::int32_t k = 0; k < line.turn_count(); ++k) {
      const StraightLine::Turn& turn = line.turns[static_cast<std::size_t>(k)];
      const double angle =
          turn.factor * inputs[lane][static_cast<std::size_t>(turn.input)] + turn.offset;
      at(code.layout.sines + k, lane) = static_cast<Real>(std::sin(angle));
      at(code.layout.cosines + k, lane) = static_cast<Real>(std::cos(angle));
    }
    for (std::size_t k = 0; k < line.constants.size(); ++k) {
      at(code.layout.constants + static_cast<std::int32_t>(k), lane) =
          static_cast<Real>(line.constants[k]);
    }
    for (const StraightLine::ConstantResult& result : line.constant_results) {
      at(code.layout.results + result.at, lane) = static_cast<Real>(result.value);
    }
  }
  run(code, target, memory.get());
  for (std::size_t lane = 0; lane < width; ++lane) {
    const std::vector<double> expected = symbolic::evaluate(function, inputs[lane]);
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const double actual = at(code.layout.results + static_cast<std::int32_t>(k), lane);
      EXPECT_NEAR(actual, expected[k], tolerance * std::max(1.0, std::abs(expected[k])))
          << text_of(target) << ", result " << k << ", lane " << lane;
    }
  }
}

template <class Run>
void expect_same(const Function& function, const Target& target, Random& random, Run& run) {
  if (target.is_float) {
    expect_same<float>(function, target, random, 2e-4, run);
  } else {
    expect_same<double>(function, target, random, 1e-12, run);
  }
}

/// `count` operations on what is there already: all kinds, on inputs and results near and far.
/// Values stay near 1, so that errors do.
inline Function random_function(Random& random, int count) {
  Function function;
  Graph& g = function.graph;
  const std::vector<Expr> inputs = function.add_input("x", 6);
  std::vector<Expr> values(inputs);
  const auto pick = [&](int n) { return static_cast<int>(random.uniform(0, n)); };
  const auto any = [&] {
    const auto size = static_cast<int>(values.size());
    const int k = pick(2) == 0 ? pick(size) : size - 1 - pick(std::min(size, 20));
    const Expr x = values[static_cast<std::size_t>(k)];
    return pick(3) == 0 ? g.negate(x) : x;
  };
  const auto small = [&](Expr x) {  // |x| grows by no operation
    return g.multiply(g.constant(random.uniform(0.2, 0.5)), x);
  };
  for (int k = 0; k < count; ++k) {
    const Expr a = any(), b = any(), c = any();
    const Expr input = inputs[static_cast<std::size_t>(pick(6))];
    switch (pick(11)) {
      case 0:
        values.push_back(g.add(small(a), small(b)));
        break;
      case 1:
        values.push_back(small(g.add(a, b)));
        break;
      case 2:
        values.push_back(small(g.add(g.multiply(small(a), b), c)));
        break;
      case 3:
        values.push_back(small(g.subtract(c, g.multiply(small(a), small(b)))));
        break;
      case 4:
        values.push_back(small(g.divide(a, g.add(g.constant(2), g.absolute(b)))));
        break;
      case 5:
        values.push_back(small(g.square_root(g.add(g.constant(1), g.absolute(a)))));
        break;
      case 6:
        values.push_back(g.maximum(a, b));
        break;
      case 7:
        values.push_back(g.select(g.less(a, b), a, c));
        break;
      case 8:
        values.push_back(g.select(g.less_equal(a, b), g.negate(a), c));
        break;
      case 9:
        values.push_back(g.sine(g.add(g.constant(random.uniform(-1, 1)), input)));
        break;
      default:
        values.push_back(g.cosine(g.multiply(g.constant(random.uniform(-2, 2)), input)));
        break;
    }
  }
  std::vector<Expr> results;
  for (std::size_t k = 0; k < values.size(); k += 3) {
    results.push_back(k % 2 == 0 ? values[k] : g.negate(values[k]));
  }
  for (int k = 0; k < count / 10; ++k) {  // sums that are computed with the other sign
    results.push_back(g.negate(g.add(g.multiply(any(), any()), any())));
    results.push_back(g.negate(g.subtract(any(), any())));
  }
  results.push_back(g.constant(-2.5));
  results.push_back(g.constant(0));
  function.add_output("r", results);
  return function;
}

}  // namespace rbd_parallel_core::compiled
