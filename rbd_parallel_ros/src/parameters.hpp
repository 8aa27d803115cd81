// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rclcpp/rclcpp.hpp>
#include <rclcpp_lifecycle/lifecycle_node.hpp>
#include <string>
#include <vector>

#include "rbd_parallel_core/backend.hpp"
#include "stream/stream_settings.hpp"

/// The parameters of the node: what they are called, what they may be, and what they mean to the
/// core.
namespace rbd_parallel_ros {

inline constexpr const char* default_backend = "rbd_parallel/auto";

/// What a configure works with, the robot description apart.
struct Settings {
  std::string backend;
  std::vector<std::string> joints;  ///< empty: all
  rbd_parallel_core::ModelOptions model;
  rbd_parallel_core::BackendOptions compute;
  StreamSettings stream;
  bool base_state = false;                        ///< somebody publishes ~/base_state
  double latency_warning = 0, latency_error = 0;  ///< s, of the 99th percentile in the stream
};

/// Declares all parameters, and armature.<joint> for those that were given at start. Throws
/// std::invalid_argument for values of a wrong type, and what rclcpp does for those out of range.
void declare_node_parameters(rclcpp_lifecycle::LifecycleNode& node);

/// Logs a warning for each parameter that was given at start and is none of the node's, with the
/// name that was probably meant. To be called when all parameters are declared.
void warn_of_unknown_parameters(rclcpp_lifecycle::LifecycleNode& node);

/// The parameters that configure reads, as they are now.
std::vector<rclcpp::Parameter> parameters_of_configure(const rclcpp_lifecycle::LifecycleNode& node);
/// The names of those that have another value in `before`; one that is not there is no change.
std::vector<std::string> names_of_changed(const std::vector<rclcpp::Parameter>& now,
                                          const std::vector<rclcpp::Parameter>& before);

/// Declares armature.<joint> for the joints of a model, so that they can be set. Very large models
/// keep to those that were given at start.
void declare_armatures(rclcpp_lifecycle::LifecycleNode& node,
                       const rbd_parallel_core::Model& model);

/// Throws std::invalid_argument with the reason if a value is impossible.
Settings read_settings(const rclcpp_lifecycle::LifecycleNode& node);

/// Why a parameter cannot have this value; "" if it can. Types and ranges are rclcpp's to check.
std::string fault_of(const rclcpp::Parameter& parameter);

/// The word that the parameter effort_mode has for it.
const char* name_of(EffortMode mode);

/// True for parameters that take effect when the node is configured, and are refused while it is
/// active.
bool is_used_by_configure(const std::string& name);

}  // namespace rbd_parallel_ros
