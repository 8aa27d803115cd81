// SPDX-License-Identifier: Apache-2.0
#include <rclcpp_components/register_node_macro.hpp>

#include "rbd_parallel_ros/dynamics_node.hpp"

RCLCPP_COMPONENTS_REGISTER_NODE(rbd_parallel_ros::DynamicsNode)
