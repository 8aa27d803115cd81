// SPDX-License-Identifier: Apache-2.0
#include "joint_state_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

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
  for (std::size_t i = 0; i < joints_.names.size(); ++i) index_of_.emplace(joints_.names[i], i);
}

bool JointStateReader::is_for_others(const sensor_msgs::msg::JointState& message) const {
  return !message.name.empty() && message.name != names_ &&
         std::none_of(message.name.begin(), message.name.end(),
                      [this](const std::string& name) { return index_of_.contains(name); });
}

Refusal JointStateReader::look_up(const std::vector<std::string>& names) {
  constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max(), twice = nowhere - 1;
  names_ = names;
  std::fill(places_.begin(), places_.end(), nowhere);
  for (std::size_t place = 0; place < names.size(); ++place) {
    const auto found = index_of_.find(names[place]);
    if (found == index_of_.end()) continue;
    std::size_t& its_place = places_[found->second];
    its_place = its_place == nowhere ? place : twice;
  }
  for (at_fault_ = 0; at_fault_ < places_.size(); ++at_fault_) {
    if (places_[at_fault_] == nowhere) return Refusal::missing_joint;
    if (places_[at_fault_] == twice) return Refusal::duplicate_joint;
  }
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
