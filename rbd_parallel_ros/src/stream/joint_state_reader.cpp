// SPDX-License-Identifier: Apache-2.0
#include "joint_state_reader.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

namespace rbd_parallel_ros {

JointStateReader::JointStateReader(const JointSelection& joints)
    : joints_(joints), at_fault_(joints.names.size()) {
  if (joints_.q.size() != joints_.names.size() || joints_.v.size() != joints_.names.size()) {
    throw std::invalid_argument(
        "the effort stream reads joints of one coordinate each (revolute, continuous, prismatic), "
        "but the robot has others; name the ones that move by the parameter joints, or set "
        "effort_mode to off");
  }
  places_.resize(joints_.names.size());
}

Refusal JointStateReader::look_up(const std::vector<std::string>& names) {
  names_ = names;
  std::unordered_map<std::string_view, std::size_t> place_of;
  constexpr std::size_t twice = std::numeric_limits<std::size_t>::max();
  for (std::size_t place = 0; place < names_.size(); ++place) {
    const auto [at, is_new] = place_of.emplace(names_[place], place);
    if (!is_new) at->second = twice;
  }
  for (std::size_t i = 0; i < joints_.names.size(); ++i) {
    const auto found = place_of.find(joints_.names[i]);
    at_fault_ = i;
    if (found == place_of.end()) return Refusal::missing_joint;
    if (found->second == twice) return Refusal::duplicate_joint;
    places_[i] = found->second;
  }
  at_fault_ = joints_.names.size();
  return Refusal::none;
}

Refusal JointStateReader::read(const sensor_msgs::msg::JointState& message, Velocity velocity,
                               std::span<double> q, std::span<double> v) {
  if (message.name != names_ || names_.empty()) names_refusal_ = look_up(message.name);
  if (names_refusal_ != Refusal::none) return names_refusal_;
  at_fault_ = joints_.names.size();
  if (message.position.size() != message.name.size()) return Refusal::wrong_size;
  const bool has_velocity = !message.velocity.empty();
  if (has_velocity && message.velocity.size() != message.name.size()) return Refusal::wrong_size;
  if (!has_velocity && velocity == Velocity::needed) return Refusal::missing_velocity;
  const bool read_velocity = has_velocity && velocity != Velocity::unused;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const double position = message.position[places_[i]];
    const double rate = read_velocity ? message.velocity[places_[i]] : 0;
    if (!std::isfinite(position) || !std::isfinite(rate)) {
      at_fault_ = i;
      return Refusal::not_finite;
    }
    q[joints_.q[i]] = position;
    v[joints_.v[i]] = rate;
  }
  return Refusal::none;
}

}  // namespace rbd_parallel_ros
