// SPDX-License-Identifier: Apache-2.0
#include "description_check.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "text.hpp"

namespace rbd_parallel_core {
namespace {

bool finite(const Vec3<double>& a) { return usable(a.x) && usable(a.y) && usable(a.z); }

bool finite(const Pose& pose) {
  return finite(pose.position) && finite(pose.rotation.x) && finite(pose.rotation.y) &&
         finite(pose.rotation.z);
}

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
    if (robot_.links.empty()) fault("robot " + quoted(robot_.name) + " has no links");
    index_links();
    check_link_rotations();
    index_joints();
    connect();
    for (const JointDescription& joint : robot_.joints) check_numbers(joint);
    resolve_mimics();
    check_options();
    if (faults_.empty()) find_root();
    if (faults_.empty()) check_reach();
    if (!faults_.empty()) throw ModelError(std::move(faults_));
    return std::move(tree_);
  }

 private:
  void fault(std::string text) { faults_.push_back(std::move(text)); }
  void fault(const JointDescription& joint, const std::string& text) {
    fault("joint " + quoted(joint.name) + ": " + text);
  }

  void index_links() {
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      const std::string& name = robot_.links[i].name;
      if (name.empty()) fault("link number " + std::to_string(i) + " has no name");
      if (!link_index_.emplace(name, static_cast<int>(i)).second) {
        fault("link " + quoted(name) + ": there are two links of this name");
      }
    }
  }

  void check_link_rotations() {
    for (const LinkDescription& link : robot_.links) {
      if (link.inertial && finite(link.inertial->origin) &&
          !is_rotation(link.inertial->origin.rotation)) {
        fault("link " + quoted(link.name) + ": inertial origin.rotation " + no_rotation);
      }
    }
  }

  void index_joints() {
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
      const std::string& name = robot_.joints[i].name;
      if (name.empty()) fault("joint number " + std::to_string(i) + " has no name");
      if (!joint_index_.emplace(name, static_cast<int>(i)).second) {
        fault("joint " + quoted(name) + ": there are two joints of this name");
      }
    }
  }

  void connect() {
    tree_.child_joints.resize(robot_.links.size());
    tree_.child_link.assign(robot_.joints.size(), -1);
    parent_joint_.assign(robot_.links.size(), -1);
    for (const auto& [name, i] : joint_index_) {  // in the order of names
      const JointDescription& joint = robot_.joints[static_cast<std::size_t>(i)];
      const auto parent = link_index_.find(joint.parent);
      const auto child = link_index_.find(joint.child);
      if (parent == link_index_.end()) {
        fault(joint, "parent link " + quoted(joint.parent) + " does not exist");
      }
      if (child == link_index_.end()) {
        fault(joint, "child link " + quoted(joint.child) + " does not exist");
      }
      if (parent == link_index_.end() || child == link_index_.end()) continue;
      int& carrier = parent_joint_[static_cast<std::size_t>(child->second)];
      if (carrier >= 0) {
        fault(joint, "child link " + quoted(joint.child) + " is already the child of joint " +
                         quoted(robot_.joints[static_cast<std::size_t>(carrier)].name) +
                         "; a link has one parent (closed loops are not supported)");
        continue;
      }
      carrier = i;
      tree_.child_link[static_cast<std::size_t>(i)] = child->second;
      tree_.child_joints[static_cast<std::size_t>(parent->second)].push_back(i);
    }
  }

  void check_numbers(const JointDescription& joint) {
    if (!finite(joint.origin)) {
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

  void resolve_mimics() {
    followed_.assign(robot_.joints.size(), -1);
    if (options_.mimic == MimicPolicy::honour) {
      for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
        const JointDescription& joint = robot_.joints[i];
        if (joint.mimic && joint.kind != JointKind::fixed) check_mimic(static_cast<int>(i), joint);
      }
    }
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
      tree_.leader.push_back({static_cast<int>(i)});
    }
    std::vector<Visit> visits(robot_.joints.size(), Visit::not_yet);
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
      if (visits[i] == Visit::not_yet) find_leader(static_cast<int>(i), visits);
    }
  }

  enum class Visit : char { not_yet, under_way, done };

  /// Walks along followed joints to one whose leader is known, then back: every joint is visited
  /// once.
  void find_leader(int start, std::vector<Visit>& visits) {
    std::vector<int> path;
    int at = start;
    while (followed_[static_cast<std::size_t>(at)] >= 0 &&
           visits[static_cast<std::size_t>(at)] == Visit::not_yet) {
      visits[static_cast<std::size_t>(at)] = Visit::under_way;
      path.push_back(at);
      at = followed_[static_cast<std::size_t>(at)];
    }
    if (visits[static_cast<std::size_t>(at)] == Visit::under_way) {
      fault(robot_.joints[static_cast<std::size_t>(at)], "mimics itself through other joints");
    }
    visits[static_cast<std::size_t>(at)] = Visit::done;
    for (auto joint = path.rbegin(); joint != path.rend(); ++joint) {
      // q = m1 (m2 q' + o2) + o1
      const auto i = static_cast<std::size_t>(*joint);
      const Mimic& mimic = *robot_.joints[i].mimic;
      const DescriptionTree::Leader& next = tree_.leader[static_cast<std::size_t>(followed_[i])];
      tree_.leader[i] = {next.joint, mimic.multiplier * next.multiplier,
                         mimic.multiplier * next.offset + mimic.offset};
      visits[i] = Visit::done;
      const bool each_usable =
          usable(mimic.multiplier) && usable(mimic.offset) && usable(next.multiplier + next.offset);
      if (each_usable && !usable(tree_.leader[i].multiplier + tree_.leader[i].offset)) {
        fault(robot_.joints[i], std::string("mimic multiplier along its leaders is ") + not_usable);
      }
    }
  }

  void check_mimic(int i, const JointDescription& joint) {
    const Mimic& mimic = *joint.mimic;
    if (!usable(mimic.multiplier) || !usable(mimic.offset)) {
      fault(joint, std::string("mimic multiplier or offset is ") + not_usable);
    }
    if (!has_one_coordinate(joint.kind)) {
      fault(joint, "mimics " + quoted(mimic.joint) + " but has several coordinates itself");
      return;
    }
    const auto target = joint_index_.find(mimic.joint);
    if (target == joint_index_.end()) {
      fault(joint, "mimics joint " + quoted(mimic.joint) + ", which does not exist");
    } else if (target->second == i) {
      fault(joint, "mimics itself");
    } else if (!has_one_coordinate(robot_.joints[static_cast<std::size_t>(target->second)].kind)) {
      fault(joint, "mimics joint " + quoted(mimic.joint) +
                       ", which does not have exactly one coordinate to follow");
    } else {
      followed_[static_cast<std::size_t>(i)] = target->second;
    }
  }

  void check_options() {
    if (!finite(options_.gravity)) {
      fault("gravity is " + to_text(options_.gravity) + ", expected finite numbers");
    }
    for (const auto& [name, value] : options_.armature) {
      if (!joint_index_.contains(name)) {
        fault("armature is given for joint " + quoted(name) + ", which does not exist");
      }
      if (!std::isfinite(value) || value < 0) {
        fault("armature of joint " + quoted(name) + " is " + to_text(value) +
              ", expected a finite number that is not negative");
      }
    }
  }

  void find_root() {
    std::vector<std::string> roots;
    for (std::size_t i = 0; i < parent_joint_.size(); ++i) {
      if (parent_joint_[i] >= 0) continue;
      roots.push_back(robot_.links[i].name);
      tree_.root = static_cast<int>(i);
    }
    if (roots.empty())
      fault("no root link: every link is the child of a joint, so there is a cycle");
    if (roots.size() > 1) {
      std::string names;
      for (const std::string& root : roots) names += (names.empty() ? "" : ", ") + quoted(root);
      fault("expected one root link, found " + std::to_string(roots.size()) + ": " + names +
            "; join them with fixed joints");
    }
  }

  void check_reach() {
    std::vector<char> reached(robot_.links.size(), 0);
    std::vector<int> stack{tree_.root};
    while (!stack.empty()) {
      const auto link = static_cast<std::size_t>(stack.back());
      stack.pop_back();
      reached[link] = 1;
      for (const int joint : tree_.child_joints[link]) {
        stack.push_back(tree_.child_link[static_cast<std::size_t>(joint)]);
      }
    }
    constexpr std::size_t most_named = 20;
    std::size_t lost = 0;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      if (reached[i] != 0 || ++lost > most_named) continue;
      fault("link " + quoted(robot_.links[i].name) + ": not reached from the root link " +
            quoted(robot_.links[static_cast<std::size_t>(tree_.root)].name) +
            "; it is part of a cycle");
    }
    if (lost > most_named) {
      fault("and " + std::to_string(lost - most_named) + " more links that are not reached");
    }
  }

  const RobotDescription& robot_;
  const ModelOptions& options_;
  std::map<std::string, int> link_index_, joint_index_;
  std::vector<int> parent_joint_;
  std::vector<int> followed_;  ///< of each joint: the one it mimics, or -1
  DescriptionTree tree_;
  std::vector<std::string> faults_;
};

}  // namespace

bool has_one_coordinate(JointKind kind) {
  return kind == JointKind::revolute || kind == JointKind::continuous ||
         kind == JointKind::prismatic || kind == JointKind::helical;
}

DescriptionTree check_description(const RobotDescription& robot, const ModelOptions& options) {
  return Checker(robot, options).run();
}

}  // namespace rbd_parallel_core
