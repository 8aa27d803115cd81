// SPDX-License-Identifier: Apache-2.0
#include "description_check.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "message_text.hpp"
#include "structure_check.hpp"
#include "usable_number.hpp"

namespace rbd_parallel_core {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// Axes of length one, at right angles, right-handed; to the digits that files are written with.
bool is_rotation(const Mat3<double>& R) {
  constexpr double tolerance = 1e-6;
  const auto near = [](double a, double b) { return std::abs(a - b) < tolerance; };
  return near(dot(R.x, R.x), 1) && near(dot(R.y, R.y), 1) && near(dot(R.z, R.z), 1) &&
         near(dot(R.x, R.y), 0) && near(dot(R.x, R.z), 0) && near(dot(R.y, R.z), 0) &&
         dot(cross(R.x, R.y), R.z) > 0;
}

constexpr const char* no_rotation =
    "is not a rotation; expected rows of length one at right angles, right-handed";

/// One pass over a description; collects faults instead of stopping at the first.
class Checker {
 public:
  Checker(const RobotDescription& robot, const ModelOptions& options)
      : robot_(robot), options_(options) {}

  DescriptionTree run() {
    check_names();
    connections_ = check_structure(structure(), findings_);
    check_link_rotations();
    for (const JointDescription& joint : robot_.joints) check_numbers(joint);
    check_options();
    throw_faults();

    DescriptionTree tree;
    tree.root = connections_.root;
    tree.child_link = connections_.child_link;
    tree.child_joints = child_joints();
    tree.leader = leaders();
    throw_faults();
    return tree;
  }

 private:
  void throw_faults() {
    if (findings_.has_faults()) throw ModelError(findings_.take_faults(), robot_.warnings);
  }
  void fault(const std::string& text) { findings_.fault(0, "", text); }
  void fault(const JointDescription& joint, const std::string& text) {
    findings_.fault(0, "joint " + shown(joint.name), text);
  }

  void check_names() {
    const auto check = [&](const auto& elements, const char* what) {
      for (std::size_t i = 0; i < elements.size(); ++i) {
        if (elements[i].name.empty()) {
          fault(std::string(what) + " number " + std::to_string(i) + " has no name");
        }
      }
    };
    check(robot_.links, "link");
    check(robot_.joints, "joint");
    if (findings_.has_faults()) return;
    for (const JointDescription& joint : robot_.joints) {
      if (joint.parent.empty()) fault(joint, "its parent is '', no link has that name");
      if (joint.child.empty()) fault(joint, "its child is '', no link has that name");
    }
  }

  Structure structure() const {
    Structure out{
        .links = {}, .joints = {}, .followable = "revolute, continuous, prismatic or helical"};
    for (const LinkDescription& link : robot_.links) out.links.push_back({link.name});
    for (const JointDescription& joint : robot_.joints) {
      out.joints.push_back({.name = joint.name,
                            .parent = joint.parent,
                            .child = joint.child,
                            .mimic = follows(joint) ? std::string_view(joint.mimic->joint) : "",
                            .kind = joint.kind});
    }
    return out;
  }

  void check_link_rotations() {
    for (const LinkDescription& link : robot_.links) {
      if (link.inertial && usable(link.inertial->origin) &&
          !is_rotation(link.inertial->origin.rotation)) {
        findings_.fault(0, "link " + shown(link.name),
                        std::string("inertial origin.rotation ") + no_rotation);
      }
    }
  }

  void check_numbers(const JointDescription& joint) {
    if (!usable(joint.origin)) {
      fault(joint, std::string("origin has a number that is ") + not_usable);
    } else if (!is_rotation(joint.origin.rotation)) {
      fault(joint, std::string("origin.rotation ") + no_rotation);
    }
    const bool has_axis = joint.kind != JointKind::fixed && joint.kind != JointKind::floating &&
                          joint.kind != JointKind::spherical;
    if (has_axis) {
      const double norm2 = dot(joint.axis, joint.axis);
      if (!std::isfinite(norm2) || norm2 < 1e-24) {
        fault(joint,
              "axis is " + to_text(joint.axis) + ", expected a finite vector that is not zero");
      }
    }
    if (!usable(joint.pitch)) fault(joint, std::string("pitch is ") + not_usable);
    check_limits(joint);
    check_not_negative(joint, "armature", joint.armature);
    check_not_negative(joint, "damping", joint.damping);
    check_not_negative(joint, "friction", joint.friction);
    if (follows(joint)) check_mimic(joint, *joint.mimic);
  }

