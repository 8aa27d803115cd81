// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/guard_condition.h>

#include "rclcpp/contexts/default_context.hpp"
#include "rclcpp/macros.hpp"

namespace rclcpp {

/// Wakes up who waits on it, from any thread.
class GuardCondition {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(GuardCondition)

  explicit GuardCondition(
      const Context::SharedPtr& context = contexts::get_global_default_context());
  virtual ~GuardCondition();

  void trigger();
  rcl_guard_condition_t& get_rcl_guard_condition() { return condition_; }
  const rcl_guard_condition_t& get_rcl_guard_condition() const { return condition_; }

 private:
  std::shared_ptr<rcl_context_t> context_;
  rcl_guard_condition_t condition_ = rcl_get_zero_initialized_guard_condition();
};

}  // namespace rclcpp
