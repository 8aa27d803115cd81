// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/time.h>
#include <rmw/time.h>

#include <builtin_interfaces/msg/duration.hpp>
#include <chrono>
#include <cstdint>
#include <limits>

namespace rclcpp {

/// A signed length of time in nanoseconds. Results that do not fit throw std::overflow_error.
class Duration {
 public:
  Duration() = default;
  Duration(int32_t seconds, uint32_t nanoseconds);
  explicit Duration(std::chrono::nanoseconds nanoseconds) : nanoseconds_(nanoseconds.count()) {}
  template <class Rep, class Period>
  Duration(const std::chrono::duration<Rep, Period>& duration)  // NOLINT: implicit, as in rclcpp
      : Duration(std::chrono::duration_cast<std::chrono::nanoseconds>(duration)) {}
  Duration(const builtin_interfaces::msg::Duration& message);  // NOLINT: implicit, as in rclcpp
  explicit Duration(const rcl_duration_t& duration) : nanoseconds_(duration.nanoseconds) {}

  operator builtin_interfaces::msg::Duration() const;  // NOLINT: implicit, as in rclcpp
  Duration& operator=(const builtin_interfaces::msg::Duration& message);

  auto operator<=>(const Duration&) const = default;
  Duration operator+(const Duration& right) const;
  Duration operator-(const Duration& right) const;
  Duration& operator+=(const Duration& right) { return *this = *this + right; }
  Duration& operator-=(const Duration& right) { return *this = *this - right; }
  Duration operator*(double scale) const;
  Duration& operator*=(double scale) { return *this = *this * scale; }

  rcl_duration_value_t nanoseconds() const { return nanoseconds_; }
  double seconds() const { return static_cast<double>(nanoseconds_) * 1e-9; }
  rmw_time_t to_rmw_time() const;

  template <class DurationT>
  DurationT to_chrono() const {
    return std::chrono::duration_cast<DurationT>(std::chrono::nanoseconds(nanoseconds_));
  }

  static Duration max() { return from_nanoseconds(std::numeric_limits<int64_t>::max()); }
  static Duration from_seconds(double seconds);
  static Duration from_nanoseconds(rcl_duration_value_t nanoseconds);
  static Duration from_rmw_time(rmw_time_t duration);

 private:
  rcl_duration_value_t nanoseconds_ = 0;
};

}  // namespace rclcpp
