// SPDX-License-Identifier: Apache-2.0
#include "rclcpp_lifecycle/lifecycle_node.hpp"

#include <rcl_lifecycle/rcl_lifecycle.h>
#include <rcl_lifecycle/transition_map.h>

#include <lifecycle_msgs/msg/transition_event.h>
#include <array>
#include <lifecycle_msgs/msg/state.hpp>
#include <lifecycle_msgs/msg/transition.hpp>
#include <lifecycle_msgs/srv/change_state.hpp>
#include <lifecycle_msgs/srv/get_available_states.hpp>
#include <lifecycle_msgs/srv/get_available_transitions.hpp>
#include <lifecycle_msgs/srv/get_state.hpp>
#include <map>
#include <mutex>

namespace rclcpp_lifecycle {

using CallbackReturn = node_interfaces::LifecycleNodeInterface::CallbackReturn;
namespace srv = lifecycle_msgs::srv;
using StateId = lifecycle_msgs::msg::State;
using TransitionId = lifecycle_msgs::msg::Transition;

namespace {

/// Owns rcl's state machine, with its five services and its publisher.
class Machine {
 public:
  Machine(std::shared_ptr<rcl_node_t> node, bool communicate) : node_(std::move(node)) {
    rcl_lifecycle_state_machine_options_t options =
        rcl_lifecycle_get_default_state_machine_options();
    options.enable_com_interface = communicate;
    const rcl_ret_t ret = rcl_lifecycle_state_machine_init(
        &machine_, node_.get(), ROSIDL_GET_MSG_TYPE_SUPPORT(lifecycle_msgs, msg, TransitionEvent),
        rosidl_typesupport_cpp::get_service_type_support_handle<srv::ChangeState>(),
        rosidl_typesupport_cpp::get_service_type_support_handle<srv::GetState>(),
        rosidl_typesupport_cpp::get_service_type_support_handle<srv::GetAvailableStates>(),
        rosidl_typesupport_cpp::get_service_type_support_handle<srv::GetAvailableTransitions>(),
        rosidl_typesupport_cpp::get_service_type_support_handle<srv::GetAvailableTransitions>(),
        &options);
    rclcpp::detail::check(
        ret, std::string("no state machine for node ") + rcl_node_get_name(node_.get()));
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine() {
    if (rcl_lifecycle_state_machine_fini(&machine_, node_.get()) != RCL_RET_OK) {
      rclcpp::detail::report_fini_error("a lifecycle's state machine");
    }
  }

  rcl_lifecycle_state_machine_t& operator*() { return machine_; }
  rcl_lifecycle_state_machine_t* operator->() { return &machine_; }

 private:
  std::shared_ptr<rcl_node_t> node_;
  rcl_lifecycle_state_machine_t machine_ = rcl_lifecycle_get_zero_initialized_state_machine();
};

State make_state(const rcl_lifecycle_state_t* state) {
  return state ? State(state->id, state->label) : State();
}

Transition make_transition(const rcl_lifecycle_transition_t& transition) {
  return Transition(static_cast<uint8_t>(transition.id), transition.label,
                    make_state(transition.start), make_state(transition.goal));
}

// rcl names the ways out of a transition's state by what the callback returned.
const char* label_of(CallbackReturn code) {
  switch (code) {
    case CallbackReturn::SUCCESS:
      return rcl_lifecycle_transition_success_label;
    case CallbackReturn::FAILURE:
      return rcl_lifecycle_transition_failure_label;
    default:
      return rcl_lifecycle_transition_error_label;
  }
}

}  // namespace

class LifecycleNode::StateMachine {
 public:
  using Callback = std::function<CallbackReturn(const State&)>;

  StateMachine(LifecycleNode& node, bool communicate)
      : node_(node),
        machine_(std::make_shared<Machine>(
            node.get_node_base_interface()->get_shared_rcl_node_handle(), communicate)) {
    const auto& map = (*machine_)->transition_map;
    for (unsigned int i = 0; i < map.states_size; ++i) {
      states_.emplace(map.states[i].id, make_state(&map.states[i]));
    }
    if (communicate) {
      create_services();
    }
  }

  // A reference that stays good: states are made once and never changed.
  const State& current_state() const {
    std::lock_guard lock(mutex_);
    return states_.at((*machine_)->current_state->id);
  }

  std::vector<State> available_states() const {
    std::vector<State> states;
    const auto& map = (*machine_)->transition_map;
    for (unsigned int i = 0; i < map.states_size; ++i) {
      states.push_back(make_state(&map.states[i]));
    }
    return states;
  }

