// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/node_options.h>

#include <memory>
#include <string>
#include <vector>

#include "rclcpp/contexts/default_context.hpp"
#include "rclcpp/parameter.hpp"
#include "rclcpp/qos.hpp"

namespace rclcpp {

/// What a node is made with. A setter returns the options, so that calls can be chained.
class NodeOptions {
 public:
  NodeOptions() = default;

  /// The options as rcl has them, with the arguments parsed; what is wrong in these throws here.
  std::shared_ptr<const rcl_node_options_t> get_rcl_node_options() const;

  Context::SharedPtr context() const { return context_; }
  NodeOptions& context(Context::SharedPtr context) {
    context_ = std::move(context);
    return *this;
  }
  const std::vector<std::string>& arguments() const { return arguments_; }
  NodeOptions& arguments(const std::vector<std::string>& arguments) {
    arguments_ = arguments;
    return *this;
  }
  std::vector<Parameter>& parameter_overrides() { return parameter_overrides_; }
  const std::vector<Parameter>& parameter_overrides() const { return parameter_overrides_; }
  NodeOptions& parameter_overrides(const std::vector<Parameter>& overrides) {
    parameter_overrides_ = overrides;
    return *this;
  }
  template <typename ParameterT>
  NodeOptions& append_parameter_override(const std::string& name, const ParameterT& value) {
    parameter_overrides_.emplace_back(name, ParameterValue(value));
    return *this;
  }

#define RCLCPP_STANDIN_OPTION(type, name, initial) \
  type name() const { return name##_; }            \
  NodeOptions& name(type value) {                  \
    name##_ = value;                               \
    return *this;                                  \
  }                                                \
                                                   \
 private:                                          \
  type name##_ = initial;                          \
                                                   \
 public:

  RCLCPP_STANDIN_OPTION(bool, use_global_arguments, true)
  RCLCPP_STANDIN_OPTION(bool, enable_rosout, true)
  // Messages always go through the middleware here.
  RCLCPP_STANDIN_OPTION(bool, use_intra_process_comms, false)
  // Accepted without effect: the stand-in gathers no topic statistics and has no type description
  // service.
  RCLCPP_STANDIN_OPTION(bool, enable_topic_statistics, false)
  RCLCPP_STANDIN_OPTION(bool, start_parameter_services, true)
  RCLCPP_STANDIN_OPTION(bool, start_parameter_event_publisher, true)
  // Whether /clock is read in a thread of its own or by the node's executor, where use_sim_time is
  // set.
  RCLCPP_STANDIN_OPTION(bool, use_clock_thread, true)
  RCLCPP_STANDIN_OPTION(rcl_clock_type_t, clock_type, RCL_ROS_TIME)
  RCLCPP_STANDIN_OPTION(bool, allow_undeclared_parameters, false)
  RCLCPP_STANDIN_OPTION(bool, automatically_declare_parameters_from_overrides, false)
#undef RCLCPP_STANDIN_OPTION

  const QoS& clock_qos() const { return clock_qos_; }
  NodeOptions& clock_qos(const QoS& qos) {
    clock_qos_ = qos;
    return *this;
  }
  const QoS& parameter_event_qos() const { return parameter_event_qos_; }
  NodeOptions& parameter_event_qos(const QoS& qos) {
    parameter_event_qos_ = qos;
    return *this;
  }
  const QoS& rosout_qos() const { return rosout_qos_; }
  NodeOptions& rosout_qos(const QoS& qos) {
    rosout_qos_ = qos;
    return *this;
  }

 private:
  Context::SharedPtr context_ = contexts::get_global_default_context();
  std::vector<std::string> arguments_;
  std::vector<Parameter> parameter_overrides_;
  QoS clock_qos_ = ClockQoS();
  QoS parameter_event_qos_ = ParameterEventsQoS();
  QoS rosout_qos_ = RosoutQoS();
};

}  // namespace rclcpp
