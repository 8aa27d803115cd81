// SPDX-License-Identifier: Apache-2.0
// What rclcpp::Node and rclcpp_lifecycle::LifecycleNode have in common.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rclcpp/client.hpp"
#include "rclcpp/clock.hpp"
#include "rclcpp/logger.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/node_interfaces/node_clock_interface.hpp"
#include "rclcpp/node_interfaces/node_logging_interface.hpp"
#include "rclcpp/node_interfaces/node_parameters_interface.hpp"
#include "rclcpp/node_options.hpp"
#include "rclcpp/publisher.hpp"
#include "rclcpp/service.hpp"
#include "rclcpp/subscription.hpp"
#include "rclcpp/time_source.hpp"
#include "rclcpp/timer.hpp"

namespace rclcpp::detail {

class NodeFacade {
 public:
  using PreSetParametersCallbackHandle = node_interfaces::PreSetParametersCallbackHandle;
  using PreSetParametersCallbackType = PreSetParametersCallbackHandle::PreSetParametersCallbackType;
  using OnSetParametersCallbackHandle = node_interfaces::OnSetParametersCallbackHandle;
  using OnSetParametersCallbackType = OnSetParametersCallbackHandle::OnSetParametersCallbackType;
  using PostSetParametersCallbackHandle = node_interfaces::PostSetParametersCallbackHandle;
  using PostSetParametersCallbackType =
      PostSetParametersCallbackHandle::PostSetParametersCallbackType;

  NodeFacade(const NodeFacade&) = delete;
  NodeFacade& operator=(const NodeFacade&) = delete;

  const char* get_name() const { return base_->get_name(); }
  const char* get_namespace() const { return base_->get_namespace(); }
  const char* get_effective_namespace() const { return base_->get_namespace(); }
  const char* get_fully_qualified_name() const { return base_->get_fully_qualified_name(); }
  Logger get_logger() const { return logging_->get_logger(); }
  const NodeOptions& get_node_options() const { return options_; }

  CallbackGroup::SharedPtr create_callback_group(
      CallbackGroupType type, bool automatically_add_to_executor_with_node = true) {
    return base_->create_callback_group(type, automatically_add_to_executor_with_node);
  }
  void for_each_callback_group(const std::function<void(CallbackGroup::SharedPtr)>& visit) {
    base_->for_each_callback_group(visit);
  }

  template <typename MessageT, typename CallbackT>
  std::shared_ptr<Subscription<MessageT>> create_subscription(
      const std::string& topic_name, const QoS& qos, CallbackT&& callback,
      const SubscriptionOptions& options = SubscriptionOptions()) {
    auto subscription = std::make_shared<Subscription<MessageT>>(
        base_->get_shared_rcl_node_handle(), topic_name, qos,
        adapt_subscription_callback<MessageT>(
            std::decay_t<CallbackT>(std::forward<CallbackT>(callback))),
        options);
    base_->add(subscription, options.callback_group);
    return subscription;
  }

  template <typename ServiceT, typename CallbackT>
  typename Service<ServiceT>::SharedPtr create_service(const std::string& service_name,
                                                       CallbackT&& callback,
                                                       const QoS& qos = ServicesQoS(),
                                                       CallbackGroup::SharedPtr group = nullptr) {
    auto service = std::make_shared<Service<ServiceT>>(
        base_->get_shared_rcl_node_handle(), service_name,
        adapt_service_callback<ServiceT>(
            std::decay_t<CallbackT>(std::forward<CallbackT>(callback))),
        qos);
    base_->add(service, group);
    return service;
  }

  template <typename ServiceT>
  typename Client<ServiceT>::SharedPtr create_client(const std::string& service_name,
                                                     const QoS& qos = ServicesQoS(),
                                                     CallbackGroup::SharedPtr group = nullptr) {
    auto client = std::make_shared<Client<ServiceT>>(base_->get_shared_rcl_node_handle(),
                                                     base_->get_context(), service_name, qos);
    base_->add(client, group);
    return client;
  }

  template <typename DurationRepT = int64_t, typename DurationT = std::milli, typename CallbackT>
  typename WallTimer<std::decay_t<CallbackT>>::SharedPtr create_wall_timer(
      std::chrono::duration<DurationRepT, DurationT> period, CallbackT callback,
      CallbackGroup::SharedPtr group = nullptr, bool autostart = true) {
    auto timer = std::make_shared<WallTimer<std::decay_t<CallbackT>>>(
        timer_period(period), std::move(callback), base_->get_context(), autostart);
    base_->add(timer, group);
    return timer;
  }

