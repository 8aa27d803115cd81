// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>

#include "rclcpp/executors/multi_threaded_executor.hpp"
#include "rclcpp/executors/single_threaded_executor.hpp"
#include "rclcpp/node.hpp"

namespace rclcpp {

using executors::MultiThreadedExecutor;
using executors::SingleThreadedExecutor;

void spin(node_interfaces::NodeBaseInterface::SharedPtr node);
void spin(Node::SharedPtr node);
void spin_some(node_interfaces::NodeBaseInterface::SharedPtr node);
void spin_some(Node::SharedPtr node);

namespace executors {

template <typename FutureT, typename TimeRepT = int64_t, typename TimeT = std::milli>
FutureReturnCode spin_node_until_future_complete(
    Executor& executor, node_interfaces::NodeBaseInterface::SharedPtr node, const FutureT& future,
    std::chrono::duration<TimeRepT, TimeT> timeout = std::chrono::duration<TimeRepT, TimeT>(-1)) {
  executor.add_node(node);
  auto code = executor.spin_until_future_complete(future, timeout);
  executor.remove_node(node);
  return code;
}

}  // namespace executors

template <typename FutureT, typename TimeRepT = int64_t, typename TimeT = std::milli>
FutureReturnCode spin_until_future_complete(
    node_interfaces::NodeBaseInterface::SharedPtr node, const FutureT& future,
    std::chrono::duration<TimeRepT, TimeT> timeout = std::chrono::duration<TimeRepT, TimeT>(-1)) {
  ExecutorOptions options;
  options.context = node->get_context();
  SingleThreadedExecutor executor(options);
  return executors::spin_node_until_future_complete(executor, node, future, timeout);
}

template <typename NodeT, typename FutureT, typename TimeRepT = int64_t,
          typename TimeT = std::milli>
FutureReturnCode spin_until_future_complete(
    std::shared_ptr<NodeT> node, const FutureT& future,
    std::chrono::duration<TimeRepT, TimeT> timeout = std::chrono::duration<TimeRepT, TimeT>(-1)) {
  return spin_until_future_complete(node->get_node_base_interface(), future, timeout);
}

}  // namespace rclcpp
