// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <diagnostic_msgs/msg/diagnostic_array.hpp>
#include <memory>
#include <mutex>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_lifecycle/lifecycle_node.hpp>

#include "../stream/executor_thread.hpp"
#include "report.hpp"

namespace rbd_parallel_ros {

/// Publishes reports on /diagnostics in every state of the node, from a thread of its own: what
/// takes long in the node is a thing to be told, not to be waited for.
class Diagnostics {
 public:
  Diagnostics(rclcpp_lifecycle::LifecycleNode& node, std::chrono::nanoseconds period);

  /// From the node's thread.
  void set(Configuration configuration);
  ServiceStatistics& services() { return services_; }

 private:
  void publish();
  void publish_or_log();

  rclcpp_lifecycle::LifecycleNode& node_;
  ServiceStatistics services_;
  Report report_;
  std::mutex mutex_;  ///< of configuration_
  Configuration configuration_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  rclcpp::CallbackGroup::SharedPtr group_;
  rclcpp_lifecycle::LifecyclePublisher<diagnostic_msgs::msg::DiagnosticArray>::SharedPtr publisher_;
  rclcpp::TimerBase::SharedPtr timer_;
  std::unique_ptr<ExecutorThread> thread_;  ///< ends before all that it uses
};

}  // namespace rbd_parallel_ros
