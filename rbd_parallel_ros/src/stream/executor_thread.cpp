// SPDX-License-Identifier: Apache-2.0
#include "executor_thread.hpp"

namespace rbd_parallel_ros {

rclcpp::ExecutorOptions ExecutorThread::options_for(
    const rclcpp::node_interfaces::NodeBaseInterface::SharedPtr& node) {
  rclcpp::ExecutorOptions options;
  options.context = node->get_context();
  return options;
}

ExecutorThread::ExecutorThread(const rclcpp::node_interfaces::NodeBaseInterface::SharedPtr& node,
                               const rclcpp::CallbackGroup::SharedPtr& group)
    : executor_(options_for(node)) {
  executor_.add_callback_group(group, node);
  // Not spin: a cancel that comes before it has begun would be lost.
  thread_ = std::thread(
      [this, stop = stop_.get_future().share()] { executor_.spin_until_future_complete(stop); });
}

ExecutorThread::~ExecutorThread() {
  stop_.set_value();
  executor_.cancel();
  thread_.join();
}

}  // namespace rbd_parallel_ros
