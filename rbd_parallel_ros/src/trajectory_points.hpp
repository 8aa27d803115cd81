// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <trajectory_msgs/msg/joint_trajectory.hpp>
#include <vector>

#include "joint_selection.hpp"

/// What the services that take a trajectory_msgs/JointTrajectory have in common: which joints it
/// moves, and whether its points are complete. All of these throw RequestError.
namespace rbd_parallel_ros {

/// A joint of a trajectory that has a coordinate.
struct TrajectoryColumn {
  std::size_t place;  ///< in the points
  std::size_t q, v;   ///< in the arrays of the model
};

/// The joints of a trajectory but for its mimic joints, which must come with the joint that they
/// follow. Refuses joints with several coordinates: `instead` says what to do about them.
std::vector<TrajectoryColumn> columns_of(const JointTable& table,
                                         const rbd_parallel_core::Model& model,
                                         const std::vector<std::string>& names,
                                         const std::string& instead);

/// As messages call a point.
std::string name_of_point(std::size_t point);

/// An array of a point must have a number for each joint; `hint` is what else a client can do.
void check_point_array(std::size_t point, const char* field, std::size_t size, std::size_t expected,
                       const std::string& hint = "");

/// Whether there are joints and points, with positions and velocities in each of them.
void check_points(const trajectory_msgs::msg::JointTrajectory& trajectory);

/// What times are needed for, in the words of the service.
struct UseOfTimes {
  const char* of_one_point;  ///< why one point is not enough, and what to do
  const char* needed_for;    ///< what needs times that increase
  const char* instead;       ///< what may be sent in place of such times
};

/// time_from_start of all points in nanoseconds: at least two, and each larger than the one before.
std::vector<std::int64_t> increasing_times(
    const std::vector<trajectory_msgs::msg::JointTrajectoryPoint>& points, const UseOfTimes& use);

}  // namespace rbd_parallel_ros
