// SPDX-License-Identifier: Apache-2.0
#include "rclcpp/timer.hpp"

namespace rclcpp {

TimerBase::TimerBase(Clock::SharedPtr clock, std::chrono::nanoseconds period,
                     Context::SharedPtr context, bool autostart)
    : clock_(std::move(clock)),
      context_(std::move(context)),
      rcl_context_(context_->get_rcl_context()) {
  if (!rcl_context_) {
    throw std::runtime_error(
        "the context is not initialized: call rclcpp::init before making a timer");
  }
  std::lock_guard lock(clock_->get_clock_mutex());
  detail::check(rcl_timer_init2(&timer_, clock_->get_clock_handle(), rcl_context_.get(),
                                period.count(), nullptr, rcl_get_default_allocator(), autostart),
                "no timer");
}

TimerBase::~TimerBase() {
  // A timer is entered in its clock, to hear of jumps.
  std::lock_guard lock(clock_->get_clock_mutex());
  if (rcl_timer_fini(&timer_) != RCL_RET_OK) {
    detail::report_fini_error("a timer");
  }
}

void TimerBase::cancel() {
  detail::check(rcl_timer_cancel(&timer_), "the timer cannot be cancelled");
}

bool TimerBase::is_canceled() {
  bool canceled = false;
  detail::check(rcl_timer_is_canceled(&timer_, &canceled),
                "whether the timer is cancelled cannot be told");
  return canceled;
}

void TimerBase::reset() { detail::check(rcl_timer_reset(&timer_), "the timer cannot be reset"); }

bool TimerBase::is_ready() {
  bool ready = false;
  detail::check(rcl_timer_is_ready(&timer_, &ready), "whether the timer is ready cannot be told");
  return ready;
}

std::chrono::nanoseconds TimerBase::time_until_trigger() {
  int64_t left = 0;
  const rcl_ret_t ret = rcl_timer_get_time_until_next_call(&timer_, &left);
  if (ret == RCL_RET_TIMER_CANCELED) {
    rcl_reset_error();
    return std::chrono::nanoseconds::max();
  }
  detail::check(ret, "the time left for the timer cannot be told");
  return std::chrono::nanoseconds(left);
}

size_t TimerBase::add_to(rcl_wait_set_t& wait_set) const {
  return detail::place_in(wait_set, &timer_, rcl_wait_set_add_timer);
}

bool TimerBase::is_ready_in(const rcl_wait_set_t& wait_set, size_t place) const {
  return wait_set.timers[place] == &timer_;
}

bool TimerBase::claim() {
  // Two threads may have seen the same period end: the second one finds the timer not ready.
  bool ready = false;
  if (rcl_timer_is_ready(&timer_, &ready) != RCL_RET_OK || !ready) {
    rcl_reset_error();
    return false;
  }
  const rcl_ret_t ret = rcl_timer_call(&timer_);
  if (ret == RCL_RET_TIMER_CANCELED) {
    rcl_reset_error();
    return false;
  }
  detail::check(ret, "the timer cannot start its next period");
  return true;
}

}  // namespace rclcpp
