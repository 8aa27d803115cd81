// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rbd_parallel_msgs/srv/derivatives.hpp>

#include "joint_selection.hpp"
#include "rbd_parallel_core/backend.hpp"

namespace rbd_parallel_ros {

/// Answers Derivatives: the blocks that are asked for, in one call of `backend` for those of
/// inverse dynamics and one for those of forward dynamics. Throws RequestError for what cannot be
/// answered.
void derivatives(rbd_parallel_core::Backend& backend, const JointTable& table,
                 const rbd_parallel_msgs::srv::Derivatives::Request& in,
                 rbd_parallel_msgs::srv::Derivatives::Response& out);

}  // namespace rbd_parallel_ros
