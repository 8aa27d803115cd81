// SPDX-License-Identifier: Apache-2.0
#include "rclcpp/time.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace rclcpp {

namespace {

constexpr int64_t kBillion = 1'000'000'000;

int64_t add(int64_t left, int64_t right, const char* what) {
  int64_t sum;
  if (__builtin_add_overflow(left, right, &sum)) {
    if (right > 0) {
      throw std::overflow_error(std::string(what) + " goes beyond the largest time");
    }
    throw std::underflow_error(std::string(what) + " goes below the smallest time");
  }
  return sum;
}

int64_t subtract(int64_t left, int64_t right, const char* what) {
  int64_t difference;
  if (__builtin_sub_overflow(left, right, &difference)) {
    if (right < 0) {
      throw std::overflow_error(std::string(what) + " goes beyond the largest time");
    }
    throw std::underflow_error(std::string(what) + " goes below the smallest time");
  }
  return difference;
}

void check_same_clock(const Time& left, const Time& right) {
  if (left.get_clock_type() != right.get_clock_type()) {
    throw std::runtime_error(
        "these times are of different clocks: they cannot be compared or subtracted");
  }
}

// A message has whole seconds, rounded down, and the nanoseconds above these.
template <typename MessageT>
MessageT split(int64_t nanoseconds) {
  MessageT message;
  int64_t seconds = nanoseconds / kBillion;
  int64_t rest = nanoseconds % kBillion;
  if (rest < 0) {
    seconds -= 1;
    rest += kBillion;
  }
  message.sec = static_cast<int32_t>(seconds);
  message.nanosec = static_cast<uint32_t>(rest);
  return message;
}

}  // namespace

Duration::Duration(int32_t seconds, uint32_t nanoseconds)
    : nanoseconds_(seconds * kBillion + nanoseconds) {}

Duration::Duration(const builtin_interfaces::msg::Duration& message)
    : Duration(message.sec, message.nanosec) {}

Duration::operator builtin_interfaces::msg::Duration() const {
  return split<builtin_interfaces::msg::Duration>(nanoseconds_);
}

Duration& Duration::operator=(const builtin_interfaces::msg::Duration& message) {
  return *this = Duration(message);
}

Duration Duration::operator+(const Duration& right) const {
  return from_nanoseconds(add(nanoseconds_, right.nanoseconds_, "addition"));
}

Duration Duration::operator-(const Duration& right) const {
  return from_nanoseconds(subtract(nanoseconds_, right.nanoseconds_, "duration subtraction"));
}

Duration Duration::operator*(double scale) const {
  if (!std::isfinite(scale)) {
    throw std::runtime_error("a duration is scaled by a number that is not finite");
  }
  const long double product = static_cast<long double>(nanoseconds_) * scale;
  if (product > static_cast<long double>(std::numeric_limits<int64_t>::max())) {
    throw std::overflow_error("a scaled duration goes beyond the largest one");
  }
  if (product < static_cast<long double>(std::numeric_limits<int64_t>::min())) {
    throw std::underflow_error("a scaled duration goes below the smallest one");
  }
  return from_nanoseconds(static_cast<int64_t>(product));
}

rmw_time_t Duration::to_rmw_time() const {
  if (nanoseconds_ < 0) {
    throw std::runtime_error("a negative duration has no rmw_time_t");
  }
  return {static_cast<uint64_t>(nanoseconds_ / kBillion),
          static_cast<uint64_t>(nanoseconds_ % kBillion)};
}

Duration Duration::from_seconds(double seconds) {
  return from_nanoseconds(
      static_cast<int64_t>(std::llround(static_cast<long double>(seconds) * kBillion)));
}

Duration Duration::from_nanoseconds(rcl_duration_value_t nanoseconds) {
  Duration duration;
  duration.nanoseconds_ = nanoseconds;
  return duration;
}

Duration Duration::from_rmw_time(rmw_time_t duration) {
  constexpr auto kMax = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (duration.sec > kMax / kBillion) {
    return max();  // "infinite" in rmw's terms
  }
  const uint64_t nanoseconds = duration.sec * kBillion;
  if (duration.nsec > kMax - nanoseconds) {
    return max();
  }
  return from_nanoseconds(static_cast<int64_t>(nanoseconds + duration.nsec));
}

Time::Time(int32_t seconds, uint32_t nanoseconds, rcl_clock_type_t clock_type)
    : time_{seconds * kBillion + nanoseconds, clock_type} {
  if (seconds < 0) {
    throw std::runtime_error("a Time is not negative");
  }
}

Time::Time(int64_t nanoseconds, rcl_clock_type_t clock_type) : time_{nanoseconds, clock_type} {}

Time::Time(const builtin_interfaces::msg::Time& message, rcl_clock_type_t clock_type)
    : Time(message.sec, message.nanosec, clock_type) {}

Time::operator builtin_interfaces::msg::Time() const {
  return split<builtin_interfaces::msg::Time>(time_.nanoseconds);
}

Time& Time::operator=(const builtin_interfaces::msg::Time& message) {
  return *this = Time(message);
}

bool Time::operator==(const Time& right) const {
  check_same_clock(*this, right);
  return nanoseconds() == right.nanoseconds();
}

bool Time::operator<(const Time& right) const {
  check_same_clock(*this, right);
  return nanoseconds() < right.nanoseconds();
}

Time Time::operator+(const Duration& right) const {
  return Time(add(nanoseconds(), right.nanoseconds(), "addition"), get_clock_type());
}

Time Time::operator-(const Duration& right) const {
  return Time(subtract(nanoseconds(), right.nanoseconds(), "time subtraction"), get_clock_type());
}

Duration Time::operator-(const Time& right) const {
  check_same_clock(*this, right);
  return Duration::from_nanoseconds(
      subtract(nanoseconds(), right.nanoseconds(), "time subtraction"));
}

Time Time::max(rcl_clock_type_t clock_type) {
  return Time(std::numeric_limits<int32_t>::max(), 999999999, clock_type);
}

}  // namespace rclcpp
