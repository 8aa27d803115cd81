// SPDX-License-Identifier: Apache-2.0
// Concrete here; in rclcpp it is an abstract class.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "rclcpp/callback_group.hpp"
#include "rclcpp/context.hpp"
#include "rclcpp/detail/entity.hpp"
#include "rclcpp/guard_condition.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/node_options.hpp"

namespace rclcpp::node_interfaces {

/// The node as such: its name, its place in ROS, its callback groups.
class NodeBaseInterface : public std::enable_shared_from_this<NodeBaseInterface> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(NodeBaseInterface)

  NodeBaseInterface(const std::string& name, const std::string& name_space,
                    const NodeOptions& options);
  virtual ~NodeBaseInterface() = default;

  const char* get_name() const { return rcl_node_get_name(node_.get()); }
  const char* get_namespace() const { return rcl_node_get_namespace(node_.get()); }
  const char* get_fully_qualified_name() const {
    return rcl_node_get_fully_qualified_name(node_.get());
  }
  Context::SharedPtr get_context() { return context_; }
  rcl_node_t* get_rcl_node_handle() { return node_.get(); }
  const rcl_node_t* get_rcl_node_handle() const { return node_.get(); }
  std::shared_ptr<rcl_node_t> get_shared_rcl_node_handle() { return node_; }

  CallbackGroup::SharedPtr create_callback_group(
      CallbackGroupType type, bool automatically_add_to_executor_with_node = true);
  CallbackGroup::SharedPtr get_default_callback_group() { return default_group_; }
  bool callback_group_in_node(const CallbackGroup::SharedPtr& group);
  void for_each_callback_group(const std::function<void(CallbackGroup::SharedPtr)>& visit);

  /// Whether the node is in an executor; it can be in one only.
  std::atomic_bool& get_associated_with_executor_atomic() { return associated_; }
  GuardCondition& get_notify_guard_condition() { return *notify_; }
  std::shared_ptr<GuardCondition> get_shared_notify_guard_condition() { return notify_; }

  std::string resolve_topic_or_service_name(const std::string& name, bool is_service,
                                            bool only_expand = false) const;

  /// The stand-in's own: puts an entity into a group, by default the node's own one.
  void add(const std::shared_ptr<detail::Entity>& entity, const CallbackGroup::SharedPtr& group);

 private:
  Context::SharedPtr context_;
  std::shared_ptr<rcl_node_t> node_;
  std::shared_ptr<GuardCondition> notify_;
  std::atomic_bool associated_{false};
  std::mutex mutex_;
  std::vector<CallbackGroup::WeakPtr> groups_;
  CallbackGroup::SharedPtr default_group_;  // after groups_, which it is entered in when it is made
};

}  // namespace rclcpp::node_interfaces
