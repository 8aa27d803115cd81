// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/time.h>

#include <builtin_interfaces/msg/time.hpp>
#include <cstdint>

#include "rclcpp/duration.hpp"

namespace rclcpp {

/// A point in time of one kind of clock. Times of different kinds are not compared:
/// std::runtime_error.
class Time {
 public:
  Time(int32_t seconds, uint32_t nanoseconds, rcl_clock_type_t clock_type = RCL_SYSTEM_TIME);
  explicit Time(int64_t nanoseconds = 0, rcl_clock_type_t clock_type = RCL_SYSTEM_TIME);
  Time(const builtin_interfaces::msg::Time& message,  // NOLINT: implicit, as in rclcpp
       rcl_clock_type_t clock_type = RCL_ROS_TIME);
  explicit Time(const rcl_time_point_t& time) : time_(time) {}

  operator builtin_interfaces::msg::Time() const;  // NOLINT: implicit, as in rclcpp
  Time& operator=(const builtin_interfaces::msg::Time& message);

  bool operator==(const Time& right) const;
  bool operator!=(const Time& right) const { return !(*this == right); }
  bool operator<(const Time& right) const;
  bool operator<=(const Time& right) const { return !(right < *this); }
  bool operator>(const Time& right) const { return right < *this; }
  bool operator>=(const Time& right) const { return !(*this < right); }

  Time operator+(const Duration& right) const;
  Time operator-(const Duration& right) const;
  Duration operator-(const Time& right) const;
  Time& operator+=(const Duration& right) { return *this = *this + right; }
  Time& operator-=(const Duration& right) { return *this = *this - right; }

  rcl_time_point_value_t nanoseconds() const { return time_.nanoseconds; }
  double seconds() const { return static_cast<double>(time_.nanoseconds) * 1e-9; }
  rcl_clock_type_t get_clock_type() const { return time_.clock_type; }

  static Time max(rcl_clock_type_t clock_type = RCL_SYSTEM_TIME);

 private:
  rcl_time_point_t time_{};
};

inline Time operator+(const Duration& left, const Time& right) { return right + left; }

}  // namespace rclcpp
