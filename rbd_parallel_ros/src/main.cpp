// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_ros/dynamics_node.hpp"

int main(int argc, char** argv) try {
  rclcpp::init(argc, argv);
  rclcpp::spin(std::make_shared<rbd_parallel_ros::DynamicsNode>()->get_node_base_interface());
  rclcpp::shutdown();
} catch (const std::exception& error) {
  RCLCPP_FATAL(rclcpp::get_logger("dynamics_node"), "%s", error.what());
  return 1;
}
