// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl_lifecycle/rcl_lifecycle.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "rclcpp_lifecycle/node_interfaces/lifecycle_node_interface.hpp"
#include "rclcpp_lifecycle/state.hpp"
#include "rclcpp_lifecycle/transition.hpp"

namespace rclcpp_lifecycle {

/// rcl's state machine of a node: where it is and where it can go. For several threads.
class LifecycleMachine {
 public:
  using CallbackReturn = node_interfaces::LifecycleNodeInterface::CallbackReturn;

  /// communicate: with its topic and its five services, whose rcl objects it owns.
  LifecycleMachine(std::shared_ptr<rcl_node_t> node, bool communicate);
  LifecycleMachine(const LifecycleMachine&) = delete;
  LifecycleMachine& operator=(const LifecycleMachine&) = delete;
  ~LifecycleMachine();

  /// A reference that stays good: states are made once and never changed.
  const State& current() const;
  std::vector<State> states() const;
  std::vector<Transition> possible_transitions() const;
  std::vector<Transition> all_transitions() const;
  /// The number of a transition that is possible now. "shutdown" has another one in each state.
  std::optional<uint8_t> find(const std::string& label) const;

  /// Enters a transition. Gives the reason if it is not possible, else nothing.
  std::optional<std::string> begin(uint8_t transition);
  /// Leaves it, by the way that its callback's answer names.
  std::optional<std::string> end(CallbackReturn answer);

  rcl_lifecycle_com_interface_t& com_interface() { return machine_.com_interface; }

 private:
  /// The reason why rcl refused, if it did.
  std::optional<std::string> reason(rcl_ret_t ret) const;

  std::shared_ptr<rcl_node_t> node_;
  rcl_lifecycle_state_machine_t machine_ = rcl_lifecycle_get_zero_initialized_state_machine();
  std::map<uint8_t, State> states_;
  mutable std::mutex mutex_;  // guards the current state
};

}  // namespace rclcpp_lifecycle