  bool follows(const JointDescription& joint) const {
    return joint.mimic && joint.kind != JointKind::fixed && options_.mimic == MimicPolicy::honour;
  }

  void check_mimic(const JointDescription& joint, const Mimic& mimic) {
    if (mimic.joint.empty()) fault(joint, "mimics '', no joint has that name");
    if (!usable(mimic.multiplier) || !usable(mimic.offset)) {
      fault(joint, std::string("mimic multiplier or offset is ") + not_usable);
    }
  }

  /// Infinite ones are fine: a joint without limits.
  void check_limits(const JointDescription& joint) {
    if (!joint.limits) return;
    const JointLimits& limits = *joint.limits;
    const double all[] = {limits.lower, limits.upper, limits.effort, limits.velocity};
    if (std::any_of(std::begin(all), std::end(all), [](double x) { return std::isnan(x); })) {
      fault(joint, "limits have a number that is NaN, expected numbers, or infinity for no limit");
    }
  }

  void check_not_negative(const JointDescription& joint, const char* what, double value) {
    if (!usable(value) || value < 0) {
      fault(joint, std::string(what) + " is " + to_text(value) +
                       ", expected a finite number that is not negative");
    }
  }

  void check_options() {
    if (!usable(options_.gravity)) {
      fault("gravity is " + to_text(options_.gravity) + ", expected finite numbers");
    }
    for (const auto& [name, value] : options_.armature) {
      if (!connections_.joint_at.contains(name)) {
        fault("armature is given for joint " + shown(name) + ", which does not exist");
      }
      if (!std::isfinite(value) || value < 0) {
        fault("armature of joint " + shown(name) + " is " + to_text(value) +
              ", expected a finite number that is not negative");
      }
    }
  }

  /// Of each link, in the order of their names.
  std::vector<std::vector<int>> child_joints() const {
    std::vector<int> by_name(robot_.joints.size());
    std::iota(by_name.begin(), by_name.end(), 0);
    std::sort(by_name.begin(), by_name.end(), [&](int a, int b) {
      return robot_.joints[index(a)].name < robot_.joints[index(b)].name;
    });
    std::vector<std::vector<int>> children(robot_.links.size());
    for (const int joint : by_name) {
      children[index(connections_.parent_link[index(joint)])].push_back(joint);
    }
    return children;
  }

  /// Walks along followed joints to one whose leader is known, then back: every joint is visited
  /// once.
  std::vector<DescriptionTree::Leader> leaders() {
    constexpr int unknown = -1;
    std::vector<DescriptionTree::Leader> leader(robot_.joints.size(), {unknown});
    std::vector<int> path;
    for (std::size_t start = 0; start < leader.size(); ++start) {
      int at = static_cast<int>(start);
      for (; leader[index(at)].joint == unknown && connections_.followed[index(at)] >= 0;
           at = connections_.followed[index(at)]) {
        path.push_back(at);
      }
      if (leader[index(at)].joint == unknown) leader[index(at)].joint = at;
      for (; !path.empty(); path.pop_back()) {
        const std::size_t i = index(path.back());
        leader[i] = followed_through(robot_.joints[i], leader[index(connections_.followed[i])]);
      }
    }
    return leader;
  }

  /// q = m1 (m2 q' + o2) + o1
  DescriptionTree::Leader followed_through(const JointDescription& joint,
                                           const DescriptionTree::Leader& next) {
    const Mimic& mimic = *joint.mimic;
    const DescriptionTree::Leader leader{next.joint, mimic.multiplier * next.multiplier,
                                         mimic.multiplier * next.offset + mimic.offset};
    // What is not usable already was reported for the joint that is followed.
    if (usable(next.multiplier + next.offset) && !usable(leader.multiplier + leader.offset)) {
      fault(joint, std::string("mimic multiplier along its leaders is ") + not_usable);
    }
    return leader;
  }

  const RobotDescription& robot_;
  const ModelOptions& options_;
  Connections connections_;
  Findings findings_;
};

}  // namespace

DescriptionTree check_description(const RobotDescription& robot, const ModelOptions& options) {
  return Checker(robot, options).run();
}

}  // namespace rbd_parallel_core
