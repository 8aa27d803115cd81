// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <rosgraph_msgs/msg/clock.hpp>

#include "rclcpp/clock.hpp"
#include "rclcpp/node_interfaces/node_parameters_interface.hpp"
#include "rclcpp/subscription.hpp"

namespace rclcpp {

/// Declares use_sim_time and, while that is true, sets a node's clock from /clock.
///
/// Unlike rclcpp's it has no thread of its own: /clock is read by the node's executor, in a group
/// of its own.
class TimeSource {
 public:
  TimeSource(node_interfaces::NodeBaseInterface::SharedPtr base, Clock::SharedPtr clock,
             node_interfaces::NodeParametersInterface::SharedPtr parameters, const QoS& qos);

 private:
  void use_sim_time(bool use);

  node_interfaces::NodeBaseInterface::SharedPtr base_;
  Clock::SharedPtr clock_;
  QoS qos_;
  CallbackGroup::SharedPtr group_;
  Subscription<rosgraph_msgs::msg::Clock>::SharedPtr subscription_;
  node_interfaces::OnSetParametersCallbackHandle::SharedPtr on_set_;
  node_interfaces::PostSetParametersCallbackHandle::SharedPtr post_set_;
};

}  // namespace rclcpp
