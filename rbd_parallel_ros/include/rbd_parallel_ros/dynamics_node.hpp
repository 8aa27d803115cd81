// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <rbd_parallel_msgs/msg/effort_batch.hpp>
#include <rbd_parallel_msgs/msg/model_info.hpp>
#include <rbd_parallel_msgs/msg/state_batch.hpp>
#include <rbd_parallel_msgs/srv/bias_forces.hpp>
#include <rbd_parallel_msgs/srv/derivatives.hpp>
#include <rbd_parallel_msgs/srv/fill_trajectory_effort.hpp>
#include <rbd_parallel_msgs/srv/forward_dynamics.hpp>
#include <rbd_parallel_msgs/srv/get_model_info.hpp>
#include <rbd_parallel_msgs/srv/inverse_dynamics.hpp>
#include <rbd_parallel_msgs/srv/linearize_trajectory.hpp>
#include <rbd_parallel_msgs/srv/mass_matrix.hpp>
#include <rbd_parallel_msgs/srv/set_payload.hpp>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_lifecycle/lifecycle_node.hpp>
#include <std_msgs/msg/string.hpp>
#include <string>
#include <vector>

#include "rbd_parallel_core/backend.hpp"

namespace rbd_parallel_ros {

class BackendLoader;
class Diagnostics;
class Dynamics;
class EffortTopics;
class LogLimit;
class Payloads;
struct Settings;

/// Serves the dynamics of one robot: ~/inverse_dynamics, ~/bias_forces, ~/mass_matrix,
/// ~/forward_dynamics, ~/derivatives, ~/fill_trajectory_effort, ~/linearize_trajectory,
/// ~/set_payload, ~/get_model_info; answers ~/state_batch on ~/effort_batch; and, where effort_mode
/// says so, streams efforts for the joint states that come.
///
/// unconfigured -- configure: robot description -> model, plugin -> backend, all memory -->
/// inactive inactive -- activate --> active: the services compute and the stream runs. In any other
/// state services answer with an error code.
///
/// The robot description comes from the parameter, else from the topic robot_description (relative
/// name, transient local). One that arrives later is used by the next configure.
///
/// All callbacks are in the node's default callback group, which is mutually exclusive: under any
/// executor one runs at a time, and nothing here needs a lock. The effort stream has a thread and a
/// backend of its own, so that no request delays it.
class DynamicsNode : public rclcpp_lifecycle::LifecycleNode {
 public:
  explicit DynamicsNode(const rclcpp::NodeOptions& options = rclcpp::NodeOptions());
  ~DynamicsNode() override;

  CallbackReturn on_configure(const rclcpp_lifecycle::State& previous) override;
  CallbackReturn on_activate(const rclcpp_lifecycle::State& previous) override;
  CallbackReturn on_deactivate(const rclcpp_lifecycle::State& previous) override;
  CallbackReturn on_cleanup(const rclcpp_lifecycle::State& previous) override;
  CallbackReturn on_shutdown(const rclcpp_lifecycle::State& previous) override;
  CallbackReturn on_error(const rclcpp_lifecycle::State& previous) override;

 private:
  template <class In, class Out>
  void answer(const In& in, Out& out);
  template <class Service>
  typename rclcpp::Service<Service>::SharedPtr serve(const std::string& name);
  void serve_model_info();
  void serve_payloads();
  void serve_state_batches();

  void log_backend() const;
  void take_description(const std_msgs::msg::String& message);
  std::string description() const;
  void build();
  std::shared_ptr<rbd_parallel_core::Backend> configured_backend(
      const std::shared_ptr<const rbd_parallel_core::Model>& model,
      const rbd_parallel_core::BackendOptions& options);
  void use(const Payloads& payloads);
  rbd_parallel_msgs::msg::ModelInfo model_info() const;
  void publish_model_info();
  void release();
  void tell_diagnostics(const std::string& state, const std::string& fault = "");
  void start();
  void report(const std::string& failure) const;

  rcl_interfaces::msg::SetParametersResult on_set(
      const std::vector<rclcpp::Parameter>& parameters) const;
  void after_set(const std::vector<rclcpp::Parameter>& parameters);
  void warn_of_waiting(const std::vector<std::string>& names) const;

  std::unique_ptr<BackendLoader> backends_;
  // While configured:
  std::unique_ptr<Settings> settings_;
  std::vector<rclcpp::Parameter> parameters_in_use_;       ///< that settings_ was read from
  std::shared_ptr<const rbd_parallel_core::Model> robot_;  ///< without payloads
  std::unique_ptr<Payloads> payloads_;
  std::unique_ptr<Dynamics> dynamics_;
  std::shared_ptr<EffortTopics> effort_topics_;  ///< none where effort_mode is off
  bool active_ = false;
  bool waits_to_start_ = false;  ///< autostart, and nothing configured yet

  std::string description_from_topic_, urdf_in_use_;
  std::unique_ptr<LogLimit> description_log_;
  rclcpp::Subscription<std_msgs::msg::String>::SharedPtr description_subscription_;
  rclcpp::node_interfaces::OnSetParametersCallbackHandle::SharedPtr on_set_handle_;
  rclcpp::node_interfaces::PostSetParametersCallbackHandle::SharedPtr after_set_handle_;
  rclcpp::TimerBase::SharedPtr start_timer_;
  rclcpp::Service<rbd_parallel_msgs::srv::InverseDynamics>::SharedPtr inverse_dynamics_;
  rclcpp::Service<rbd_parallel_msgs::srv::BiasForces>::SharedPtr bias_forces_;
  rclcpp::Service<rbd_parallel_msgs::srv::MassMatrix>::SharedPtr mass_matrix_;
  rclcpp::Service<rbd_parallel_msgs::srv::ForwardDynamics>::SharedPtr forward_dynamics_;
  rclcpp::Service<rbd_parallel_msgs::srv::Derivatives>::SharedPtr derivatives_;
  rclcpp::Service<rbd_parallel_msgs::srv::FillTrajectoryEffort>::SharedPtr fill_trajectory_effort_;
  rclcpp::Service<rbd_parallel_msgs::srv::LinearizeTrajectory>::SharedPtr linearize_trajectory_;
  rclcpp::Subscription<rbd_parallel_msgs::msg::StateBatch>::SharedPtr state_batch_subscription_;
  rclcpp_lifecycle::LifecyclePublisher<rbd_parallel_msgs::msg::EffortBatch>::SharedPtr
      effort_batch_publisher_;
  rclcpp::Service<rbd_parallel_msgs::srv::SetPayload>::SharedPtr set_payload_;
  rclcpp::Service<rbd_parallel_msgs::srv::GetModelInfo>::SharedPtr get_model_info_;
  rclcpp_lifecycle::LifecyclePublisher<rbd_parallel_msgs::msg::ModelInfo>::SharedPtr
      model_info_publisher_;                  ///< while configured
  std::unique_ptr<Diagnostics> diagnostics_;  ///< ends first: its thread reads what is above
};

}  // namespace rbd_parallel_ros
