// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/sampling.hpp"
#include "rbd_parallel_core/status.hpp"

namespace rbd_bench {

// Throw what was refused.
inline void require(const rbd_parallel_core::Result& result) {
  if (!result.ok()) throw std::runtime_error(message(result));
}

inline void require(const rbd_parallel_core::StateStatus& status) {
  if (!status.ok()) throw std::runtime_error("a state was refused");
}

// Relative to the largest expected number; infinite where a number is not finite.
inline double largest_difference(const std::vector<double>& found,
                                 const std::vector<double>& expected) {
  double difference = 0, scale = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    if (!std::isfinite(found[k])) return std::numeric_limits<double>::infinity();
    difference = std::max(difference, std::abs(found[k] - expected[k]));
    scale = std::max(scale, std::abs(expected[k]));
  }
  return difference / scale;
}

// Sets the disagreement of everyone with the first one; all of them write to `results`. Throws
// where it is so large that this is another number: what loses digits on long chains may be far
// off.
inline void compare(std::vector<Runner>& runners, std::vector<double>& results) {
  constexpr double kSameNumber = 1e-3;
  runners.front().pass();
  const std::vector<double> expected = results;
  for (Runner& runner : runners) {
    std::fill(results.begin(), results.end(), 0.0);
    runner.pass();
    runner.disagreement = largest_difference(results, expected);
    if (!(runner.disagreement < kSameNumber)) {
      throw std::runtime_error(runner.name + " disagrees with " + runners.front().name);
    }
  }
}

}  // namespace rbd_bench
