// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <geometry_msgs/msg/accel.hpp>
#include <geometry_msgs/msg/pose.hpp>
#include <geometry_msgs/msg/twist.hpp>
#include <geometry_msgs/msg/wrench.hpp>
#include <span>
#include <vector>

/// Between the types of geometry_msgs and flat arrays: linear before angular, force before torque.
namespace rbd_parallel_ros {

std::vector<double> numbers_of(const std::vector<geometry_msgs::msg::Pose>& poses);    // 7 each
std::vector<double> numbers_of(const std::vector<geometry_msgs::msg::Twist>& twists);  // 6 each
std::vector<double> numbers_of(const std::vector<geometry_msgs::msg::Accel>& accels);
std::vector<double> numbers_of(const std::vector<geometry_msgs::msg::Wrench>& wrenches);

void assign(std::span<const double> numbers, std::vector<geometry_msgs::msg::Accel>& accels);
void assign(std::span<const double> numbers, std::vector<geometry_msgs::msg::Wrench>& wrenches);

}  // namespace rbd_parallel_ros
