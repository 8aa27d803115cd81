// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <rbd_parallel_msgs/srv/derivatives.hpp>
#include <rbd_parallel_msgs/srv/fill_trajectory_effort.hpp>
#include <rbd_parallel_msgs/srv/linearize_trajectory.hpp>
#include <string>
#include <vector>

namespace rbd_parallel_ros::testing {

/// Whether all matrices of an answer hold `size` numbers.
template <class Response>
bool matrices_fit(const Response& response, std::size_t size) {
  return response.mass_matrix.size() == size;
}

/// Those that were not asked for are empty, but one was.
inline bool matrices_fit(const rbd_parallel_msgs::srv::Derivatives::Response& response,
                         std::size_t size) {
  std::size_t filled = 0;
  for (const std::vector<double>* block :
       {&response.inverse_dynamics_dq, &response.inverse_dynamics_dv, &response.mass_matrix,
        &response.forward_dynamics_dq, &response.forward_dynamics_dv,
        &response.forward_dynamics_dtau}) {
    if (!block->empty() && block->size() != size) return false;
    filled += !block->empty();
  }
  return filled > 0 || size == 0;
}

inline bool matrices_fit(const rbd_parallel_msgs::srv::LinearizeTrajectory::Response& response,
                         std::size_t size) {
  return response.state_matrix.size() == 4 * size && response.input_matrix.size() == 2 * size &&
         response.dt.size() == response.batch_size;
}

/// What is wrong with an answer, "" if it is consistent: either refused, with a reason and nothing
/// else, or every array has the size that the message promises. `base_rows` is 6 where the base
/// floats.
template <class Response>
std::string inconsistency_of(const Response& response, std::size_t base_rows) {
  if (response.error_code == Response::INTERNAL_ERROR) return "internal: " + response.error_msg;
  if (response.error_code != Response::OK && response.error_code != Response::STATES_FAILED) {
    if (response.error_msg.empty()) return "refused without a reason";
    if (!response.status.empty() || !response.joint_names.empty()) return "refused, with results";
    return "";
  }
  const std::size_t batch = response.batch_size, n = response.joint_names.size();
  if (batch == 0) return "no state";
  if (response.status.size() != batch) return "status has the wrong size";
  if constexpr (requires { response.effort; }) {
    if (response.effort.size() != batch * n) return "effort has the wrong size";
  }
  if constexpr (requires { response.acceleration; }) {
    if (response.acceleration.size() != batch * n) return "acceleration has the wrong size";
  }
  if constexpr (requires { response.rows; }) {
    if (response.rows != n + base_rows) return "rows is wrong";
    if (!matrices_fit(response, batch * response.rows * response.rows))
      return "a matrix has the wrong size";
  }
  return "";
}

/// The same for a trajectory: none, with a reason, or one with a finite effort of every joint in
/// every point.
inline std::string inconsistency_of(
    const rbd_parallel_msgs::srv::FillTrajectoryEffort::Response& response, std::size_t) {
  using Response = rbd_parallel_msgs::srv::FillTrajectoryEffort::Response;
  const auto& points = response.trajectory.points;
  if (response.error_code == Response::INTERNAL_ERROR) return "internal: " + response.error_msg;
  if (response.error_code != Response::OK) {
    if (response.error_msg.empty()) return "refused without a reason";
    if (response.trajectory != decltype(response.trajectory)()) return "refused, with results";
    const bool failed = response.error_code == Response::STATES_FAILED;
    return failed == response.status.empty() ? "status does not fit the error code" : "";
  }
  if (points.empty()) return "no point";
  if (response.status.size() != points.size()) return "status has the wrong size";
  for (const auto& point : points) {
    if (point.effort.size() != response.trajectory.joint_names.size())
      return "effort has the wrong size";
    if (!std::all_of(point.effort.begin(), point.effort.end(),
                     [](double x) { return std::isfinite(x); }))
      return "an effort is not finite";
  }
  return "";
}

}  // namespace rbd_parallel_ros::testing
