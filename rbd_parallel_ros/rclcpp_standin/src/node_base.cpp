// SPDX-License-Identifier: Apache-2.0
#include <rcl/logging.h>
#include <rcl/logging_rosout.h>
#include <rcl/node.h>
#include <rmw/validate_namespace.h>
#include <rmw/validate_node_name.h>

#include <algorithm>

#include "rclcpp/exceptions.hpp"
#include "rclcpp/logging.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"

namespace rclcpp::node_interfaces {

namespace {

// Throws with what is wrong in a name, and where.
template <typename ErrorT>
[[noreturn]] void refuse(const std::string& name, rmw_ret_t (*validate)(const char*, int*, size_t*),
                         const char* (*explain)(int)) {
  int fault = 0;
  size_t place = 0;
  (void)validate(name.c_str(), &fault, &place);
  rcl_reset_error();
  throw ErrorT(name.c_str(), explain(fault), place);
}

std::shared_ptr<rcl_node_t> create_node(const std::string& name, const std::string& name_space,
                                        const NodeOptions& options) {
  const auto context = options.context()->get_rcl_context();
  if (!context) {
    throw std::runtime_error(
        "the context is not initialized: call rclcpp::init before making a node");
  }
  const auto rcl_options = options.get_rcl_node_options();
  auto node = std::make_unique<rcl_node_t>(rcl_get_zero_initialized_node());
  std::lock_guard lock(detail::logging_mutex());
  const rcl_ret_t ret =
      rcl_node_init(node.get(), name.c_str(), name_space.c_str(), context.get(), rcl_options.get());
  if (ret == RCL_RET_NODE_INVALID_NAME) {
    refuse<exceptions::InvalidNodeNameError>(name, rmw_validate_node_name,
                                             rmw_node_name_validation_result_string);
  }
  if (ret == RCL_RET_NODE_INVALID_NAMESPACE) {
    refuse<exceptions::InvalidNamespaceError>(name_space, rmw_validate_namespace,
                                              rmw_namespace_validation_result_string);
  }
  detail::check(ret, "the node cannot be made");
  bool rosout = rcl_logging_rosout_enabled() && options.enable_rosout();
  if (rosout && rcl_logging_rosout_init_publisher_for_node(node.get()) != RCL_RET_OK) {
    rosout = false;
    RCLCPP_ERROR(get_node_logger(node.get()), "no publisher to /rosout: %s",
                 rcl_get_error_string().str);
    rcl_reset_error();
  }
  // The deleter holds the context, which so outlives the node.
  return std::shared_ptr<rcl_node_t>(node.release(), [context, rosout](rcl_node_t* owned) {
    std::lock_guard guard(detail::logging_mutex());
    if (rosout && rcl_logging_rosout_fini_publisher_for_node(owned) != RCL_RET_OK) {
      detail::report_fini_error("the publisher to /rosout");
    }
    if (rcl_node_fini(owned) != RCL_RET_OK) {
      detail::report_fini_error("a node");
    }
    delete owned;
  });
}

}  // namespace

NodeBaseInterface::NodeBaseInterface(const std::string& name, const std::string& name_space,
                                     const NodeOptions& options)
    : context_(options.context()),
      node_(create_node(name, name_space, options)),
      notify_(std::make_shared<GuardCondition>(context_)),
      default_group_(create_callback_group(CallbackGroupType::MutuallyExclusive)) {}

CallbackGroup::SharedPtr NodeBaseInterface::create_callback_group(
    CallbackGroupType type, bool automatically_add_to_executor_with_node) {
  auto group = std::make_shared<CallbackGroup>(
      type, [notify = notify_] { notify->trigger(); }, automatically_add_to_executor_with_node);
  std::lock_guard lock(mutex_);
  std::erase_if(groups_, [](const auto& weak) { return weak.expired(); });
  groups_.push_back(group);
  return group;
}

bool NodeBaseInterface::callback_group_in_node(const CallbackGroup::SharedPtr& group) {
  std::lock_guard lock(mutex_);
  return std::any_of(groups_.begin(), groups_.end(),
                     [&](const auto& weak) { return weak.lock() == group; });
}

void NodeBaseInterface::for_each_callback_group(
    const std::function<void(CallbackGroup::SharedPtr)>& visit) {
  std::lock_guard lock(mutex_);
  for (const auto& weak : groups_) {
    if (auto group = weak.lock()) {
      visit(std::move(group));
    }
  }
}

std::string NodeBaseInterface::resolve_topic_or_service_name(const std::string& name,
                                                             bool is_service,
                                                             bool only_expand) const {
  const rcl_allocator_t allocator = rcl_get_default_allocator();
  char* resolved = nullptr;
  detail::check(rcl_node_resolve_name(node_.get(), name.c_str(), allocator, is_service, only_expand,
                                      &resolved),
                "the name '" + name + "' cannot be resolved");
  std::string result(resolved);
  allocator.deallocate(resolved, allocator.state);
  return result;
}

void NodeBaseInterface::add(const std::shared_ptr<detail::Entity>& entity,
                            const CallbackGroup::SharedPtr& group) {
  if (group && !callback_group_in_node(group)) {
    throw std::runtime_error("expected a callback group of this node, got one of another");
  }
  (group ? group : default_group_)->add(entity);
}

}  // namespace rclcpp::node_interfaces
