// SPDX-License-Identifier: Apache-2.0
#include "rclcpp_lifecycle/lifecycle_node.hpp"

#include <array>
#include <lifecycle_msgs/msg/state.hpp>
#include <lifecycle_msgs/msg/transition.hpp>
#include <map>
#include <mutex>

#include "lifecycle_machine.hpp"
#include "lifecycle_services.hpp"

namespace rclcpp_lifecycle {

using CallbackReturn = node_interfaces::LifecycleNodeInterface::CallbackReturn;
using StateId = lifecycle_msgs::msg::State;
using TransitionId = lifecycle_msgs::msg::Transition;

/// What a node does in its transitions: callbacks, managed entities, services.
class LifecycleNode::StateMachine {
 public:
  using Callback = std::function<CallbackReturn(const State&)>;

  StateMachine(LifecycleNode& node, bool communicate)
      : node_(node),
        machine_(std::make_shared<LifecycleMachine>(
            node.get_node_base_interface()->get_shared_rcl_node_handle(), communicate)) {
    if (communicate) {
      services_ = serve_lifecycle(*node.get_node_base_interface(), machine_, [this](uint8_t id) {
        return change(id) == CallbackReturn::SUCCESS;
      });
    }
  }

  const LifecycleMachine& states() const { return *machine_; }

  /// Goes through a transition; what its callback answered, ERROR if it was not possible.
  CallbackReturn change(uint8_t id) {
    // No lock is held during the callback: the state can be read meanwhile, and no second
    // transition can begin, since none leads out of the state of a transition but its end.
    const State& before = machine_->current();
    if (const auto reason = machine_->begin(id)) {
      RCLCPP_ERROR(node_.get_logger(), "transition %u is not possible: %s", id, reason->c_str());
      return CallbackReturn::ERROR;
    }
    const CallbackReturn answer = call(machine_->current().id(), before);
    bool ended = end(id, answer);
    if (ended && answer == CallbackReturn::ERROR) {
      // That led to the state in which errors are dealt with.
      RCLCPP_WARN(node_.get_logger(), "transition %u ended in an error; on_error decides", id);
      ended = end(id, call(machine_->current().id(), before));
    }
    return ended ? answer : CallbackReturn::ERROR;
  }

  /// For transitions whose number depends on the state: shutdown.
  CallbackReturn change(const char* label) {
    const auto id = machine_->find(label);
    return id ? change(*id) : CallbackReturn::ERROR;
  }

  bool set_callback(uint8_t transitional_state, Callback callback) {
    callbacks_[transitional_state] = std::move(callback);
    return true;
  }

  void add_managed_entity(std::weak_ptr<ManagedEntityInterface> entity) {
    std::lock_guard lock(mutex_);
    std::erase_if(entities_, [](const auto& weak) { return weak.expired(); });
    entities_.push_back(std::move(entity));
  }

  void for_each_entity(void (ManagedEntityInterface::*call)()) {
    std::unique_lock lock(mutex_);
    const auto entities = entities_;
    lock.unlock();
    for (const auto& weak : entities) {
      if (auto entity = weak.lock()) {
        (*entity.*call)();
      }
    }
  }

  void keep(std::shared_ptr<rclcpp::TimerBase> timer) {
    std::lock_guard lock(mutex_);
    timers_.push_back(std::move(timer));
  }

 private:
  bool end(uint8_t id, CallbackReturn answer) {
    const auto reason = machine_->end(answer);
    if (reason) {
      RCLCPP_ERROR(node_.get_logger(), "transition %u did not come to its end: %s", id,
                   reason->c_str());
    }
    return !reason;
  }

  CallbackReturn call(uint8_t transitional, const State& before) {
    try {
      const auto registered = callbacks_.find(transitional);
      return registered != callbacks_.end() ? registered->second(before)
                                            : call_member(transitional, before);
    } catch (const std::exception& error) {
      RCLCPP_ERROR(node_.get_logger(), "the callback for the state %s threw: %s",
                   machine_->current().label().c_str(), error.what());
      return CallbackReturn::ERROR;
    }
  }

  CallbackReturn call_member(uint8_t transitional, const State& before) {
    switch (transitional) {
      case StateId::TRANSITION_STATE_CONFIGURING:
        return node_.on_configure(before);
      case StateId::TRANSITION_STATE_CLEANINGUP:
        return node_.on_cleanup(before);
      case StateId::TRANSITION_STATE_SHUTTINGDOWN:
        return node_.on_shutdown(before);
      case StateId::TRANSITION_STATE_ACTIVATING:
        return node_.on_activate(before);
      case StateId::TRANSITION_STATE_DEACTIVATING:
        return node_.on_deactivate(before);
      case StateId::TRANSITION_STATE_ERRORPROCESSING:
        return node_.on_error(before);
      default:
        return CallbackReturn::ERROR;
    }
  }

  LifecycleNode& node_;
  std::shared_ptr<LifecycleMachine> machine_;
  std::map<uint8_t, Callback> callbacks_;
  std::mutex mutex_;  // guards the next two
  std::vector<std::weak_ptr<ManagedEntityInterface>> entities_;
  std::vector<std::shared_ptr<rclcpp::TimerBase>> timers_;
  std::vector<rclcpp::ServiceBase::SharedPtr> services_;
};

LifecycleNode::LifecycleNode(const std::string& node_name, const std::string& name_space,
                             const rclcpp::NodeOptions& options,
                             bool enable_communication_interface)
    : NodeFacade(node_name, name_space, options),
      machine_(std::make_unique<StateMachine>(*this, enable_communication_interface)) {}

LifecycleNode::~LifecycleNode() = default;

const State& LifecycleNode::get_current_state() const { return machine_->states().current(); }

std::vector<State> LifecycleNode::get_available_states() const {
  return machine_->states().states();
}

std::vector<Transition> LifecycleNode::get_available_transitions() const {
  return machine_->states().possible_transitions();
}

std::vector<Transition> LifecycleNode::get_transition_graph() const {
  return machine_->states().all_transitions();
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
  cb_return_code = machine_->change(transition_id);
  return get_current_state();
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
  cb_return_code = machine_->change(rcl_lifecycle_shutdown_label);
  return get_current_state();
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
  machine_->keep(std::move(timer));
}

}  // namespace rclcpp_lifecycle
