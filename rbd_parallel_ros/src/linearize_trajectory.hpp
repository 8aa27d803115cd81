// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rbd_parallel_msgs/srv/linearize_trajectory.hpp>

#include "joint_selection.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/trajectory/linearize.hpp"

namespace rbd_parallel_ros {

/// Answers LinearizeTrajectory: points with the same step are one batch for `linearizer`, or
/// several where they are many. `linearizer` computes with `backend`, and is configured here where
/// it is not yet. Throws RequestError for what cannot be answered.
void linearize_trajectory(rbd_parallel_core::Backend& backend,
                          rbd_parallel_core::Linearizer& linearizer, const JointTable& table,
                          const rbd_parallel_msgs::srv::LinearizeTrajectory::Request& in,
                          rbd_parallel_msgs::srv::LinearizeTrajectory::Response& out);

}  // namespace rbd_parallel_ros
