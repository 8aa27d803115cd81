// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "rclcpp/detail/node_facade.hpp"
#include "rclcpp/macros.hpp"

namespace rclcpp {

class Node : public detail::NodeFacade, public std::enable_shared_from_this<Node> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(Node)

  explicit Node(const std::string& node_name, const NodeOptions& options = NodeOptions())
      : Node(node_name, "", options) {}
  Node(const std::string& node_name, const std::string& name_space,
       const NodeOptions& options = NodeOptions())
      : NodeFacade(node_name, name_space, options) {}
  virtual ~Node() = default;

  template <typename MessageT, typename AllocatorT = std::allocator<void>>
  std::shared_ptr<Publisher<MessageT, AllocatorT>> create_publisher(
      const std::string& topic_name, const QoS& qos,
      const PublisherOptionsWithAllocator<AllocatorT>& =
          PublisherOptionsWithAllocator<AllocatorT>()) {
    return std::make_shared<Publisher<MessageT, AllocatorT>>(
        get_node_base_interface()->get_shared_rcl_node_handle(), topic_name, qos);
  }
};

}  // namespace rclcpp
