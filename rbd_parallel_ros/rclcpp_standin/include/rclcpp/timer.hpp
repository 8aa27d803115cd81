// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/timer.h>

#include <chrono>
#include <memory>
#include <type_traits>
#include <utility>

#include "rclcpp/clock.hpp"
#include "rclcpp/context.hpp"
#include "rclcpp/detail/entity.hpp"
#include "rclcpp/macros.hpp"

namespace rclcpp {

class TimerBase : public detail::Entity {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(TimerBase)

  TimerBase(Clock::SharedPtr clock, std::chrono::nanoseconds period, Context::SharedPtr context,
            bool autostart = true);
  ~TimerBase() override;

  void cancel();
  bool is_canceled();
  void reset();
  bool is_ready();
  /// std::chrono::nanoseconds::max() if the timer is cancelled.
  std::chrono::nanoseconds time_until_trigger();
  Clock::SharedPtr get_clock() const { return clock_; }
  virtual bool is_steady() = 0;

  Kind kind() const override { return Kind::Timer; }
  size_t add_to(rcl_wait_set_t& wait_set) const override;
  bool is_ready_in(const rcl_wait_set_t& wait_set, size_t place) const override;
  /// Tells rcl that the timer fires now, so that no other thread fires it for the same period.
  bool claim() override;

 private:
  Clock::SharedPtr clock_;
  Context::SharedPtr context_;
  std::shared_ptr<rcl_context_t> rcl_context_;
  rcl_timer_t timer_ = rcl_get_zero_initialized_timer();
};

/// The functor takes nothing, or the timer.
template <typename FunctorT>
class GenericTimer : public TimerBase {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(GenericTimer<FunctorT>)

  GenericTimer(Clock::SharedPtr clock, std::chrono::nanoseconds period, FunctorT callback,
               Context::SharedPtr context, bool autostart = true)
      : TimerBase(std::move(clock), period, std::move(context), autostart),
        callback_(std::move(callback)) {}

  bool is_steady() override { return get_clock()->get_clock_type() == RCL_STEADY_TIME; }

  void execute() override {
    if constexpr (std::is_invocable_v<FunctorT&>) {
      callback_();
    } else {
      callback_(static_cast<TimerBase&>(*this));
    }
  }

 private:
  FunctorT callback_;
};

template <typename FunctorT>
class WallTimer : public GenericTimer<FunctorT> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(WallTimer<FunctorT>)

  WallTimer(std::chrono::nanoseconds period, FunctorT callback, Context::SharedPtr context,
            bool autostart = true)
      : GenericTimer<FunctorT>(std::make_shared<Clock>(RCL_STEADY_TIME), period,
                               std::move(callback), std::move(context), autostart) {}
};

}  // namespace rclcpp