  /// A timer on the node's clock.
  template <typename DurationRepT = int64_t, typename DurationT = std::milli, typename CallbackT>
  typename GenericTimer<std::decay_t<CallbackT>>::SharedPtr create_timer(
      std::chrono::duration<DurationRepT, DurationT> period, CallbackT callback,
      CallbackGroup::SharedPtr group = nullptr) {
    auto timer = std::make_shared<GenericTimer<std::decay_t<CallbackT>>>(
        get_clock(), timer_period(period), std::move(callback), base_->get_context());
    base_->add(timer, group);
    return timer;
  }

  const ParameterValue& declare_parameter(
      const std::string& name, const ParameterValue& default_value,
      const rcl_interfaces::msg::ParameterDescriptor& descriptor =
          rcl_interfaces::msg::ParameterDescriptor(),
      bool ignore_override = false) {
    return parameters_->declare_parameter(name, default_value, descriptor, ignore_override);
  }
  const ParameterValue& declare_parameter(
      const std::string& name, ParameterType type,
      const rcl_interfaces::msg::ParameterDescriptor& descriptor =
          rcl_interfaces::msg::ParameterDescriptor(),
      bool ignore_override = false) {
    return parameters_->declare_parameter(name, type, descriptor, ignore_override);
  }
  template <typename ParameterT>
  auto declare_parameter(const std::string& name, const ParameterT& default_value,
                         const rcl_interfaces::msg::ParameterDescriptor& descriptor =
                             rcl_interfaces::msg::ParameterDescriptor(),
                         bool ignore_override = false) {
    try {
      return declare_parameter(name, ParameterValue(default_value), descriptor, ignore_override)
          .template get<ParameterT>();
    } catch (const ParameterTypeException& error) {
      throw exceptions::InvalidParameterTypeException(name, error.what());
    }
  }
  /// Without a default: an override must give the value.
  template <typename ParameterT>
  auto declare_parameter(const std::string& name,
                         const rcl_interfaces::msg::ParameterDescriptor& descriptor =
                             rcl_interfaces::msg::ParameterDescriptor(),
                         bool ignore_override = false) {
    const ParameterType type = ParameterValue(ParameterT{}).get_type();
    try {
      return declare_parameter(name, type, descriptor, ignore_override).template get<ParameterT>();
    } catch (const ParameterTypeException&) {
      throw exceptions::UninitializedStaticallyTypedParameterException(name);
    }
  }
  template <typename ParameterT>
  std::vector<ParameterT> declare_parameters(const std::string& name_space,
                                             const std::map<std::string, ParameterT>& parameters,
                                             bool ignore_overrides = false) {
    std::vector<ParameterT> values;
    const std::string prefix = name_space.empty() ? "" : name_space + ".";
    for (const auto& [name, value] : parameters) {
      values.push_back(static_cast<ParameterT>(declare_parameter(
          prefix + name, value, rcl_interfaces::msg::ParameterDescriptor(), ignore_overrides)));
    }
    return values;
  }
  template <typename ParameterT>
  std::vector<ParameterT> declare_parameters(
      const std::string& name_space,
      const std::map<std::string, std::pair<ParameterT, rcl_interfaces::msg::ParameterDescriptor>>&
          parameters,
      bool ignore_overrides = false) {
    std::vector<ParameterT> values;
    const std::string prefix = name_space.empty() ? "" : name_space + ".";
    for (const auto& [name, value] : parameters) {
      values.push_back(static_cast<ParameterT>(
          declare_parameter(prefix + name, value.first, value.second, ignore_overrides)));
    }
    return values;
  }
  void undeclare_parameter(const std::string& name) { parameters_->undeclare_parameter(name); }
  bool has_parameter(const std::string& name) const { return parameters_->has_parameter(name); }

  rcl_interfaces::msg::SetParametersResult set_parameter(const Parameter& parameter) {
    return parameters_->set_parameters_atomically({parameter});
  }
  std::vector<rcl_interfaces::msg::SetParametersResult> set_parameters(
      const std::vector<Parameter>& parameters) {
    return parameters_->set_parameters(parameters);
  }
  rcl_interfaces::msg::SetParametersResult set_parameters_atomically(
      const std::vector<Parameter>& parameters) {
    return parameters_->set_parameters_atomically(parameters);
  }