  std::vector<Transition> available_transitions() const {
    std::lock_guard lock(mutex_);
    std::vector<Transition> transitions;
    const rcl_lifecycle_state_t* state = (*machine_)->current_state;
    for (unsigned int i = 0; i < state->valid_transition_size; ++i) {
      transitions.push_back(make_transition(state->valid_transitions[i]));
    }
    return transitions;
  }

  std::vector<Transition> transition_graph() const {
    std::vector<Transition> transitions;
    const auto& map = (*machine_)->transition_map;
    for (unsigned int i = 0; i < map.transitions_size; ++i) {
      transitions.push_back(make_transition(map.transitions[i]));
    }
    return transitions;
  }

  const State& trigger(uint8_t id, CallbackReturn& code) {
    change_state(id, code);
    return current_state();
  }

  /// For transitions whose number depends on the state: shutdown.
  const State& trigger(const char* label, CallbackReturn& code) {
    uint8_t id = 0;
    if (find_transition(label, id)) {
      change_state(id, code);
    }
    return current_state();
  }

  bool set_callback(uint8_t transitional_state, Callback callback) {
    callbacks_[transitional_state] = std::move(callback);
    return true;
  }

  void add_managed_entity(std::weak_ptr<ManagedEntityInterface> entity) {
    std::lock_guard lock(entities_mutex_);
    std::erase_if(entities_, [](const auto& weak) { return weak.expired(); });
    entities_.push_back(std::move(entity));
  }

  void for_each_entity(void (ManagedEntityInterface::*call)()) {
    std::vector<std::weak_ptr<ManagedEntityInterface>> entities;
    {
      std::lock_guard lock(entities_mutex_);
      entities = entities_;
    }
    for (const auto& weak : entities) {
      if (auto entity = weak.lock()) {
        (*entity.*call)();
      }
    }
  }

  std::vector<std::shared_ptr<rclcpp::TimerBase>> timers_;

 private:
  bool find_transition(const char* label, uint8_t& id) const {
    std::lock_guard lock(mutex_);
    const auto* transition =
        rcl_lifecycle_get_transition_by_label((*machine_)->current_state, label);
    if (!transition) {
      rcl_reset_error();
      return false;
    }
    id = static_cast<uint8_t>(transition->id);
    return true;
  }

  /// Goes through a transition and its callback. False if it could not be started, or ended in no
  /// state.
  bool change_state(uint8_t id, CallbackReturn& code) {
    const State* initial;
    uint8_t transitional;
    {
      // Not held during the callback: the state can be read meanwhile, and no second transition is
      // possible then, since none leads out of a transition's state but those below.
      std::lock_guard lock(mutex_);
      initial = &current_state();
      if (rcl_lifecycle_trigger_transition_by_id(&**machine_, id, true) != RCL_RET_OK) {
        RCLCPP_ERROR(node_.get_logger(), "transition %u is not possible from state %s: %s", id,
                     (*machine_)->current_state->label, rcl_get_error_string().str);
        rcl_reset_error();
        code = CallbackReturn::ERROR;
        return false;
      }
      transitional = (*machine_)->current_state->id;
    }
    code = call(transitional, *initial);
    if (!leave(code, id)) {
      code = CallbackReturn::ERROR;
      return false;
    }
    if (code == CallbackReturn::ERROR) {
      RCLCPP_WARN(node_.get_logger(), "the handling of an error failed itself");
      const CallbackReturn error_code = call(current_state().id(), *initial);
      return leave(error_code, id);
    }
    return true;
  }

  bool leave(CallbackReturn code, uint8_t id) {
    std::lock_guard lock(mutex_);
    if (rcl_lifecycle_trigger_transition_by_label(&**machine_, label_of(code), true) !=
        RCL_RET_OK) {
      RCLCPP_ERROR(node_.get_logger(), "transition %u was not completed; the state is %s now (%s)",
                   id, (*machine_)->current_state->label, rcl_get_error_string().str);
      rcl_reset_error();
      return false;
    }
    return true;
  }

