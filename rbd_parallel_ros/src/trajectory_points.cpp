// SPDX-License-Identifier: Apache-2.0
#include "trajectory_points.hpp"

#include <span>
#include <string_view>
#include <unordered_set>

#include "request_error.hpp"
#include "text.hpp"

namespace rbd_parallel_ros {
namespace {

namespace core = rbd_parallel_core;
using trajectory_msgs::msg::JointTrajectory;
using trajectory_msgs::msg::JointTrajectoryPoint;

std::string number(std::size_t value) { return std::to_string(value); }

[[noreturn]] void refuse(ErrorCode code, const std::string& message) {
  throw RequestError(code, message);
}

void refuse_several_coordinates(std::span<const std::string> names, const core::Model& model,
                                const std::string& instead) {
  for (const std::string& name : names) {
    const core::Joint& joint = model.joints()[static_cast<std::size_t>(*model.find_joint(name))];
    if (joint.nq == 1) continue;
    refuse(ErrorCode::unsupported,
           "trajectory: joint " + in_quotes(name) + " has " + std::to_string(joint.nq) +
               " coordinates, but a point has room for one of each joint; " + instead);
  }
}

/// Throws unless each mimic joint comes once and with the joint that it follows.
void check_mimic_joints(const JointTable& table, const std::vector<std::string>& names) {
  const std::unordered_set<std::string_view> known(names.begin(), names.end());
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : names) {
    const std::string* followed = table.followed_by(name);
    if (followed == nullptr) continue;
    if (!seen.insert(name).second) {
      refuse(ErrorCode::duplicate_joint,
             "joint " + in_quotes(name) + " is named twice; name each joint once");
    }
    if (!known.contains(*followed)) {
      refuse(ErrorCode::missing_joint, "trajectory: joint " + in_quotes(name) + " mimics " +
                                           in_quotes(*followed) +
                                           ", which is not in the trajectory; add that joint, or "
                                           "leave this one out");
    }
  }
}

std::int64_t nanoseconds_of(const builtin_interfaces::msg::Duration& duration) {
  return std::int64_t{1'000'000'000} * duration.sec + duration.nanosec;
}

}  // namespace

std::vector<TrajectoryColumn> columns_of(const JointTable& table, const core::Model& model,
                                         const std::vector<std::string>& names,
                                         const std::string& instead) {
  check_mimic_joints(table, names);
  std::vector<std::string> moving;  // not empty: mimic joints come with another
  std::vector<TrajectoryColumn> columns;
  for (std::size_t place = 0; place < names.size(); ++place) {
    if (table.followed_by(names[place]) != nullptr) continue;
    moving.push_back(names[place]);
    columns.push_back({place, 0, 0});
  }
  const JointSelection selection = table.select(moving);
  refuse_several_coordinates(moving, model, instead);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    columns[k].q = selection.q[k];
    columns[k].v = selection.v[k];
  }
  return columns;
}

std::string name_of_point(std::size_t point) { return "trajectory.points[" + number(point) + "]"; }

void check_point_array(std::size_t point, const char* field, std::size_t size, std::size_t expected,
                       const std::string& hint) {
  if (size == expected) return;
  refuse(ErrorCode::wrong_size, name_of_point(point) + "." + field + " has " + number(size) +
                                    " elements, expected " + number(expected) +
                                    ", one for each of joint_names" + hint);
}

void check_points(const JointTrajectory& trajectory) {
  const std::size_t joints = trajectory.joint_names.size();
  if (joints == 0) {
    refuse(ErrorCode::missing_joint,
           "trajectory.joint_names is empty; name the joints that the numbers belong to");
  }
  if (trajectory.points.empty()) {
    refuse(ErrorCode::wrong_size,
           "trajectory.points is empty, expected at least one point with positions and velocities");
  }
  for (std::size_t i = 0; i < trajectory.points.size(); ++i) {
    check_point_array(i, "positions", trajectory.points[i].positions.size(), joints);
    check_point_array(i, "velocities", trajectory.points[i].velocities.size(), joints);
  }
}

std::vector<std::int64_t> increasing_times(const std::vector<JointTrajectoryPoint>& points,
                                           const UseOfTimes& use) {
  if (points.size() < 2) {
    refuse(ErrorCode::invalid_argument,
           std::string("trajectory.points has one point, ") + use.of_one_point);
  }
  std::vector<std::int64_t> times;
  for (const JointTrajectoryPoint& point : points) {
    const std::int64_t time = nanoseconds_of(point.time_from_start);
    if (!times.empty() && time <= times.back()) {
      refuse(ErrorCode::invalid_argument,
             name_of_point(times.size()) + ".time_from_start is " + std::to_string(time) +
                 " ns and that of the point before " + std::to_string(times.back()) + " ns, but " +
                 use.needed_for + " need times that increase strictly; send such times, or " +
                 use.instead);
    }
    times.push_back(time);
  }
  return times;
}

}  // namespace rbd_parallel_ros
