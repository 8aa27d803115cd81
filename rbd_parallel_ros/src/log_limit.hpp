// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>

namespace rbd_parallel_ros {

/// Which lines of a kind are logged, where others decide how many there are: the first few at once,
/// then one a second.
class LogLimit {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// The next line: how many were left out before it if it is to be logged, else nothing.
  std::optional<std::size_t> next(Time now) {
    if (last_) {
      const std::chrono::duration<double> passed = now - *last_;
      allowed_ = std::min(most, allowed_ + passed.count());
    }
    last_ = now;
    if (allowed_ < 1) {
      ++left_out_;
      return std::nullopt;
    }
    allowed_ -= 1;
    const std::size_t before = left_out_;
    left_out_ = 0;
    return before;
  }

 private:
  static constexpr double most = 5;  ///< lines at once
  double allowed_ = most;
  std::optional<Time> last_;
  std::size_t left_out_ = 0;
};

}  // namespace rbd_parallel_ros