  Parameter get_parameter(const std::string& name) const {
    return parameters_->get_parameter(name);
  }
  bool get_parameter(const std::string& name, Parameter& parameter) const {
    return parameters_->get_parameter(name, parameter);
  }
  template <typename ParameterT>
  bool get_parameter(const std::string& name, ParameterT& value) const {
    Parameter parameter(name);
    const bool found = parameters_->get_parameter(name, parameter);
    if (found) {
      value = static_cast<ParameterT>(parameter.template get_value<ParameterT>());
    }
    return found;
  }
  template <typename ParameterT>
  bool get_parameter_or(const std::string& name, ParameterT& value,
                        const ParameterT& alternative) const {
    const bool found = get_parameter(name, value);
    if (!found) {
      value = alternative;
    }
    return found;
  }
  template <typename ParameterT>
  ParameterT get_parameter_or(const std::string& name, const ParameterT& alternative) const {
    ParameterT value;
    get_parameter_or(name, value, alternative);
    return value;
  }
  std::vector<Parameter> get_parameters(const std::vector<std::string>& names) const {
    return parameters_->get_parameters(names);
  }
  /// All "prefix.name", under their names without the prefix.
  template <typename ParameterT>
  bool get_parameters(const std::string& prefix, std::map<std::string, ParameterT>& values) const {
    std::map<std::string, Parameter> parameters;
    const bool found = parameters_->get_parameters_by_prefix(prefix, parameters);
    for (const auto& [name, parameter] : parameters) {
      values[name] = static_cast<ParameterT>(parameter.template get_value<ParameterT>());
    }
    return found;
  }
  rcl_interfaces::msg::ParameterDescriptor describe_parameter(const std::string& name) const;
  std::vector<rcl_interfaces::msg::ParameterDescriptor> describe_parameters(
      const std::vector<std::string>& names) const {
    return parameters_->describe_parameters(names);
  }
  std::vector<uint8_t> get_parameter_types(const std::vector<std::string>& names) const {
    return parameters_->get_parameter_types(names);
  }
  rcl_interfaces::msg::ListParametersResult list_parameters(
      const std::vector<std::string>& prefixes, uint64_t depth) const {
    return parameters_->list_parameters(prefixes, depth);
  }

  [[nodiscard]] PreSetParametersCallbackHandle::SharedPtr add_pre_set_parameters_callback(
      PreSetParametersCallbackType callback) {
    return parameters_->add_pre_set_parameters_callback(std::move(callback));
  }
  [[nodiscard]] OnSetParametersCallbackHandle::SharedPtr add_on_set_parameters_callback(
      OnSetParametersCallbackType callback) {
    return parameters_->add_on_set_parameters_callback(std::move(callback));
  }
  [[nodiscard]] PostSetParametersCallbackHandle::SharedPtr add_post_set_parameters_callback(
      PostSetParametersCallbackType callback) {
    return parameters_->add_post_set_parameters_callback(std::move(callback));
  }
  void remove_pre_set_parameters_callback(const PreSetParametersCallbackHandle* handle) {
    parameters_->remove_pre_set_parameters_callback(handle);
  }
  void remove_on_set_parameters_callback(const OnSetParametersCallbackHandle* handle) {
    parameters_->remove_on_set_parameters_callback(handle);
  }
  void remove_post_set_parameters_callback(const PostSetParametersCallbackHandle* handle) {
    parameters_->remove_post_set_parameters_callback(handle);
  }

  std::vector<std::string> get_node_names() const;
  std::map<std::string, std::vector<std::string>> get_topic_names_and_types() const;
  std::map<std::string, std::vector<std::string>> get_service_names_and_types() const;
  size_t count_publishers(const std::string& topic_name) const;
  size_t count_subscribers(const std::string& topic_name) const;

  Clock::SharedPtr get_clock() { return clock_->get_clock(); }
  Clock::ConstSharedPtr get_clock() const { return std::as_const(*clock_).get_clock(); }
  Time now() const { return get_clock()->now(); }

  node_interfaces::NodeBaseInterface::SharedPtr get_node_base_interface() { return base_; }
  node_interfaces::NodeClockInterface::SharedPtr get_node_clock_interface() { return clock_; }
  node_interfaces::NodeLoggingInterface::SharedPtr get_node_logging_interface() { return logging_; }
  node_interfaces::NodeParametersInterface::SharedPtr get_node_parameters_interface() {
    return parameters_;
  }

 protected:
  NodeFacade(const std::string& name, const std::string& name_space, const NodeOptions& options);
  ~NodeFacade() = default;

 private:
  /// Refuses a period that is negative or does not fit into nanoseconds: std::invalid_argument.
  template <typename Rep, typename Period>
  static std::chrono::nanoseconds timer_period(std::chrono::duration<Rep, Period> period) {
    using Seconds = std::chrono::duration<long double>;
    if (period < std::chrono::duration<Rep, Period>::zero()) {
      throw std::invalid_argument("timer period cannot be negative");
    }
    if (Seconds(period) > Seconds(std::chrono::nanoseconds::max())) {
      throw std::invalid_argument("timer period must be less than std::chrono::nanoseconds::max()");
    }
    return std::chrono::duration_cast<std::chrono::nanoseconds>(period);
  }

  NodeOptions options_;
  node_interfaces::NodeBaseInterface::SharedPtr base_;
  node_interfaces::NodeLoggingInterface::SharedPtr logging_;
  node_interfaces::NodeClockInterface::SharedPtr clock_;
  node_interfaces::NodeParametersInterface::SharedPtr parameters_;
  std::unique_ptr<TimeSource> time_source_;
};

}  // namespace rclcpp::detail