  CallbackReturn call(uint8_t transitional, const State& previous) {
    try {
      if (const auto found = callbacks_.find(transitional); found != callbacks_.end()) {
        return found->second(previous);
      }
      switch (transitional) {
        case StateId::TRANSITION_STATE_CONFIGURING:
          return node_.on_configure(previous);
        case StateId::TRANSITION_STATE_CLEANINGUP:
          return node_.on_cleanup(previous);
        case StateId::TRANSITION_STATE_SHUTTINGDOWN:
          return node_.on_shutdown(previous);
        case StateId::TRANSITION_STATE_ACTIVATING:
          return node_.on_activate(previous);
        case StateId::TRANSITION_STATE_DEACTIVATING:
          return node_.on_deactivate(previous);
        case StateId::TRANSITION_STATE_ERRORPROCESSING:
          return node_.on_error(previous);
        default:
          return CallbackReturn::ERROR;
      }
    } catch (const std::exception& error) {
      RCLCPP_ERROR(node_.get_logger(), "the callback of transition %u threw", transitional);
      RCLCPP_ERROR(node_.get_logger(), "Original error: %s", error.what());
      return CallbackReturn::ERROR;
    }
  }

  void create_services() {
    auto& com = (*machine_)->com_interface;
    create<srv::ChangeState>(com.srv_change_state, [this](const auto& request, auto& response) {
      uint8_t id = request.transition.id;
      // A label counts before the number: "shutdown" has another number in each state.
      if (!request.transition.label.empty() &&
          !find_transition(request.transition.label.c_str(), id)) {
        RCLCPP_WARN(node_.get_logger(), "there is no transition '%s' from state %s",
                    request.transition.label.c_str(), current_state().label().c_str());
        response.success = false;
        return;
      }
      CallbackReturn code = CallbackReturn::ERROR;
      change_state(id, code);
      response.success = code == CallbackReturn::SUCCESS;
    });
    create<srv::GetState>(com.srv_get_state, [this](const auto&, auto& response) {
      const State& state = current_state();
      response.current_state.id = state.id();
      response.current_state.label = state.label();
    });
    create<srv::GetAvailableStates>(com.srv_get_available_states,
                                    [this](const auto&, auto& response) {
                                      for (const State& state : available_states()) {
                                        auto& message = response.available_states.emplace_back();
                                        message.id = state.id();
                                        message.label = state.label();
                                      }
                                    });
    create<srv::GetAvailableTransitions>(
        com.srv_get_available_transitions,
        [this](const auto&, auto& response) { describe(available_transitions(), response); });
    create<srv::GetAvailableTransitions>(
        com.srv_get_transition_graph,
        [this](const auto&, auto& response) { describe(transition_graph(), response); });
  }

  static void describe(const std::vector<Transition>& transitions,
                       srv::GetAvailableTransitions::Response& response) {
    for (const Transition& transition : transitions) {
      auto& message = response.available_transitions.emplace_back();
      message.transition.id = transition.id();
      message.transition.label = transition.label();
      message.start_state.id = transition.start_state().id();
      message.start_state.label = transition.start_state().label();
      message.goal_state.id = transition.goal_state().id();
      message.goal_state.label = transition.goal_state().label();
    }
  }

  template <typename ServiceT, typename CallbackT>
  void create(rcl_service_t& service, CallbackT callback) {
    const auto base = node_.get_node_base_interface();
    // The state machine owns the rcl service; whoever uses that keeps the machine alive.
    auto wrapper = std::make_shared<rclcpp::Service<ServiceT>>(
        base->get_shared_rcl_node_handle(), std::shared_ptr<rcl_service_t>(machine_, &service),
        [callback](auto, auto, std::shared_ptr<typename ServiceT::Request> request) {
          auto response = std::make_shared<typename ServiceT::Response>();
          callback(*request, *response);
          return response;
        });
    base->add(wrapper, nullptr);
    services_.push_back(std::move(wrapper));
  }

