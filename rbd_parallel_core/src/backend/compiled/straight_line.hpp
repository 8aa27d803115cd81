// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "rbd_parallel_core/symbolic/function.hpp"

/// A function as a list of steps, each an instruction or two of a processor, in the order in which
/// they run.
namespace rbd_parallel_core::compiled {

enum class Step : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  square_root,
  absolute,
  negate,
  maximum,
  less,                       ///< a mask: all bits set where a < b
  less_equal,                 ///< a mask: where a <= b
  select,                     ///< b where the mask a is set, else c
  multiply_add,               ///< a b + c
  multiply_subtract,          ///< a b - c
  negated_multiply_add,       ///< c - a b
  negated_multiply_subtract,  ///< -a b - c
};

/// One step; a, b and c are numbers of values, -1 where it has fewer operands.
struct Line {
  Step step;
  std::int32_t a = -1, b = -1, c = -1;
};

/// Values are numbered: first what is in memory before the code runs (inputs, sines, cosines,
/// constants), then what the lines compute, one each.
struct StraightLine {
  /// An angle: factor times an input, plus offset.
  struct Turn {
    std::int32_t input;
    double factor, offset;
  };
  struct Result {
    std::int32_t value, at;  ///< value to number `at` of the results
  };
  struct ConstantResult {
    std::int32_t at;
    double value;
  };

  std::int32_t inputs = 0;
  std::vector<Turn> turns;
  std::vector<double> constants;
  std::vector<Line> lines;
  std::vector<Result> results;
  std::vector<ConstantResult> constant_results;  ///< but for zeros
  std::int32_t result_count = 0;                 ///< with constants and zeros

  std::int32_t turn_count() const { return static_cast<std::int32_t>(turns.size()); }
  std::int32_t first_constant() const { return inputs + 2 * turn_count(); }
  /// The first value that a line computes.
  std::int32_t first_line() const {
    return first_constant() + static_cast<std::int32_t>(constants.size());
  }
};

/// fused: with fused multiply-adds. Throws std::invalid_argument where an angle is anything but a
/// factor times an input plus an offset.
StraightLine straight_line(const symbolic::Function& function, bool fused);

}  // namespace rbd_parallel_core::compiled
