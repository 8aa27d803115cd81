// SPDX-License-Identifier: Apache-2.0
//
// Law: machine code of any graph of expressions computes what its operations do one after the
// other, within the rounding errors of both, for every instruction set of this machine, for numbers
// of both types, in packs and alone.

#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

#include "backend/compiled/machine_code.hpp"
#include "backend/compiled/straight_line.hpp"

namespace rbd_parallel_core::compiled {
namespace {

using symbolic::Expr;
using symbolic::Function;
using symbolic::Node;
using symbolic::Op;

constexpr std::size_t input_count = 5;
constexpr double unknown = std::numeric_limits<double>::infinity();

/// A number, and how far from the exact one it may be.
struct Bounded {
  double x, error;
};

/// How numbers are rounded: relative to their size, where they vanish, and where they overflow.
struct Rounding {
  double eps, tiny, largest;
};

/// One operation (Higham, Accuracy and Stability of Numerical Algorithms, 2002, 3.3: a running
/// error analysis).
Bounded computed(Op op, const Bounded& a, const Bounded& b, const Bounded& c,
                 const Rounding& rounding) {
  const double eps = rounding.eps, tiny = rounding.tiny;
  if (op != Op::select && !std::isfinite(a.error + b.error)) return {a.x, unknown};
  const auto rounded = [&](double x, double error) {
    const double sum = error + eps * std::abs(x) + tiny;
    return Bounded{x, std::abs(x) + sum < rounding.largest ? sum : unknown};
  };
  switch (op) {
    case Op::add:
      return rounded(a.x + b.x, a.error + b.error);
    case Op::multiply:
      return rounded(a.x * b.x,
                     std::abs(a.x) * b.error + std::abs(b.x) * a.error + a.error * b.error);
    case Op::divide: {
      // A constant divisor may have become a factor, which is one rounding more.
      const double least = std::abs(b.x) - b.error, x = a.x / b.x;
      if (!(least > 0)) return {x, unknown};
      return rounded(x, (a.error + std::abs(x) * b.error) / least + eps * std::abs(x));
    }
    case Op::square_root: {
      const double x = std::sqrt(a.x);
      return a.x - a.error > 0 ? rounded(x, a.error / std::sqrt(a.x - a.error))
                               : Bounded{x, a.error == 0 ? 0 : unknown};
    }
    case Op::absolute:
      return {std::abs(a.x), a.error};
    case Op::maximum:
      return {std::max(a.x, b.x), std::max(a.error, b.error)};
    case Op::less:
    case Op::less_equal: {
      const bool sure = std::abs(a.x - b.x) > a.error + b.error || (a.error + b.error == 0);
      return {(op == Op::less ? a.x < b.x : a.x <= b.x) ? 1.0 : 0.0, sure ? 0 : unknown};
    }
    case Op::select:
      if (a.error == 0) return a.x != 0 ? b : c;
      return {b.x, unknown};
    default:
      return {0, unknown};
  }
}

/// What the bytes say: an operation on values before it, with signs.
struct Chosen {
  Op op;
  std::size_t a, b, c;
  bool negative_a, negative_b;
  double constant;
};

std::vector<Chosen> steps_from(FuzzedDataProvider& bytes) {
  constexpr Op ops[] = {Op::add,      Op::add,     Op::add,    Op::multiply, Op::multiply,
                        Op::multiply, Op::divide,  Op::sine,   Op::cosine,   Op::square_root,
                        Op::absolute, Op::maximum, Op::select, Op::constant, Op::constant};
  std::vector<Chosen> steps;
  while (bytes.remaining_bytes() > 8 && steps.size() < 3000) {
    const std::size_t known = input_count + steps.size();
    const auto value = [&] {  // mostly a late one
      const auto back = bytes.ConsumeIntegral<std::uint8_t>();
      return back < 224 ? known - 1 - std::min<std::size_t>(back % 32, known - 1)
                        : bytes.ConsumeIntegralInRange<std::size_t>(0, known - 1);
    };
    Chosen step{};
    step.op = ops[bytes.ConsumeIntegralInRange<std::size_t>(0, std::size(ops) - 1)];
    step.a = value();
    step.b = value();
    step.c = value();
    step.negative_a = bytes.ConsumeBool();
    step.negative_b = bytes.ConsumeBool();
    // Numbers that a float has exactly.
    step.constant = bytes.ConsumeIntegralInRange<int>(-8, 8) / 4.0;
    steps.push_back(step);
  }
  return steps;
}

/// The steps as a function of which some values are results.
Function function_of(const std::vector<Chosen>& steps, FuzzedDataProvider& bytes,
                     std::vector<std::size_t>& results) {
  Function function;
  symbolic::Graph& g = function.graph;
  std::vector<Expr> x = function.add_input("x", input_count);
  for (const Chosen& step : steps) {
    const Expr a = step.negative_a ? g.negate(x[step.a]) : x[step.a];
    const Expr b = step.negative_b ? g.negate(x[step.b]) : x[step.b];
    const Expr input = x[step.a % input_count];
    switch (step.op) {
      case Op::constant:
        x.push_back(g.constant(step.constant));
        break;
      case Op::add:
        x.push_back(g.add(a, b));
        break;
      case Op::multiply:
        x.push_back(g.multiply(a, b));
        break;
      case Op::divide:  // by at least 1
        x.push_back(g.divide(a, g.add(g.constant(1), g.absolute(b))));
        break;
      case Op::sine:
        x.push_back(g.sine(g.add(g.multiply(g.constant(step.constant), input), g.constant(1))));
        break;
      case Op::cosine:
        x.push_back(g.cosine(g.multiply(g.constant(step.constant), input)));
        break;
      case Op::square_root:
        x.push_back(g.square_root(g.absolute(a)));
        break;
      case Op::absolute:
        x.push_back(g.absolute(a));
        break;
      case Op::maximum:
        x.push_back(g.maximum(a, b));
        break;
      default:
        x.push_back(g.select(g.less(a, b), x[step.c], b));
    }
  }
  std::vector<Expr> chosen;
  for (std::size_t k = 0; k < 1 + x.size() / 4; ++k) {
    results.push_back(bytes.ConsumeIntegralInRange<std::size_t>(0, x.size() - 1));
    if (bytes.remaining_bytes() == 0) results.back() = x.size() - 1 - k;
    chosen.push_back(x[results.back()]);
  }
  function.add_output("y", chosen);
  return function;
}

/// The steps one after the other, as they were chosen: nothing simplified.
std::vector<Bounded> direct(const std::vector<Chosen>& steps, const std::vector<double>& inputs,
                            const Rounding& rounding) {
  std::vector<Bounded> x;
  for (const double input : inputs) x.push_back({input, 0});
  const Bounded none{0, 0};
  for (const Chosen& step : steps) {
    const auto with_sign = [](Bounded value, bool negative) {
      return Bounded{negative ? -value.x : value.x, value.error};
    };
    const Bounded a = with_sign(x[step.a], step.negative_a),
                  b = with_sign(x[step.b], step.negative_b);
    const double input = inputs[step.a % input_count];
    const auto turned = [&](double sine_or_cosine) {
      return Bounded{sine_or_cosine, 8 * rounding.eps};  // of the angle too, which is at most 5
    };
    switch (step.op) {
      case Op::constant:
        x.push_back({step.constant, 0});
        break;
      case Op::sine:
        x.push_back(turned(std::sin(step.constant * input + 1)));
        break;
      case Op::cosine:
        x.push_back(turned(std::cos(step.constant * input)));
        break;
      case Op::divide: {
        const Bounded size = computed(Op::absolute, b, none, none, rounding);
        x.push_back(computed(Op::divide, a, computed(Op::add, {1, 0}, size, none, rounding), none,
                             rounding));
        break;
      }
      case Op::square_root:
        x.push_back(computed(Op::square_root, computed(Op::absolute, a, none, none, rounding), none,
                             none, rounding));
        break;
      case Op::select:
        x.push_back(
            computed(Op::select, computed(Op::less, a, b, none, rounding), x[step.c], b, rounding));
        break;
      default:
        x.push_back(computed(step.op, a, b, none, rounding));
    }
  }
  return x;
}

/// How far the code may be from the exact results: its nodes, whatever they became.
std::vector<Bounded> of_nodes(const Function& function, const std::vector<double>& inputs,
                              const Rounding& rounding) {
  const std::vector<Node>& nodes = function.graph.nodes();
  std::vector<Bounded> x(nodes.size());
  const auto of = [&](Expr e) {
    if (!e.exists()) return Bounded{0, 0};
    const Bounded& value = x[static_cast<std::size_t>(e.node())];
    return Bounded{e.negative() ? -value.x : value.x, value.error};
  };
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const Node& node = nodes[k];
    switch (node.op) {
      case Op::constant:  // folded, and rounded to the numbers that run
        x[k] = {node.value, 4 * rounding.eps * std::abs(node.value)};
        break;
      case Op::input:
        x[k] = {inputs[static_cast<std::size_t>(node.a.node())], 0};
        break;
      case Op::sine:
        x[k] = {std::sin(of(node.a).x), 8 * rounding.eps};
        break;
      case Op::cosine:
        x[k] = {std::cos(of(node.a).x), 8 * rounding.eps};
        break;
      default:
        x[k] = computed(node.op, of(node.a), of(node.b), of(node.c), rounding);
    }
  }
  return x;
}

template <class Real>
void expect_same(const Function& function, const std::vector<Chosen>& steps,
                 const std::vector<std::size_t>& results, const Target& target,
                 const std::vector<std::vector<double>>& inputs) {
  const StraightLine line = straight_line(function, target.fused());
  const AllocatedCode code = allocate_registers(line, target.registers(), 16);
  const MachineCode machine_code(code, target);
  const std::size_t width = target.width();
  const std::size_t bytes =
      masks_bytes + static_cast<std::size_t>(code.layout.size) * target.scalar_bytes() + 64;
  void* const memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  auto* const block = static_cast<std::byte*>(memory);
  std::fill_n(block, bytes, std::byte{0});
  write_masks(block, target.is_float);
  Real* const numbers = reinterpret_cast<Real*>(block + masks_bytes);
  const auto at = [&](std::int32_t place, std::size_t lane) -> Real& {
    return numbers[static_cast<std::size_t>(place) * width + lane];
  };
  for (std::size_t lane = 0; lane < width; ++lane) {
    const std::vector<double>& in = inputs[lane];
    for (std::int32_t k = 0; k < line.inputs; ++k) {
      at(code.layout.inputs + k, lane) = static_cast<Real>(in[static_cast<std::size_t>(k)]);
    }
    for (std::int32_t k = 0; k < line.turn_count(); ++k) {
      const StraightLine::Turn& turn = line.turns[static_cast<std::size_t>(k)];
      const double angle = turn.factor * in[static_cast<std::size_t>(turn.input)] + turn.offset;
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
  machine_code.run(block);
  // Rounding to nearest is half of this; the rest pays for the bounds' own rounding.
  constexpr Rounding rounding{std::numeric_limits<Real>::epsilon(),
                              std::numeric_limits<Real>::min(),
                              std::numeric_limits<Real>::max() / 4};
  for (std::size_t lane = 0; lane < width; ++lane) {
    const std::vector<Bounded> expected = direct(steps, inputs[lane], rounding);
    const std::vector<Bounded> nodes = of_nodes(function, inputs[lane], rounding);
    for (std::size_t k = 0; k < results.size(); ++k) {
      const Bounded& exact = expected[results[k]];
      const double bound = exact.error +
                           nodes[static_cast<std::size_t>(function.results[k].node())].error +
                           rounding.tiny;
      // Numbers near the largest, and comparisons that rounding decides, say nothing.
      if (!std::isfinite(exact.x) || !(bound < 1e30)) continue;
      const double actual = at(code.layout.results + static_cast<std::int32_t>(k), lane);
      if (std::abs(actual - exact.x) <= bound) continue;
      std::fprintf(stderr, "%s %s: result %zu of lane %zu is %.17g, expected %.17g within %g\n",
                   target.is_float ? "float" : "double", target.packed ? "packed" : "alone", k,
                   lane, actual, exact.x, bound);
      std::abort();
    }
  }
  std::free(memory);
}

std::vector<InstructionSet> sets_here() {
  std::vector<InstructionSet> sets{InstructionSet::baseline};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    sets.push_back(InstructionSet::avx2);
  }
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    sets.push_back(InstructionSet::avx512);
  }
  return sets;
}

void run(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider bytes(data, size);
  constexpr std::size_t lanes = 16;
  std::vector<std::vector<double>> inputs(lanes);
  std::minstd_rand random(bytes.ConsumeIntegral<std::uint8_t>());  // bytes are for the steps
  std::uniform_int_distribution<int> eighths(-16, 16);
  for (std::vector<double>& of_lane : inputs) {
    for (std::size_t k = 0; k < input_count; ++k) of_lane.push_back(eighths(random) / 8.0);
  }
  std::vector<std::size_t> results;
  const std::vector<Chosen> steps = steps_from(bytes);
  const Function function = function_of(steps, bytes, results);
  for (const InstructionSet set : sets_here()) {
    for (const bool packed : {false, true}) {
      expect_same<double>(function, steps, results, {set, packed, false}, inputs);
      expect_same<float>(function, steps, results, {set, packed, true}, inputs);
    }
  }
}

}  // namespace
}  // namespace rbd_parallel_core::compiled

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rbd_parallel_core::compiled::run(data, size);
  return 0;
}
