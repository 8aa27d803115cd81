// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/model/generators.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "message_text.hpp"

namespace rbd_parallel_core {
namespace {

/// Numbered names that sort as their numbers do.
std::string numbered(const char* what, int i) {
  const std::string digits = std::to_string(i);
  return std::string(what) + std::string(digits.size() < 7 ? 7 - digits.size() : 0, '0') + digits;
}

int parent_of(int i, double branching) {
  return static_cast<int>(std::floor((i - 1 + std::ceil(branching)) / branching)) - 1;
}

void check(const AutoTree& tree) {
  std::vector<std::string> faults;
  if (tree.bodies < 1 || tree.bodies > AutoTree::max_bodies) {
    faults.push_back("auto_tree: bodies is " + std::to_string(tree.bodies) + ", expected 1 to " +
                     std::to_string(AutoTree::max_bodies));
  }
  if (!(tree.branching >= 1) || !std::isfinite(tree.branching)) {
    faults.push_back("auto_tree: branching is " + to_text(tree.branching) +
                     ", expected at least 1");
  }
  if (!std::isfinite(tree.skew)) faults.push_back("auto_tree: skew is not finite");
  if (!(tree.taper > 0) || !std::isfinite(tree.taper)) {
    faults.push_back("auto_tree: taper is " + to_text(tree.taper) + ", expected above 0");
  }
  if (!faults.empty()) throw ModelError(std::move(faults));
}

}  // namespace

RobotDescription describe_auto_tree(const AutoTree& tree) {
  check(tree);
  RobotDescription robot;
  robot.name = "auto_tree";
  robot.links.push_back({"base", std::nullopt});
  for (int i = 0; i < tree.bodies; ++i) {
    const double length = std::pow(tree.taper, i);
    const double mass = std::pow(tree.taper, 3 * i);
    const double across = 1.015 / 12 * mass * length * length;
    LinkInertial inertial;
    inertial.mass = mass;
    inertial.origin.position = {0.5 * length, 0, 0};
    inertial.rotational = {0.0025 * mass * length * length, 0, 0, across, 0, across};
    robot.links.push_back({numbered("body", i), inertial});

    const int parent = i == 0 ? -1 : parent_of(i, tree.branching);
    JointDescription joint;
    joint.name = numbered("joint", i);
    joint.kind = JointKind::revolute;
    joint.parent = parent < 0 ? "base" : numbered("body", parent);
    joint.child = numbered("body", i);
    joint.axis = {0, 0, 1};
    if (parent >= 0)
      joint.origin = pose_from_rpy({std::pow(tree.taper, parent), 0, 0}, tree.skew, 0, 0);
    robot.joints.push_back(std::move(joint));
  }
  return robot;
}

Model auto_tree(const AutoTree& tree, const ModelOptions& options) {
  return build_model(describe_auto_tree(tree), options);
}

Model serial_chain(int bodies, double skew, double taper, const ModelOptions& options) {
  return auto_tree({.bodies = bodies, .branching = 1, .skew = skew, .taper = taper}, options);
}

}  // namespace rbd_parallel_core
