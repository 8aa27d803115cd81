// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "rclcpp/clock.hpp"

namespace rclcpp {

/// Keeps a loop at a steady pace.
class Rate {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(Rate)

  explicit Rate(double rate, Clock::SharedPtr clock = std::make_shared<Clock>(RCL_SYSTEM_TIME));
  explicit Rate(const Duration& period,
                Clock::SharedPtr clock = std::make_shared<Clock>(RCL_SYSTEM_TIME));
  virtual ~Rate() = default;

  /// Sleeps to the end of the current period; false if that is already over or ROS was shut down.
  virtual bool sleep();
  virtual void reset() { last_ = clock_->now(); }
  Duration period() const { return period_; }

 private:
  Clock::SharedPtr clock_;
  Duration period_;
  Time last_;
};

class WallRate : public Rate {
 public:
  explicit WallRate(double rate) : Rate(rate, std::make_shared<Clock>(RCL_STEADY_TIME)) {}
  explicit WallRate(const Duration& period)
      : Rate(period, std::make_shared<Clock>(RCL_STEADY_TIME)) {}
};

}  // namespace rclcpp
