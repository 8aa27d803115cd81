// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/time.h>

#include <memory>
#include <mutex>

#include "rclcpp/contexts/default_context.hpp"
#include "rclcpp/duration.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/time.hpp"

namespace rclcpp {

class Clock {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(Clock)

  explicit Clock(rcl_clock_type_t clock_type = RCL_SYSTEM_TIME);
  virtual ~Clock() = default;

  Time now() const;
  bool sleep_until(Time until, Context::SharedPtr context = contexts::get_global_default_context());
  bool sleep_for(Duration duration,
                 Context::SharedPtr context = contexts::get_global_default_context());

  /// Whether the time comes from /clock.
  bool ros_time_is_active() const;
  bool started();

  rcl_clock_type_t get_clock_type() const noexcept { return clock_->type; }
  rcl_clock_t* get_clock_handle() noexcept { return clock_.get(); }
  std::mutex& get_clock_mutex() noexcept { return *mutex_; }

 private:
  // Shared by copies: a copy of a clock shows the same time.
  std::shared_ptr<rcl_clock_t> clock_;
  std::shared_ptr<std::mutex> mutex_;
};

}  // namespace rclcpp
