// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/wait.h>

#include <chrono>
#include <cstddef>
#include <memory>

#include "rclcpp/guard_condition.hpp"

namespace rclcpp::detail {

/// Owns an rcl wait set. For one thread at a time.
class WaitSet {
 public:
  struct Sizes {
    size_t timers = 0, subscriptions = 0, services = 0, clients = 0, guard_conditions = 0;
    bool operator==(const Sizes&) const = default;
  };

  explicit WaitSet(std::shared_ptr<rcl_context_t> context);
  WaitSet(const WaitSet&) = delete;
  WaitSet& operator=(const WaitSet&) = delete;
  ~WaitSet();

  /// Empties it, with room for so many.
  void empty(const Sizes& sizes);
  void add(const GuardCondition& condition);
  /// Until something is ready or the time is over; a negative time is for ever.
  void wait(std::chrono::nanoseconds timeout);

  rcl_wait_set_t& get() { return wait_set_; }

 private:
  std::shared_ptr<rcl_context_t> context_;
  rcl_wait_set_t wait_set_ = rcl_get_zero_initialized_wait_set();
  Sizes sizes_;
};

}  // namespace rclcpp::detail
