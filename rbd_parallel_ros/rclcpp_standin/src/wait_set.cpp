// SPDX-License-Identifier: Apache-2.0
#include "rclcpp/detail/wait_set.hpp"

#include <stdexcept>

#include "rclcpp/detail/entity.hpp"
#include "rclcpp/exceptions.hpp"

namespace rclcpp::detail {

WaitSet::WaitSet(std::shared_ptr<rcl_context_t> context) : context_(std::move(context)) {
  if (!context_) {
    throw std::runtime_error(
        "the context is not initialized: call rclcpp::init before making an executor");
  }
  check(
      rcl_wait_set_init(&wait_set_, 0, 0, 0, 0, 0, 0, context_.get(), rcl_get_default_allocator()),
      "no wait set for the executor");
}

WaitSet::~WaitSet() {
  if (rcl_wait_set_fini(&wait_set_) != RCL_RET_OK) {
    report_fini_error("a wait set");
  }
}

void WaitSet::empty(const Sizes& sizes) {
  if (sizes == sizes_) {
    check(rcl_wait_set_clear(&wait_set_), "the wait set cannot be emptied");
    return;
  }
  check(rcl_wait_set_resize(&wait_set_, sizes.subscriptions, sizes.guard_conditions, sizes.timers,
                            sizes.clients, sizes.services, 0),
        "the wait set cannot be resized");
  sizes_ = sizes;
}

void WaitSet::add(const GuardCondition& condition) {
  check(rcl_wait_set_add_guard_condition(&wait_set_, &condition.get_rcl_guard_condition(), nullptr),
        "no room in the wait set for a guard condition");
}

void WaitSet::wait(std::chrono::nanoseconds timeout) {
  const rcl_ret_t ret = rcl_wait(&wait_set_, timeout.count());
  if (ret != RCL_RET_TIMEOUT) check(ret, "the executor cannot wait");
  rcl_reset_error();
}

}  // namespace rclcpp::detail
