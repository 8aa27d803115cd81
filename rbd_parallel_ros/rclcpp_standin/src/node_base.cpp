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

namespace rclcpp {

GuardCondition::GuardCondition(const Context::SharedPtr& context)
    : context_(context->get_rcl_context()) {
  if (!context_) {
    throw std::invalid_argument("the context is not initialized: call rclcpp::init first");
  }
  detail::check(rcl_guard_condition_init(&condition_, context_.get(),
                                         rcl_guard_condition_get_default_options()),
                "no guard condition");
}

GuardCondition::~GuardCondition() {
  if (rcl_guard_condition_fini(&condition_) != RCL_RET_OK) {
    detail::report_fini_error("a guard condition");
  }
}

void GuardCondition::trigger() {
  detail::check(rcl_trigger_guard_condition(&condition_), "a guard condition cannot be triggered");
}

void CallbackGroup::add(const std::shared_ptr<detail::Entity>& entity) {
  {
    std::lock_guard lock(mutex_);
    members_.push_back(entity);
  }
  on_change_();
}

void CallbackGroup::for_each(const std::function<void(std::shared_ptr<detail::Entity>)>& visit) {
  std::lock_guard lock(mutex_);
  std::erase_if(members_, [&](const auto& weak) {
    auto member = weak.lock();
    if (!member) {
      return true;
    }
    visit(std::move(member));
    return false;
  });
}

namespace detail {

void report_fini_error(const char* what) noexcept {
  RCLCPP_ERROR(get_logger("rclcpp"), "failed to end %s: %s", what, rcl_get_error_string().str);
  rcl_reset_error();
}

void check_topic(rcl_ret_t ret, const std::string& topic, const std::string& what) {
  if (ret == RCL_RET_TOPIC_NAME_INVALID) {
    const std::string message = rcl_get_error_string().str;
    rcl_reset_error();
    throw exceptions::InvalidTopicNameError(topic.c_str(), message.c_str(), 0);
  }
  check(ret, what);
}

void check_service(rcl_ret_t ret, const std::string& service, const std::string& what) {
  if (ret == RCL_RET_SERVICE_NAME_INVALID) {
    const std::string message = rcl_get_error_string().str;
    rcl_reset_error();
    throw exceptions::InvalidServiceNameError(service.c_str(), message.c_str(), 0);
  }
  check(ret, what);
}

}  // namespace detail

namespace node_interfaces {

namespace {

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
    rcl_reset_error();
    int result = 0;
    size_t index = 0;
    if (rmw_validate_node_name(name.c_str(), &result, &index) != RMW_RET_OK) {
      rcl_reset_error();
    }
    throw exceptions::InvalidNodeNameError(name.c_str(),
                                           rmw_node_name_validation_result_string(result), index);
  }
  if (ret == RCL_RET_NODE_INVALID_NAMESPACE) {
    rcl_reset_error();
    int result = 0;
    size_t index = 0;
    if (rmw_validate_namespace(name_space.c_str(), &result, &index) != RMW_RET_OK) {
      rcl_reset_error();
    }
    throw exceptions::InvalidNamespaceError(name_space.c_str(),
                                            rmw_namespace_validation_result_string(result), index);
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

}  // namespace node_interfaces
}  // namespace rclcpp
