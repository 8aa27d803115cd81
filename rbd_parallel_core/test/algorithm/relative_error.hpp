// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace rbd_parallel_core {

/// max |found - expected| / max(|expected|, least_scale); infinite where something was found that
/// is no number.
template <class Found, class Expected>
double relative_error(const std::vector<Found>& found, const std::vector<Expected>& expected,
                      long double least_scale = 1) {
  long double difference = 0, scale = least_scale;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const auto right = static_cast<long double>(expected[k]);
    const long double here = std::abs(static_cast<long double>(found[k]) - right);
    if (!std::isfinite(here)) return std::numeric_limits<double>::infinity();
    difference = std::max(difference, here);
    scale = std::max(scale, std::abs(right));
  }
  return static_cast<double>(difference / scale);
}

}  // namespace rbd_parallel_core
