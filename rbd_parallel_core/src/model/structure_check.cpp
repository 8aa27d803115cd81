// SPDX-License-Identifier: Apache-2.0
#include "structure_check.hpp"

#include <algorithm>
#include <string>

#include "message_text.hpp"

namespace rbd_parallel_core {
namespace {

using Names = std::unordered_map<std::string_view, int>;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

std::string called(const Structure::Link& link) { return "link " + shown(link.name); }
std::string called(const Structure::Joint& joint) { return "joint " + shown(joint.name); }

/// Cycles of the graph in which i leads to next[i] (-1: nowhere), each once, from its lowest index.
std::vector<std::vector<int>> find_cycles(const std::vector<int>& next) {
  std::vector<std::vector<int>> cycles;
  std::vector<int> visited_by(next.size(), -1);
  for (int start = 0; start < static_cast<int>(next.size()); ++start) {
    int i = start;
    while (i >= 0 && visited_by[index(i)] < 0) {
      visited_by[index(i)] = start;
      i = next[index(i)];
    }
    if (i < 0 || visited_by[index(i)] != start) continue;
    std::vector<int> cycle;
    for (int k = i; cycle.empty() || k != i; k = next[index(k)]) cycle.push_back(k);
    std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
    cycles.push_back(std::move(cycle));
  }
  return cycles;
}

class StructureChecker {
 public:
  StructureChecker(const Structure& structure, Findings& findings)
      : links_(structure.links),
        joints_(structure.joints),
        structure_(structure),
        findings_(findings) {}

  Connections run() {
    link_at_ = index_names(links_);
    found_.joint_at = index_names(joints_);
    found_.parent_link.assign(joints_.size(), -1);
    found_.child_link.assign(joints_.size(), -1);
    found_.followed.assign(joints_.size(), -1);
    if (links_.empty()) {
      robot_fault("has no <link>");
      return std::move(found_);
    }
    check_mimics();
    connect();
    return std::move(found_);
  }

 private:
  void fault(const Structure::Joint& joint, const std::string& what) {
    findings_.fault(joint.line, called(joint), what);
  }
  void robot_fault(const std::string& what) { findings_.fault(structure_.line, "robot", what); }

  /// Index by name; a second element of the same name is a fault.
  template <class Element>
  Names index_names(const std::vector<Element>& elements) {
    Names names;
    names.reserve(elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (elements[i].name.empty()) continue;
      const auto [first, is_new] = names.emplace(elements[i].name, static_cast<int>(i));
      if (is_new) continue;
      const int line = elements[index(first->second)].line;
      findings_.fault(
          elements[i].line, called(elements[i]),
          "the name is taken already" + (line > 0 ? ", on line " + std::to_string(line) : ""));
    }
    return names;
  }

  void connect() {
    std::vector<int> joint_above(links_.size(), -1), parent_of(links_.size(), -1);
    bool resolved = true;
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const int parent = find_link(joints_[j], "parent", joints_[j].parent);
      const int child = find_link(joints_[j], "child", joints_[j].child);
      resolved = resolved && parent >= 0 && child >= 0;
      if (child < 0) continue;
      int& above = joint_above[index(child)];
      if (above >= 0) {
        fault(joints_[j], "its child " + shown(joints_[j].child) + " is the child of joint " +
                              shown(joints_[index(above)].name) +
                              " too, expected one joint above each link");
        continue;
      }
      above = static_cast<int>(j);
      parent_of[index(child)] = parent;
      found_.parent_link[j] = parent;
      found_.child_link[j] = child;
    }
    check_loops(parent_of, joint_above);
    // Where a reference is broken, a link without parent says nothing new.
    if (resolved) check_roots(joint_above);
  }

  int find_link(const Structure::Joint& joint, const char* role, std::string_view name) {
    if (name.empty()) return -1;
    const auto found = link_at_.find(name);
    if (found != link_at_.end()) return found->second;
    fault(joint, "its " + std::string(role) + " is " + shown(name) + ", no link has that name");
    return -1;
  }

  void check_loops(const std::vector<int>& parent_of, const std::vector<int>& joint_above) {
    for (const std::vector<int>& cycle : find_cycles(parent_of)) {
      std::vector<int> joints;
      for (const int link : cycle) joints.push_back(joint_above[index(link)]);
      std::sort(joints.begin(), joints.end());
      const Structure::Joint& first = joints_[index(joints[0])];
      fault(first, joints.size() == 1
                       ? "parent and child are the same link " + shown(first.child)
                       : "is part of a loop, expected a tree; the loop has the joints " +
                             listed_joints(joints));
    }
  }

  std::string listed_joints(const std::vector<int>& joints) const {
    std::vector<std::string> names;
    for (const int j : joints) names.emplace_back(joints_[index(j)].name);
    return listed(names);
  }

  void check_roots(const std::vector<int>& joint_above) {
    std::vector<std::string> roots;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (joint_above[i] >= 0) continue;
      roots.emplace_back(links_[i].name);
      found_.root = static_cast<int>(i);
    }
    if (roots.empty()) robot_fault("every link is the child of a joint, expected one root link");
    if (roots.size() > 1) {
      robot_fault("has " + std::to_string(roots.size()) +
                  " root links (no joint has them as child), expected one: " + listed(roots));
    }
  }

  /// A joint that follows nothing sensible is a fault only for those who want it to follow.
  void mimic_fault(const Structure::Joint& joint, const std::string& what) {
    if (structure_.honours_mimic) return findings_.fault(joint.mimic_line, called(joint), what);
    findings_.warning(joint.mimic_line, called(joint),
                      what + "; it does not matter while the joint moves independently");
  }

  void check_mimics() {
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const Structure::Joint& joint = joints_[j];
      if (joint.mimic.empty()) continue;
      if (!has_one_coordinate(joint.kind)) {
        mimic_fault(joint, "a " + std::string(name_of(joint.kind)) +
                               " joint has <mimic>, expected it on " + structure_.followable +
                               " joints only");
      }
      const auto found = found_.joint_at.find(joint.mimic);
      if (found == found_.joint_at.end()) {
        mimic_fault(joint, "mimics " + shown(joint.mimic) + ", no joint has that name");
        continue;
      }
      found_.followed[j] = found->second;
      const Structure::Joint& target = joints_[index(found->second)];
      if (has_one_coordinate(target.kind)) continue;
      mimic_fault(joint, "mimics the " + std::string(name_of(target.kind)) + " joint " +
                             shown(joint.mimic) + ", expected a " + structure_.followable + " one");
    }
    for (const std::vector<int>& cycle : find_cycles(found_.followed)) {
      mimic_fault(joints_[index(cycle[0])],
                  cycle.size() == 1
                      ? "mimics itself"
                      : "mimics in a circle, through the joints " + listed_joints(cycle));
    }
  }

  const std::vector<Structure::Link>& links_;
  const std::vector<Structure::Joint>& joints_;
  const Structure& structure_;
  Findings& findings_;
  Names link_at_;
  Connections found_;
};

}  // namespace

bool has_one_coordinate(JointKind kind) {
  return kind == JointKind::revolute || kind == JointKind::continuous ||
         kind == JointKind::prismatic || kind == JointKind::helical;
}

Connections check_structure(const Structure& structure, Findings& findings) {
  return StructureChecker(structure, findings).run();
}

}  // namespace rbd_parallel_core
