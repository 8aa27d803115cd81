// SPDX-License-Identifier: Apache-2.0
#include "locked_joints.hpp"

#include <cmath>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "text.hpp"

namespace rbd_parallel_ros {
namespace {

using rbd_parallel_core::JointDescription;
using rbd_parallel_core::JointKind;
using rbd_parallel_core::Mat3;
using rbd_parallel_core::MimicPolicy;
using rbd_parallel_core::RobotDescription;
using rbd_parallel_core::Vec3;

/// The joint that the mimic rules lead to, and the position that they give while that joint stands
/// at 0.
struct Leader {
  std::string name;
  double position = 0;
};

class Locker {
 public:
  Locker(std::span<const std::string> joints, MimicPolicy mimic, RobotDescription& robot)
      : robot_(robot), honour_(mimic == MimicPolicy::honour) {
    for (const JointDescription& joint : robot.joints) by_name_.emplace(joint.name, &joint);
    for (const std::string& name : joints) keep(name);
  }

  void lock() {
    // Leaders first, since locking a joint removes its rule.
    std::vector<std::optional<double>> positions;
    for (const JointDescription& joint : robot_.joints) positions.push_back(locked_position(joint));
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (positions[i]) fix(robot_.joints[i], *positions[i]);
    }
  }

 private:
  bool follows(const JointDescription& joint) const { return honour_ && joint.mimic.has_value(); }

  void keep(const std::string& name) {
    const auto found = by_name_.find(name);
    if (found == by_name_.end() || found->second->kind == JointKind::fixed) {
      throw std::invalid_argument(
          "joints: " + in_quotes(name) +
          (found == by_name_.end() ? " is not a joint" : " is a fixed joint") +
          " of the robot; expected some of " + listed(choices()));
    }
    if (follows(*found->second)) {
      throw std::invalid_argument("joints: " + in_quotes(name) + " mimics " +
                                  in_quotes(found->second->mimic->joint) +
                                  " and has no coordinates of its own; leave it out");
    }
    if (!kept_.insert(name).second) {
      throw std::invalid_argument("joints: " + in_quotes(name) +
                                  " comes twice; name each joint once");
    }
  }

  std::vector<std::string> choices() const {
    std::vector<std::string> names;
    for (const JointDescription& joint : robot_.joints) {
      if (joint.kind != JointKind::fixed && !follows(joint)) names.push_back(joint.name);
    }
    return names;
  }

  Leader leader_of(const JointDescription& joint) const {
    double multiplier = 1, offset = 0;
    const JointDescription* at = &joint;
    // A ring or a missing target is left for build_model to refuse: it has more steps than joints,
    // or none.
    for (std::size_t steps = 0; follows(*at) && steps <= robot_.joints.size(); ++steps) {
      offset += multiplier * at->mimic->offset;
      multiplier *= at->mimic->multiplier;
      const auto next = by_name_.find(at->mimic->joint);
      if (next == by_name_.end()) return {at->mimic->joint, offset};
      at = next->second;
    }
    return {at->name, offset};
  }

  std::optional<double> locked_position(const JointDescription& joint) const {
    if (joint.kind == JointKind::fixed) return std::nullopt;
    const Leader leader = leader_of(joint);
    const auto known = by_name_.find(leader.name);
    const bool refused_later = known == by_name_.end() || follows(*known->second);
    if (refused_later || kept_.contains(leader.name)) return std::nullopt;
    return leader.position;
  }

  static void fix(JointDescription& joint, double position) {
    const double length = std::hypot(joint.axis.x, joint.axis.y, joint.axis.z);
    if (position != 0 && length > 0) {
      const Vec3<double> axis{joint.axis.x / length, joint.axis.y / length, joint.axis.z / length};
      if (joint.kind == JointKind::prismatic) slide(joint, axis, position);
      if (joint.kind == JointKind::revolute || joint.kind == JointKind::continuous) {
        turn(joint, axis, position);
      }
    }
    joint.kind = JointKind::fixed;
    joint.mimic.reset();
  }

  static void slide(JointDescription& joint, const Vec3<double>& axis, double position) {
    const Vec3<double> along = joint.origin.rotation * axis;
    joint.origin.position.x += position * along.x;
    joint.origin.position.y += position * along.y;
    joint.origin.position.z += position * along.z;
  }

  /// Rodrigues' formula: R = c 1 + s [u]x + (1 - c) u u^T.
  static void turn(JointDescription& joint, const Vec3<double>& u, double angle) {
    const double c = std::cos(angle), s = std::sin(angle), d = 1 - c;
    const Mat3<double> rotation{
        {c + d * u.x * u.x, d * u.x * u.y - s * u.z, d * u.x * u.z + s * u.y},
        {d * u.x * u.y + s * u.z, c + d * u.y * u.y, d * u.y * u.z - s * u.x},
        {d * u.x * u.z - s * u.y, d * u.y * u.z + s * u.x, c + d * u.z * u.z}};
    joint.origin.rotation = joint.origin.rotation * rotation;
  }

  RobotDescription& robot_;
  bool honour_;
  std::unordered_map<std::string, const JointDescription*> by_name_;
  std::unordered_set<std::string> kept_;
};

}  // namespace

void lock_all_but(std::span<const std::string> joints, MimicPolicy mimic, RobotDescription& robot) {
  Locker(joints, mimic, robot).lock();
}

}  // namespace rbd_parallel_ros
