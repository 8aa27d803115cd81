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
/// /clock is read in a thread of its own, so that the time goes on while callbacks of the node run;
/// without one, by the node's executor.
class TimeSource {
 public:
  TimeSource(node_interfaces::NodeBaseInterface::SharedPtr base, Clock::SharedPtr clock,
             node_interfaces::NodeParametersInterface::SharedPtr parameters, const QoS& qos,
             bool use_clock_thread);
  TimeSource(const TimeSource&) = delete;
  TimeSource& operator=(const TimeSource&) = delete;
  ~TimeSource();

 private:
  class Thread;

  void use_sim_time(bool use);
  void subscribe();

  node_interfaces::NodeBaseInterface::SharedPtr base_;
  Clock::SharedPtr clock_;
  QoS qos_;
  bool use_clock_thread_;
  CallbackGroup::SharedPtr group_;
  Subscription<rosgraph_msgs::msg::Clock>::SharedPtr subscription_;
  std::unique_ptr<Thread> thread_;  // ends before all that it uses
  node_interfaces::OnSetParametersCallbackHandle::SharedPtr on_set_;
  node_interfaces::PostSetParametersCallbackHandle::SharedPtr post_set_;
};

}  // namespace rclcpp
