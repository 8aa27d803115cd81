// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rbd_parallel_msgs/srv/fill_trajectory_effort.hpp>

#include "joint_selection.hpp"
#include "rbd_parallel_core/backend.hpp"

namespace rbd_parallel_ros {

/// Answers FillTrajectoryEffort: the points of the trajectory are one batch for `backend`, or
/// several where they are more than its max_batch. Throws RequestError for what cannot be answered.
void fill_trajectory_effort(rbd_parallel_core::Backend& backend, const JointTable& table,
                            const rbd_parallel_msgs::srv::FillTrajectoryEffort::Request& in,
                            rbd_parallel_msgs::srv::FillTrajectoryEffort::Response& out);

}  // namespace rbd_parallel_ros
