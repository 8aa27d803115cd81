// SPDX-License-Identifier: Apache-2.0
#include "rclcpp/guard_condition.hpp"

#include <stdexcept>

#include "rclcpp/detail/entity.hpp"

namespace rclcpp {

GuardCondition::GuardCondition(const Context::SharedPtr& context)
    : context_(context->get_rcl_context()) {
  if (!context_) {
    throw std::invalid_argument("the context is not initialized: call rclcpp::init first");
  }
  detail::check(rcl_guard_condition_init(&condition_, context_.get(),
                                         rcl_guard_condition_get_default_options()),
                "no guard condition");
}

GuardCondition::~GuardCondition() {
  if (rcl_guard_condition_fini(&condition_) != RCL_RET_OK) {
    detail::report_fini_error("a guard condition");
  }
}

void GuardCondition::trigger() {
  detail::check(rcl_trigger_guard_condition(&condition_), "a guard condition cannot be triggered");
}

}  // namespace rclcpp
