// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <lifecycle_msgs/msg/transition.hpp>

#include "rclcpp_lifecycle/state.hpp"

namespace rclcpp_lifecycle::node_interfaces {

/// The callbacks of the transitions. Each gets the state that the node was in.
class LifecycleNodeInterface {
 public:
  enum class CallbackReturn : uint8_t {
    SUCCESS = lifecycle_msgs::msg::Transition::TRANSITION_CALLBACK_SUCCESS,
    FAILURE = lifecycle_msgs::msg::Transition::TRANSITION_CALLBACK_FAILURE,
    ERROR = lifecycle_msgs::msg::Transition::TRANSITION_CALLBACK_ERROR,
  };

  virtual ~LifecycleNodeInterface() = default;

  virtual CallbackReturn on_configure(const State&) { return CallbackReturn::SUCCESS; }
  virtual CallbackReturn on_cleanup(const State&) { return CallbackReturn::SUCCESS; }
  virtual CallbackReturn on_shutdown(const State&) { return CallbackReturn::SUCCESS; }
  virtual CallbackReturn on_activate(const State&) { return CallbackReturn::SUCCESS; }
  virtual CallbackReturn on_deactivate(const State&) { return CallbackReturn::SUCCESS; }
  /// Called when another callback returned ERROR or threw; SUCCESS leads to unconfigured, else to
  /// finalized.
  virtual CallbackReturn on_error(const State&) { return CallbackReturn::FAILURE; }
};

}  // namespace rclcpp_lifecycle::node_interfaces
