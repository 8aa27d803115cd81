// SPDX-License-Identifier: Apache-2.0
#include "rclcpp/clock.hpp"

#include <rcl/time.h>

#include <algorithm>
#include <stdexcept>

#include "rclcpp/exceptions.hpp"
#include "rclcpp/rate.hpp"

namespace rclcpp {

Clock::Clock(rcl_clock_type_t clock_type) : mutex_(std::make_shared<std::mutex>()) {
  auto clock = std::make_unique<rcl_clock_t>();
  rcl_allocator_t allocator = rcl_get_default_allocator();
  detail::check(rcl_clock_init(clock_type, clock.get(), &allocator), "no clock");
  clock_ = std::shared_ptr<rcl_clock_t>(clock.release(), [](rcl_clock_t* owned) {
    if (rcl_clock_fini(owned) != RCL_RET_OK) {
      rcl_reset_error();
    }
    delete owned;
  });
}

Time Clock::now() const {
  rcl_time_point_value_t now = 0;
  std::lock_guard lock(*mutex_);  // the time may be switched to /clock meanwhile
  detail::check(rcl_clock_get_now(clock_.get(), &now), "the clock cannot be read");
  return Time(now, clock_->type);
}

bool Clock::ros_time_is_active() const {
  if (clock_->type != RCL_ROS_TIME) {
    return false;
  }
  bool enabled = false;
  std::lock_guard lock(*mutex_);
  detail::check(rcl_is_enabled_ros_time_override(clock_.get(), &enabled),
                "whether time is overridden cannot be told");
  return enabled;
}

bool Clock::started() {
  std::lock_guard lock(*mutex_);
  return rcl_clock_time_started(clock_.get());
}

bool Clock::sleep_until(Time until, Context::SharedPtr context) {
  if (!context || !context->is_valid()) {
    throw std::runtime_error(
        "expected a context that is initialized to sleep with, got one that is not");
  }
  if (until.get_clock_type() != get_clock_type()) {
    throw std::runtime_error(
        "expected a time of the kind of clock that is asked to sleep, got one of another kind");
  }
  // Time from /clock, and system time, may jump: then what is left is looked at again and again.
  constexpr auto kSlice = std::chrono::milliseconds(10);
  const bool may_jump = get_clock_type() != RCL_STEADY_TIME;
  while (true) {
    const auto left = (until - now()).to_chrono<std::chrono::nanoseconds>();
    if (left.count() <= 0) {
      return true;
    }
    if (!context->sleep_for(may_jump ? std::min<std::chrono::nanoseconds>(left, kSlice) : left)) {
      return false;
    }
  }
}

bool Clock::sleep_for(Duration duration, Context::SharedPtr context) {
  return sleep_until(now() + duration, std::move(context));
}

Rate::Rate(double rate, Clock::SharedPtr clock)
    : Rate(rate > 0 ? Duration::from_seconds(1.0 / rate)
                    : throw std::invalid_argument("expected a rate above 0"),
           std::move(clock)) {}

Rate::Rate(const Duration& period, Clock::SharedPtr clock)
    : clock_(std::move(clock)), period_(period), last_(clock_->now()) {
  if (period <= Duration(0, 0)) {
    throw std::invalid_argument("expected a period above 0");
  }
}

bool Rate::sleep() {
  const Time now = clock_->now();
  const Time next = last_ + period_;
  last_ += period_;
  if (now < last_ - period_) {
    last_ = now + period_;  // the clock jumped backwards
  }
  if (next <= now) {
    if (now > next + period_) {
      last_ = now + period_;  // more than one period late: start anew
    }
    return false;
  }
  return clock_->sleep_for(next - now);
}

}  // namespace rclcpp
