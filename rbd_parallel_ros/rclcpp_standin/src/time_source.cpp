// SPDX-License-Identifier: Apache-2.0
#include "rclcpp/time_source.hpp"

#include "rclcpp/exceptions.hpp"
#include "rclcpp/logging.hpp"

namespace rclcpp {

TimeSource::TimeSource(node_interfaces::NodeBaseInterface::SharedPtr base, Clock::SharedPtr clock,
                       node_interfaces::NodeParametersInterface::SharedPtr parameters,
                       const QoS& qos)
    : base_(std::move(base)), clock_(std::move(clock)), qos_(qos) {
  static constexpr char kName[] = "use_sim_time";
  // A group of its own, so that a multi-threaded executor keeps the time going while other
  // callbacks run.
  group_ = base_->create_callback_group(CallbackGroupType::MutuallyExclusive);
  if (!parameters->has_parameter(kName)) {
    parameters->declare_parameter(kName, ParameterValue(false));
  }
  Parameter initial;
  parameters->get_parameter(kName, initial);
  if (initial.get_type() != PARAMETER_BOOL) {
    throw exceptions::InvalidParameterTypeException(kName, "it must be a bool");
  }
  on_set_ = parameters->add_on_set_parameters_callback([](const std::vector<Parameter>& changes) {
    rcl_interfaces::msg::SetParametersResult result;
    result.successful = true;
    for (const auto& change : changes) {
      if (change.get_name() == kName && change.get_type() != PARAMETER_BOOL) {
        result.successful = false;
        result.reason = "'use_sim_time' must be a bool";
      }
    }
    return result;
  });
  post_set_ =
      parameters->add_post_set_parameters_callback([this](const std::vector<Parameter>& changes) {
        for (const auto& change : changes) {
          if (change.get_name() == kName && change.get_type() == PARAMETER_BOOL) {
            use_sim_time(change.as_bool());
          }
        }
      });
  use_sim_time(initial.as_bool());
}

void TimeSource::use_sim_time(bool use) {
  if (use == (subscription_ != nullptr)) return;
  if (clock_->get_clock_type() != RCL_ROS_TIME) {
    RCLCPP_WARN(get_node_logger(base_->get_rcl_node_handle()),
                "use_sim_time has no effect: the node was made with another clock than ROS time");
    return;
  }
  if (!use) {
    subscription_.reset();
    std::lock_guard lock(clock_->get_clock_mutex());
    detail::check(rcl_disable_ros_time_override(clock_->get_clock_handle()),
                  "simulated time cannot be left");
    return;
  }
  {
    std::lock_guard lock(clock_->get_clock_mutex());
    detail::check(rcl_enable_ros_time_override(clock_->get_clock_handle()),
                  "simulated time cannot be entered");
  }
  subscription_ = std::make_shared<Subscription<rosgraph_msgs::msg::Clock>>(
      base_->get_shared_rcl_node_handle(), "/clock", qos_,
      [clock = clock_](std::unique_ptr<rosgraph_msgs::msg::Clock> message, const MessageInfo&) {
        if (message->clock.sec < 0) {
          return;  // no time; whoever publishes it must not end the node
        }
        std::lock_guard lock(clock->get_clock_mutex());
        bool simulated = false;
        detail::check(rcl_is_enabled_ros_time_override(clock->get_clock_handle(), &simulated),
                      "whether time is simulated cannot be told");
        // A message that came before the time was switched back must not switch it over again.
        if (simulated) {
          detail::check(rcl_set_ros_time_override(clock->get_clock_handle(),
                                                  Time(message->clock).nanoseconds()),
                        "simulated time cannot be set");
        }
      },
      SubscriptionOptions());
  base_->add(subscription_, group_);
}

}  // namespace rclcpp
