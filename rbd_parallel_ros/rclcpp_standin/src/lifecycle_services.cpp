// SPDX-License-Identifier: Apache-2.0
#include "lifecycle_services.hpp"

#include <lifecycle_msgs/srv/change_state.hpp>
#include <lifecycle_msgs/srv/get_available_states.hpp>
#include <lifecycle_msgs/srv/get_available_transitions.hpp>
#include <lifecycle_msgs/srv/get_state.hpp>
#include <utility>

#include "rclcpp/logging.hpp"

namespace rclcpp_lifecycle {

namespace {

namespace srv = lifecycle_msgs::srv;

// State and Transition as messages: the same two fields.
template <typename MessageT, typename ThingT>
MessageT message_of(const ThingT& thing) {
  MessageT message;
  message.id = thing.id();
  message.label = thing.label();
  return message;
}

lifecycle_msgs::msg::State message_of(const State& state) {
  return message_of<lifecycle_msgs::msg::State>(state);
}

void describe(const std::vector<Transition>& transitions,
              srv::GetAvailableTransitions::Response& response) {
  for (const Transition& transition : transitions) {
    auto& description = response.available_transitions.emplace_back();
    description.transition = message_of<lifecycle_msgs::msg::Transition>(transition);
    description.start_state = message_of(transition.start_state());
    description.goal_state = message_of(transition.goal_state());
  }
}

}  // namespace

std::vector<rclcpp::ServiceBase::SharedPtr> serve_lifecycle(
    rclcpp::node_interfaces::NodeBaseInterface& base,
    const std::shared_ptr<LifecycleMachine>& machine, std::function<bool(uint8_t)> change) {
  std::vector<rclcpp::ServiceBase::SharedPtr> services;
  // fill(request, response)
  const auto serve = [&]<typename ServiceT>(ServiceT, rcl_service_t& owned, auto fill) {
    // The machine owns the rcl service; whoever uses that keeps the machine alive.
    services.push_back(std::make_shared<rclcpp::Service<ServiceT>>(
        base.get_shared_rcl_node_handle(), std::shared_ptr<rcl_service_t>(machine, &owned),
        [fill](auto, auto, std::shared_ptr<typename ServiceT::Request> request) {
          auto response = std::make_shared<typename ServiceT::Response>();
          fill(*request, *response);
          return response;
        }));
    base.add(services.back(), nullptr);
  };
  // Not a shared pointer: the services keep the machine, which is held by whoever keeps them.
  LifecycleMachine* const states = machine.get();
  auto& com = machine->com_interface();
  const rclcpp::Logger logger = rclcpp::get_node_logger(base.get_rcl_node_handle());

  serve(srv::ChangeState(), com.srv_change_state, [=](const auto& request, auto& response) {
    // A label counts before the number.
    const std::string& label = request.transition.label;
    const auto found = label.empty() ? request.transition.id : states->find(label);
    if (!found) {
      RCLCPP_WARN(logger, "there is no transition '%s' from the state %s; %s lists those there are",
                  label.c_str(), states->current().label().c_str(), "get_available_transitions");
    }
    response.success = found && change(*found);
  });
  serve(srv::GetState(), com.srv_get_state, [=](const auto&, auto& response) {
    response.current_state = message_of(states->current());
  });
  serve(srv::GetAvailableStates(), com.srv_get_available_states, [=](const auto&, auto& response) {
    for (const State& state : states->states()) {
      response.available_states.push_back(message_of(state));
    }
  });
  serve(srv::GetAvailableTransitions(), com.srv_get_available_transitions,
        [=](const auto&, auto& response) { describe(states->possible_transitions(), response); });
  serve(srv::GetAvailableTransitions(), com.srv_get_transition_graph,
        [=](const auto&, auto& response) { describe(states->all_transitions(), response); });
  return services;
}

}  // namespace rclcpp_lifecycle
