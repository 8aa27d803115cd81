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
#include <rbd_parallel_msgs/srv/inverse_dynamics.hpp>
#include <rbd_parallel_msgs/srv/linearize_trajectory.hpp>
#include <rbd_parallel_msgs/srv/mass_matrix.hpp>
#include <string>

#include "joint_selection.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/trajectory/linearize.hpp"

namespace rbd_parallel_ros {

/// A robot and the backend that computes for it: answers requests. Knows the messages, but no node,
/// so that it can be tested and fuzzed without one. Not thread-safe, as the backend is not.
class Dynamics {
 public:
  using BiasForces = rbd_parallel_msgs::srv::BiasForces;
  using Derivatives = rbd_parallel_msgs::srv::Derivatives;
  using FillTrajectoryEffort = rbd_parallel_msgs::srv::FillTrajectoryEffort;
  using ForwardDynamics = rbd_parallel_msgs::srv::ForwardDynamics;
  using InverseDynamics = rbd_parallel_msgs::srv::InverseDynamics;
  using LinearizeTrajectory = rbd_parallel_msgs::srv::LinearizeTrajectory;
  using MassMatrix = rbd_parallel_msgs::srv::MassMatrix;
  using StateBatch = rbd_parallel_msgs::msg::StateBatch;
  using EffortBatch = rbd_parallel_msgs::msg::EffortBatch;

  /// `backend` is configured. Throws std::invalid_argument where `joints` does not fit the
  /// backend's model.
  Dynamics(std::shared_ptr<rbd_parallel_core::Backend> backend, JointTable joints);

  // Each throws RequestError for what cannot be answered.
  void answer(const InverseDynamics::Request& in, InverseDynamics::Response& out);
  void answer(const BiasForces::Request& in, BiasForces::Response& out);
  void answer(const MassMatrix::Request& in, MassMatrix::Response& out);
  void answer(const ForwardDynamics::Request& in, ForwardDynamics::Response& out);
  void answer(const Derivatives::Request& in, Derivatives::Response& out);
  void answer(const FillTrajectoryEffort::Request& in, FillTrajectoryEffort::Response& out);
  void answer(const LinearizeTrajectory::Request& in, LinearizeTrajectory::Response& out);
  /// As inverse dynamics. The header is left to the caller.
  void answer(const StateBatch& in, EffortBatch& out);

  /// Names the plugin as `backend`.
  rbd_parallel_msgs::msg::ModelInfo model_info(const std::string& backend) const;

  const rbd_parallel_core::Model& model() const { return backend_->model(); }
  const rbd_parallel_core::Backend& backend() const { return *backend_; }

 private:
  std::shared_ptr<rbd_parallel_core::Backend> backend_;
  JointTable joints_;
  rbd_parallel_core::Linearizer linearizer_;  ///< with backend_, from the first request on
};

}  // namespace rbd_parallel_ros
