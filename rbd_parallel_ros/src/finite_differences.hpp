// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace rbd_parallel_ros {

/// d value / dt at times[at], per second. `value(i)` is the value at times[i]; `times`, in
/// nanoseconds, increase strictly and are at least two.
///
/// It is the derivative of the parabola through three neighbours in time, t0 < t1 < t2, of which
/// `at` is the middle one where it can be. In Newton's form, with the slopes s0 and s1 of the two
/// chords,
///
///   p(t)  = value0 + s0 (t - t0) + (s1 - s0) (t - t0) (t - t1) / (t2 - t0)
///   p'(t) = s0 + (s1 - s0) (2 t - t0 - t1) / (t2 - t0)
///
/// so that inside it is the central difference for unequal steps, and at the ends the one-sided one
/// of second order. Two points have one chord, whose slope it is then.
template <class Value>
double derivative(std::span<const std::int64_t> times, std::size_t at, const Value& value) {
  const auto seconds = [](std::int64_t nanoseconds) {
    return 1e-9 * static_cast<double>(nanoseconds);
  };
  const auto slope = [&](std::size_t i) {
    return (value(i + 1) - value(i)) / seconds(times[i + 1] - times[i]);
  };
  if (times.size() == 2) return slope(0);
  const std::size_t i = std::clamp<std::size_t>(at, 1, times.size() - 2) - 1;
  const double s0 = slope(i), s1 = slope(i + 1);
  return s0 + (s1 - s0) * seconds((times[at] - times[i]) + (times[at] - times[i + 1])) /
                  seconds(times[i + 2] - times[i]);
}

}  // namespace rbd_parallel_ros
