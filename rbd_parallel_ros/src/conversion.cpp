// SPDX-License-Identifier: Apache-2.0
#include "conversion.hpp"

#include <cstddef>

namespace rbd_parallel_ros {
namespace {

using geometry_msgs::msg::Accel;
using geometry_msgs::msg::Pose;
using geometry_msgs::msg::Twist;
using geometry_msgs::msg::Wrench;

template <class Vector>
void append(const Vector& vector, std::vector<double>& out) {
  out.insert(out.end(), {vector.x, vector.y, vector.z});
}

template <class Vector>
void read(std::span<const double> numbers, Vector& out) {
  out.x = numbers[0];
  out.y = numbers[1];
  out.z = numbers[2];
}

template <class Motion>
std::vector<double> numbers_of_motions(const std::vector<Motion>& motions) {
  std::vector<double> out;
  out.reserve(6 * motions.size());
  for (const Motion& motion : motions) {
    append(motion.linear, out);
    append(motion.angular, out);
  }
  return out;
}

}  // namespace

std::vector<double> numbers_of(const std::vector<Pose>& poses) {
  std::vector<double> out;
  out.reserve(7 * poses.size());
  for (const Pose& pose : poses) {
    append(pose.position, out);
    append(pose.orientation, out);
    out.push_back(pose.orientation.w);
  }
  return out;
}

std::vector<double> numbers_of(const std::vector<Twist>& twists) {
  return numbers_of_motions(twists);
}

std::vector<double> numbers_of(const std::vector<Accel>& accels) {
  return numbers_of_motions(accels);
}

std::vector<double> numbers_of(const std::vector<Wrench>& wrenches) {
  std::vector<double> out;
  out.reserve(6 * wrenches.size());
  for (const Wrench& wrench : wrenches) {
    append(wrench.force, out);
    append(wrench.torque, out);
  }
  return out;
}

void assign(std::span<const double> numbers, std::vector<Accel>& accels) {
  accels.resize(numbers.size() / 6);
  for (std::size_t i = 0; i < accels.size(); ++i) {
    read(numbers.subspan(6 * i, 3), accels[i].linear);
    read(numbers.subspan(6 * i + 3, 3), accels[i].angular);
  }
}

void assign(std::span<const double> numbers, std::vector<Wrench>& wrenches) {
  wrenches.resize(numbers.size() / 6);
  for (std::size_t i = 0; i < wrenches.size(); ++i) {
    read(numbers.subspan(6 * i, 3), wrenches[i].force);
    read(numbers.subspan(6 * i + 3, 3), wrenches[i].torque);
  }
}

}  // namespace rbd_parallel_ros
