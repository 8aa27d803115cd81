// SPDX-License-Identifier: Apache-2.0
// The stand-in for rclcpp_lifecycle: see its README for what it covers.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rclcpp/detail/node_facade.hpp"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_lifecycle/lifecycle_publisher.hpp"
#include "rclcpp_lifecycle/managed_entity.hpp"
#include "rclcpp_lifecycle/node_interfaces/lifecycle_node_interface.hpp"
#include "rclcpp_lifecycle/state.hpp"
#include "rclcpp_lifecycle/transition.hpp"
#include "rclcpp_lifecycle/visibility_control.h"

namespace rclcpp_lifecycle {

class LifecycleNode : public node_interfaces::LifecycleNodeInterface,
                      public rclcpp::detail::NodeFacade,
                      public std::enable_shared_from_this<LifecycleNode> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(LifecycleNode)

  explicit LifecycleNode(const std::string& node_name,
                         const rclcpp::NodeOptions& options = rclcpp::NodeOptions(),
                         bool enable_communication_interface = true)
      : LifecycleNode(node_name, "", options, enable_communication_interface) {}
  LifecycleNode(const std::string& node_name, const std::string& name_space,
                const rclcpp::NodeOptions& options = rclcpp::NodeOptions(),
                bool enable_communication_interface = true);
  ~LifecycleNode() override;

  /// The publisher follows the node's activation, if on_activate and on_deactivate call those of
  /// this class.
  template <typename MessageT, typename AllocatorT = std::allocator<void>>
  std::shared_ptr<LifecyclePublisher<MessageT, AllocatorT>> create_publisher(
      const std::string& topic_name, const rclcpp::QoS& qos,
      const rclcpp::PublisherOptionsWithAllocator<AllocatorT>& =
          rclcpp::PublisherOptionsWithAllocator<AllocatorT>()) {
    auto publisher = std::make_shared<LifecyclePublisher<MessageT, AllocatorT>>(
        get_node_base_interface()->get_shared_rcl_node_handle(), topic_name, qos);
    add_managed_entity(publisher);
    return publisher;
  }

  const State& get_current_state() const;
  std::vector<State> get_available_states() const;
  /// The transitions that are possible from the current state.
  std::vector<Transition> get_available_transitions() const;
  /// All transitions, from whatever state.
  std::vector<Transition> get_transition_graph() const;

  // Each returns the state that the node is in afterwards. If the transition is not possible, that
  // is the old one.
  const State& trigger_transition(const Transition& transition);
  const State& trigger_transition(const Transition& transition, CallbackReturn& cb_return_code);
  const State& trigger_transition(uint8_t transition_id);
  const State& trigger_transition(uint8_t transition_id, CallbackReturn& cb_return_code);
  const State& configure();
  const State& configure(CallbackReturn& cb_return_code);
  const State& cleanup();
  const State& cleanup(CallbackReturn& cb_return_code);
  const State& activate();
  const State& activate(CallbackReturn& cb_return_code);
  const State& deactivate();
  const State& deactivate(CallbackReturn& cb_return_code);
  const State& shutdown();
  const State& shutdown(CallbackReturn& cb_return_code);

  // A registered function takes the place of the member function of the same name.
  bool register_on_configure(std::function<CallbackReturn(const State&)> callback);
  bool register_on_cleanup(std::function<CallbackReturn(const State&)> callback);
  bool register_on_shutdown(std::function<CallbackReturn(const State&)> callback);
  bool register_on_activate(std::function<CallbackReturn(const State&)> callback);
  bool register_on_deactivate(std::function<CallbackReturn(const State&)> callback);
  bool register_on_error(std::function<CallbackReturn(const State&)> callback);

  /// Activates all managed entities.
  CallbackReturn on_activate(const State& previous_state) override;
  CallbackReturn on_deactivate(const State& previous_state) override;

  void add_managed_entity(std::weak_ptr<ManagedEntityInterface> entity);
  void add_timer_handle(std::shared_ptr<rclcpp::TimerBase> timer);

 private:
  class StateMachine;
  std::unique_ptr<StateMachine> machine_;
};

}  // namespace rclcpp_lifecycle
