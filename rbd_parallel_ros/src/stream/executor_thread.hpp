// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <rclcpp/rclcpp.hpp>
#include <thread>

namespace rbd_parallel_ros {

/// Runs the callbacks of one group in a thread of their own, under whichever executor the node
/// itself is: what takes long elsewhere in the node does not delay them. The group must not be
/// added to an executor with the node.
class ExecutorThread {
 public:
  ExecutorThread(const rclcpp::node_interfaces::NodeBaseInterface::SharedPtr& node,
                 const rclcpp::CallbackGroup::SharedPtr& group);
  ExecutorThread(const ExecutorThread&) = delete;
  ExecutorThread& operator=(const ExecutorThread&) = delete;
  /// Waits for the callback that is running.
  ~ExecutorThread();

 private:
  static rclcpp::ExecutorOptions options_for(
      const rclcpp::node_interfaces::NodeBaseInterface::SharedPtr& node);

  rclcpp::executors::SingleThreadedExecutor executor_;
  std::promise<void> stop_;
  std::thread thread_;
};

}  // namespace rbd_parallel_ros
