// SPDX-License-Identifier: Apache-2.0
#include "lifecycle_machine.hpp"

#include <rcl_lifecycle/transition_map.h>

#include <lifecycle_msgs/msg/transition_event.h>
#include <lifecycle_msgs/srv/change_state.hpp>
#include <lifecycle_msgs/srv/get_available_states.hpp>
#include <lifecycle_msgs/srv/get_available_transitions.hpp>
#include <lifecycle_msgs/srv/get_state.hpp>
#include <rosidl_typesupport_cpp/service_type_support.hpp>

#include "rclcpp/detail/entity.hpp"
#include "rclcpp/exceptions.hpp"

namespace rclcpp_lifecycle {

namespace {

namespace srv = lifecycle_msgs::srv;
using rosidl_typesupport_cpp::get_service_type_support_handle;

State make_state(const rcl_lifecycle_state_t* state) {
  return state ? State(state->id, state->label) : State();
}

std::vector<Transition> make_transitions(const rcl_lifecycle_transition_t* first, size_t count) {
  std::vector<Transition> transitions;
  for (size_t i = 0; i < count; ++i) {
    transitions.emplace_back(static_cast<uint8_t>(first[i].id), first[i].label,
                             make_state(first[i].start), make_state(first[i].goal));
  }
  return transitions;
}

const char* label_of(LifecycleMachine::CallbackReturn answer) {
  switch (answer) {
    case LifecycleMachine::CallbackReturn::SUCCESS:
      return rcl_lifecycle_transition_success_label;
    case LifecycleMachine::CallbackReturn::FAILURE:
      return rcl_lifecycle_transition_failure_label;
    default:
      return rcl_lifecycle_transition_error_label;
  }
}

}  // namespace

LifecycleMachine::LifecycleMachine(std::shared_ptr<rcl_node_t> node, bool communicate)
    : node_(std::move(node)) {
  rcl_lifecycle_state_machine_options_t options = rcl_lifecycle_get_default_state_machine_options();
  options.enable_com_interface = communicate;
  const rcl_ret_t ret = rcl_lifecycle_state_machine_init(
      &machine_, node_.get(), ROSIDL_GET_MSG_TYPE_SUPPORT(lifecycle_msgs, msg, TransitionEvent),
      get_service_type_support_handle<srv::ChangeState>(),
      get_service_type_support_handle<srv::GetState>(),
      get_service_type_support_handle<srv::GetAvailableStates>(),
      get_service_type_support_handle<srv::GetAvailableTransitions>(),
      get_service_type_support_handle<srv::GetAvailableTransitions>(), &options);
  rclcpp::detail::check(
      ret, std::string("no state machine for the node ") + rcl_node_get_name(node_.get()));
  const auto& map = machine_.transition_map;
  for (unsigned int i = 0; i < map.states_size; ++i) {
    states_.emplace(map.states[i].id, make_state(&map.states[i]));
  }
}

LifecycleMachine::~LifecycleMachine() {
  if (rcl_lifecycle_state_machine_fini(&machine_, node_.get()) != RCL_RET_OK) {
    rclcpp::detail::report_fini_error("a lifecycle's state machine");
  }
}

const State& LifecycleMachine::current() const {
  std::lock_guard lock(mutex_);
  return states_.at(machine_.current_state->id);
}

std::vector<State> LifecycleMachine::states() const {
  std::vector<State> states;
  for (const auto& [id, state] : states_) states.push_back(state);
  return states;
}

std::vector<Transition> LifecycleMachine::possible_transitions() const {
  std::lock_guard lock(mutex_);
  const rcl_lifecycle_state_t& state = *machine_.current_state;
  return make_transitions(state.valid_transitions, state.valid_transition_size);
}

std::vector<Transition> LifecycleMachine::all_transitions() const {
  const auto& map = machine_.transition_map;
  return make_transitions(map.transitions, map.transitions_size);
}

std::optional<uint8_t> LifecycleMachine::find(const std::string& label) const {
  std::lock_guard lock(mutex_);
  const auto* found = rcl_lifecycle_get_transition_by_label(machine_.current_state, label.c_str());
  if (found) return static_cast<uint8_t>(found->id);
  rcl_reset_error();
  return std::nullopt;
}

std::optional<std::string> LifecycleMachine::begin(uint8_t transition) {
  std::lock_guard lock(mutex_);
  return reason(rcl_lifecycle_trigger_transition_by_id(&machine_, transition, true));
}

std::optional<std::string> LifecycleMachine::end(CallbackReturn answer) {
  std::lock_guard lock(mutex_);
  return reason(rcl_lifecycle_trigger_transition_by_label(&machine_, label_of(answer), true));
}

std::optional<std::string> LifecycleMachine::reason(rcl_ret_t ret) const {
  if (ret == RCL_RET_OK) return std::nullopt;
  const std::string text = rcl_get_error_string().str;
  rcl_reset_error();
  return std::string("the state is ") + machine_.current_state->label + " (" + text + ")";
}

}  // namespace rclcpp_lifecycle
