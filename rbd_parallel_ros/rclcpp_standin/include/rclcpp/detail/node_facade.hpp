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
#include "rclcpp/detail/parameter_facade.hpp"
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

class NodeFacade : public ParameterFacade {
 public:
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
      throw std::invalid_argument("expected a period of a timer of at least 0, got a negative one");
    }
    if (Seconds(period) > Seconds(std::chrono::nanoseconds::max())) {
      throw std::invalid_argument(
          "expected a period of a timer that fits into std::chrono::nanoseconds, got a longer one");
    }
    return std::chrono::duration_cast<std::chrono::nanoseconds>(period);
  }

  NodeOptions options_;
  node_interfaces::NodeBaseInterface::SharedPtr base_;
  node_interfaces::NodeLoggingInterface::SharedPtr logging_;
  node_interfaces::NodeClockInterface::SharedPtr clock_;
  std::unique_ptr<TimeSource> time_source_;
};

}  // namespace rclcpp::detail