  LifecycleNode& node_;
  mutable std::recursive_mutex mutex_;  // guards the machine's current state
  std::shared_ptr<Machine> machine_;
  std::map<uint8_t, State> states_;
  std::map<uint8_t, Callback> callbacks_;
  std::mutex entities_mutex_;
  std::vector<std::weak_ptr<ManagedEntityInterface>> entities_;
  std::vector<rclcpp::ServiceBase::SharedPtr> services_;
};

LifecycleNode::LifecycleNode(const std::string& node_name, const std::string& name_space,
                             const rclcpp::NodeOptions& options,
                             bool enable_communication_interface)
    : NodeFacade(node_name, name_space, options),
      machine_(std::make_unique<StateMachine>(*this, enable_communication_interface)) {}

LifecycleNode::~LifecycleNode() = default;

const State& LifecycleNode::get_current_state() const { return machine_->current_state(); }

std::vector<State> LifecycleNode::get_available_states() const {
  return machine_->available_states();
}

std::vector<Transition> LifecycleNode::get_available_transitions() const {
  return machine_->available_transitions();
}

std::vector<Transition> LifecycleNode::get_transition_graph() const {
  return machine_->transition_graph();
}

const State& LifecycleNode::trigger_transition(const Transition& transition) {
  return trigger_transition(transition.id());
}

const State& LifecycleNode::trigger_transition(const Transition& transition,
                                               CallbackReturn& cb_return_code) {
  return trigger_transition(transition.id(), cb_return_code);
}

const State& LifecycleNode::trigger_transition(uint8_t transition_id) {
  CallbackReturn ignored = CallbackReturn::ERROR;
  return trigger_transition(transition_id, ignored);
}

const State& LifecycleNode::trigger_transition(uint8_t transition_id,
                                               CallbackReturn& cb_return_code) {
  return machine_->trigger(transition_id, cb_return_code);
}

const State& LifecycleNode::configure() {
  return trigger_transition(TransitionId::TRANSITION_CONFIGURE);
}

const State& LifecycleNode::configure(CallbackReturn& cb_return_code) {
  return trigger_transition(TransitionId::TRANSITION_CONFIGURE, cb_return_code);
}

const State& LifecycleNode::cleanup() {
  return trigger_transition(TransitionId::TRANSITION_CLEANUP);
}

const State& LifecycleNode::cleanup(CallbackReturn& cb_return_code) {
  return trigger_transition(TransitionId::TRANSITION_CLEANUP, cb_return_code);
}

const State& LifecycleNode::activate() {
  return trigger_transition(TransitionId::TRANSITION_ACTIVATE);
}

const State& LifecycleNode::activate(CallbackReturn& cb_return_code) {
  return trigger_transition(TransitionId::TRANSITION_ACTIVATE, cb_return_code);
}

const State& LifecycleNode::deactivate() {
  return trigger_transition(TransitionId::TRANSITION_DEACTIVATE);
}

const State& LifecycleNode::deactivate(CallbackReturn& cb_return_code) {
  return trigger_transition(TransitionId::TRANSITION_DEACTIVATE, cb_return_code);
}

const State& LifecycleNode::shutdown() {
  CallbackReturn ignored = CallbackReturn::ERROR;
  return shutdown(ignored);
}

const State& LifecycleNode::shutdown(CallbackReturn& cb_return_code) {
  return machine_->trigger(rcl_lifecycle_shutdown_label, cb_return_code);
}

bool LifecycleNode::register_on_configure(std::function<CallbackReturn(const State&)> callback) {
  return machine_->set_callback(StateId::TRANSITION_STATE_CONFIGURING, std::move(callback));
}

bool LifecycleNode::register_on_cleanup(std::function<CallbackReturn(const State&)> callback) {
  return machine_->set_callback(StateId::TRANSITION_STATE_CLEANINGUP, std::move(callback));
}

bool LifecycleNode::register_on_shutdown(std::function<CallbackReturn(const State&)> callback) {
  return machine_->set_callback(StateId::TRANSITION_STATE_SHUTTINGDOWN, std::move(callback));
}

bool LifecycleNode::register_on_activate(std::function<CallbackReturn(const State&)> callback) {
  return machine_->set_callback(StateId::TRANSITION_STATE_ACTIVATING, std::move(callback));
}

bool LifecycleNode::register_on_deactivate(std::function<CallbackReturn(const State&)> callback) {
  return machine_->set_callback(StateId::TRANSITION_STATE_DEACTIVATING, std::move(callback));
}

bool LifecycleNode::register_on_error(std::function<CallbackReturn(const State&)> callback) {
  return machine_->set_callback(StateId::TRANSITION_STATE_ERRORPROCESSING, std::move(callback));
}

CallbackReturn LifecycleNode::on_activate(const State&) {
  machine_->for_each_entity(&ManagedEntityInterface::on_activate);
  return CallbackReturn::SUCCESS;
}

CallbackReturn LifecycleNode::on_deactivate(const State&) {
  machine_->for_each_entity(&ManagedEntityInterface::on_deactivate);
  return CallbackReturn::SUCCESS;
}

void LifecycleNode::add_managed_entity(std::weak_ptr<ManagedEntityInterface> entity) {
  machine_->add_managed_entity(std::move(entity));
}

void LifecycleNode::add_timer_handle(std::shared_ptr<rclcpp::TimerBase> timer) {
  machine_->timers_.push_back(std::move(timer));
}

}  // namespace rclcpp_lifecycle
