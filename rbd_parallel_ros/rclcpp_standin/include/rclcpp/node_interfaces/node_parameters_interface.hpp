// SPDX-License-Identifier: Apache-2.0
// Concrete here; in rclcpp it is an abstract class.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <rcl_interfaces/msg/list_parameters_result.hpp>
#include <rcl_interfaces/msg/parameter_descriptor.hpp>
#include <rcl_interfaces/msg/parameter_event.hpp>
#include <rcl_interfaces/msg/set_parameters_result.hpp>
#include <string>
#include <vector>

#include "rclcpp/clock.hpp"
#include "rclcpp/detail/callback_chain.hpp"
#include "rclcpp/detail/parameter_overrides.hpp"
#include "rclcpp/detail/parameter_rules.hpp"
#include "rclcpp/detail/parameter_table.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/node_options.hpp"
#include "rclcpp/parameter.hpp"
#include "rclcpp/publisher.hpp"
#include "rclcpp/service.hpp"

namespace rclcpp::node_interfaces {

// A callback is in force as long as somebody holds its handle.

struct PreSetParametersCallbackHandle {
  RCLCPP_SMART_PTR_DEFINITIONS(PreSetParametersCallbackHandle)
  using PreSetParametersCallbackType = std::function<void(std::vector<Parameter>&)>;
  PreSetParametersCallbackType callback;
};

struct OnSetParametersCallbackHandle {
  RCLCPP_SMART_PTR_DEFINITIONS(OnSetParametersCallbackHandle)
  using OnSetParametersCallbackType =
      std::function<rcl_interfaces::msg::SetParametersResult(const std::vector<Parameter>&)>;
  OnSetParametersCallbackType callback;
};

struct PostSetParametersCallbackHandle {
  RCLCPP_SMART_PTR_DEFINITIONS(PostSetParametersCallbackHandle)
  using PostSetParametersCallbackType = std::function<void(const std::vector<Parameter>&)>;
  PostSetParametersCallbackType callback;
};

/// The node's parameters: declared ones with values and descriptors, overrides, callbacks, services
/// and events.
class NodeParametersInterface {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(NodeParametersInterface)

  using PreSetParametersCallbackType = PreSetParametersCallbackHandle::PreSetParametersCallbackType;
  using OnSetParametersCallbackType = OnSetParametersCallbackHandle::OnSetParametersCallbackType;
  using PostSetParametersCallbackType =
      PostSetParametersCallbackHandle::PostSetParametersCallbackType;

  NodeParametersInterface(NodeBaseInterface::SharedPtr base, Clock::SharedPtr clock,
                          const NodeOptions& options);
  virtual ~NodeParametersInterface() = default;

  const ParameterValue& declare_parameter(
      const std::string& name, const ParameterValue& default_value,
      const rcl_interfaces::msg::ParameterDescriptor& descriptor =
          rcl_interfaces::msg::ParameterDescriptor(),
      bool ignore_override = false);
  const ParameterValue& declare_parameter(
      const std::string& name, ParameterType type,
      const rcl_interfaces::msg::ParameterDescriptor& descriptor =
          rcl_interfaces::msg::ParameterDescriptor(),
      bool ignore_override = false);
  void undeclare_parameter(const std::string& name);
  bool has_parameter(const std::string& name) const;
  std::vector<rcl_interfaces::msg::SetParametersResult> set_parameters(
      const std::vector<Parameter>& parameters);
  rcl_interfaces::msg::SetParametersResult set_parameters_atomically(
      const std::vector<Parameter>& parameters);
  std::vector<Parameter> get_parameters(const std::vector<std::string>& names) const;
  Parameter get_parameter(const std::string& name) const;
  bool get_parameter(const std::string& name, Parameter& parameter) const;
  bool get_parameters_by_prefix(const std::string& prefix,
                                std::map<std::string, Parameter>& parameters) const;
  std::vector<rcl_interfaces::msg::ParameterDescriptor> describe_parameters(
      const std::vector<std::string>& names) const;
  std::vector<uint8_t> get_parameter_types(const std::vector<std::string>& names) const;
  rcl_interfaces::msg::ListParametersResult list_parameters(
      const std::vector<std::string>& prefixes, uint64_t depth) const;

  PreSetParametersCallbackHandle::SharedPtr add_pre_set_parameters_callback(
      PreSetParametersCallbackType callback);
  OnSetParametersCallbackHandle::SharedPtr add_on_set_parameters_callback(
      OnSetParametersCallbackType callback);
  PostSetParametersCallbackHandle::SharedPtr add_post_set_parameters_callback(
      PostSetParametersCallbackType callback);
  void remove_pre_set_parameters_callback(const PreSetParametersCallbackHandle* handle);
  void remove_on_set_parameters_callback(const OnSetParametersCallbackHandle* handle);
  void remove_post_set_parameters_callback(const PostSetParametersCallbackHandle* handle);

  const std::map<std::string, ParameterValue>& get_parameter_overrides() const {
    return overrides_;
  }

 private:
  /// The right to change something: holds the lock, and refuses a callback that wants it as well.
  class Turn;

  const ParameterValue& declare(const std::string& name, ParameterType type,
                                const ParameterValue& default_value,
                                rcl_interfaces::msg::ParameterDescriptor descriptor,
                                bool ignore_override);
  /// Puts the values into the draft and asks descriptors and callbacks whether they agree.
  std::optional<detail::Refusal> fill(detail::ParameterTable::Draft& draft,
                                      const std::vector<Parameter>& parameters) const;
  /// Enters what was agreed to, and tells of it.
  void enter(detail::ParameterTable::Draft draft, const std::vector<Parameter>& parameters);
  void create_services();

  /// What ask says about each of the names, all of them at one moment.
  template <typename AskT>
  auto for_each_name(const std::vector<std::string>& names, const AskT& ask) const {
    std::lock_guard lock(mutex_);
    std::vector<decltype(ask(names[0]))> answers;
    for (const auto& name : names) answers.push_back(ask(name));
    return answers;
  }

  NodeBaseInterface::SharedPtr base_;
  Clock::SharedPtr clock_;
  mutable std::recursive_mutex mutex_;  // recursive, since a callback may read parameters
  bool turn_taken_ = false;
  detail::ParameterTable table_;
  const detail::ParameterOverrides overrides_;
  detail::CallbackChain<PreSetParametersCallbackHandle> pre_set_;
  detail::CallbackChain<OnSetParametersCallbackHandle> on_set_;
  detail::CallbackChain<PostSetParametersCallbackHandle> post_set_;
  Publisher<rcl_interfaces::msg::ParameterEvent>::SharedPtr events_;
  std::vector<ServiceBase::SharedPtr> services_;
};

}  // namespace rclcpp::node_interfaces
