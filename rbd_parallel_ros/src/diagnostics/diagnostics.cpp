// SPDX-License-Identifier: Apache-2.0
#include "diagnostics.hpp"

#include <string>
#include <utility>

#include "../failure.hpp"

namespace rbd_parallel_ros {

Diagnostics::Diagnostics(rclcpp_lifecycle::LifecycleNode& node, std::chrono::nanoseconds period)
    : node_(node),
      report_(node.get_fully_qualified_name()),
      group_(node.create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive, false)),
      publisher_(node.create_publisher<diagnostic_msgs::msg::DiagnosticArray>("/diagnostics",
                                                                              rclcpp::QoS(10))),
      timer_(node.create_wall_timer(
          period, [this] { publish_or_log(); }, group_)),
      thread_(std::make_unique<ExecutorThread>(node.get_node_base_interface(), group_)) {}

void Diagnostics::set(Configuration configuration) {
  const std::lock_guard lock(mutex_);
  configuration_ = std::move(configuration);
}

void Diagnostics::publish_or_log() {
  const std::string failure = failure_of([this] { publish(); });
  if (failure.empty()) return;
  RCLCPP_ERROR_THROTTLE(node_.get_logger(), *node_.get_clock(), 10000, "diagnostics: %s",
                        failure.c_str());
}

void Diagnostics::publish() {
  const auto now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  diagnostic_msgs::msg::DiagnosticArray message;
  message.header.stamp = node_.now();
  {
    const std::lock_guard lock(mutex_);
    message.status = report_.next(configuration_, services_, seconds);
  }
  // Transitions of the node switch its publishers off; this one speaks in every state.
  if (!publisher_->is_activated()) publisher_->on_activate();
  publisher_->publish(message);
}

}  // namespace rbd_parallel_ros
