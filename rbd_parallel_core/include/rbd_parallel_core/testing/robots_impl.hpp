// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <optional>
#include <utility>

#include "rbd_parallel_core/testing/robots.hpp"

/// The functions that robots.hpp declares.
namespace rbd_parallel_core::conformance {

RBD_CONFORMANCE_FUNCTION RobotBuilder::RobotBuilder(const std::string& name, std::uint64_t seed)
    : random_(seed) {
  description_.name = name;
  add_link("base");
}

RBD_CONFORMANCE_FUNCTION JointDescription& RobotBuilder::add(const std::string& parent,
                                                             const std::string& name,
                                                             JointKind kind) {
  JointDescription joint;
  joint.name = name;
  joint.kind = kind;
  joint.parent = parent;
  joint.child = "link_" + name;
  joint.origin = random_.pose(0.5);
  joint.axis = random_.direction();
  joint.pitch = kind == JointKind::helical ? 0.2 : 0;
  add_link(joint.child);
  description_.joints.push_back(std::move(joint));
  return description_.joints.back();
}

RBD_CONFORMANCE_FUNCTION Robot RobotBuilder::robot(Base base) const {
  Robot result{description_.name, description_, {}};
  result.options.base = base;
  result.options.gravity = {1.3, -4.1, -8.6};
  return result;
}

RBD_CONFORMANCE_FUNCTION void RobotBuilder::add_link(const std::string& name) {
  description_.links.push_back({name, random_.inertial()});
}

RBD_CONFORMANCE_FUNCTION Robot single_joint(JointKind kind) {
  RobotBuilder builder(std::string("single_") + name_of(kind), 11 + static_cast<unsigned>(kind));
  builder.add("joint", kind);
  return builder.robot();
}

RBD_CONFORMANCE_FUNCTION Robot mixed_chain() {
  RobotBuilder builder("mixed_chain", 21);
  builder.add("a_fixed", JointKind::fixed);
  builder.add("b_revolute", JointKind::revolute);
  builder.add("c_spherical", JointKind::spherical);
  builder.add("d_fixed", JointKind::fixed);
  builder.add("e_fixed", JointKind::fixed);
  builder.add("f_prismatic", JointKind::prismatic);
  builder.add("g_planar", JointKind::planar);
  builder.add("h_helical", JointKind::helical);
  builder.add("i_floating", JointKind::floating);
  builder.add("j_continuous", JointKind::continuous);
  builder.add("k_fixed", JointKind::fixed);
  return builder.robot();
}

RBD_CONFORMANCE_FUNCTION Robot mixed_tree(Base base) {
  RobotBuilder builder(base == Base::fixed ? "mixed_tree" : "floating_tree", 31);
  builder.add("base", "a", JointKind::revolute);
  builder.add("base", "b", JointKind::prismatic);
  builder.add("base", "c", JointKind::spherical);
  builder.add("link_a", "a1", JointKind::helical);
  builder.add("link_a", "a2", JointKind::planar);
  builder.add("link_a1", "a11", JointKind::revolute);
  builder.add("link_a1", "a12", JointKind::continuous);
  builder.add("link_b", "b1", JointKind::revolute);
  builder.add("link_b1", "b2", JointKind::fixed);
  builder.add("link_b2", "b3", JointKind::revolute);
  builder.add("link_c", "c1", JointKind::prismatic);
  Robot robot = builder.robot(base);
  double share = 1;
  for (JointDescription& joint : robot.description.joints) {
    joint.armature = 0.05 * share;
    joint.damping = 0.3 * share;
    joint.friction = 0.2 * share;
    share *= 0.9;
  }
  return robot;
}

RBD_CONFORMANCE_FUNCTION Robot arm() {
  RobotBuilder builder("arm", 41);
  const Vec3<double> axes[] = {{0, 0, 1},  {0, 1, 0},     {0, 1, 0},     {0, -1, 0},
                               {1, 0, 0},  {0.01, 0, 1},  {0, 0.02, 1},  {0.3, -0.4, 0.8},
                               {0, 0, -1}, {0, 0.02, -1}, {0, 0.005, -1}};
  int i = 0;
  for (const Vec3<double>& axis : axes) {
    const bool slides = i == 3 || i == 6;
    JointDescription& joint = builder.add("joint_" + std::string(1, static_cast<char>('a' + i)),
                                          slides ? JointKind::prismatic : JointKind::revolute);
    joint.axis = axis;
    joint.origin.rotation = Mat3<double>::identity();
    ++i;
  }
  return builder.robot();
}

RBD_CONFORMANCE_FUNCTION Robot mimic_hand() {
  RobotBuilder builder("mimic_hand", 51);
  builder.add("base", "arm", JointKind::revolute);
  builder.add("link_arm", "a_follower", JointKind::revolute).mimic = Mimic{"b_leader", -0.7, 0.3};
  builder.add("link_a_follower", "a_tip", JointKind::helical).mimic = Mimic{"a_follower", 2, -0.1};
  builder.add("link_arm", "b_leader", JointKind::prismatic);
  builder.add("link_b_leader", "b_tip", JointKind::revolute);
  builder.add("base", "c_other", JointKind::spherical);
  builder.add("link_c_other", "c_tip", JointKind::revolute).mimic = Mimic{"b_tip", 0.5, 0};
  builder.add("base", "d_leader", JointKind::revolute);
  builder.add("base", "e_leader", JointKind::prismatic);
  builder.add("base", "f_fork", JointKind::revolute);
  builder.add("link_f_fork", "f_tip", JointKind::revolute).mimic = Mimic{"d_leader", 1.5, 0.2};
  builder.add("link_f_fork", "f_toe", JointKind::revolute).mimic = Mimic{"e_leader", -1, 0};
  Robot robot = builder.robot();
  for (JointDescription& joint : robot.description.joints) {
    joint.armature = 0.02;
    joint.damping = 0.1;
    joint.friction = 0.05;
  }
  return robot;
}

RBD_CONFORMANCE_FUNCTION Robot chain(int bodies) {
  Robot robot{
      "chain_" + std::to_string(bodies), describe_auto_tree({.bodies = bodies, .skew = 0.7}), {}};
  robot.options.gravity = {1.3, -4.1, -8.6};
  return robot;
}

RBD_CONFORMANCE_FUNCTION Robot branching_tree() {
  Robot robot{"auto_tree",
              describe_auto_tree({.bodies = 24, .branching = 1.5, .skew = 0.4, .taper = 0.95}),
              {}};
  robot.options.gravity = {1.3, -4.1, -8.6};
  return robot;
}

RBD_CONFORMANCE_FUNCTION Robot rock() { return RobotBuilder("rock", 61).robot(); }

namespace detail {

RBD_CONFORMANCE_FUNCTION Robot turntable() {
  Robot robot;
  robot.name = "turntable";
  robot.description.name = robot.name;
  LinkInertial point;
  point.mass = 2;
  robot.description.links = {{"base", std::nullopt}, {"table", std::nullopt}, {"slider", point}};
  JointDescription turn, slide;
  turn.name = "turn";
  turn.kind = JointKind::revolute;
  turn.parent = "base";
  turn.child = "table";
  turn.axis = {0, 0, 1};
  slide.name = "slide";
  slide.kind = JointKind::prismatic;
  slide.parent = "table";
  slide.child = "slider";
  slide.axis = {1, 0, 0};
  robot.description.joints = {turn, slide};
  return robot;
}

}  // namespace detail

RBD_CONFORMANCE_FUNCTION std::vector<Robot> small_robots() {
  std::vector<Robot> robots;
  for (const JointKind kind : moving_kinds) robots.push_back(single_joint(kind));
  robots.push_back(mixed_chain());
  robots.push_back(mixed_tree(Base::fixed));
  robots.push_back(mixed_tree(Base::floating));
  robots.push_back(arm());
  robots.push_back(mimic_hand());
  robots.push_back(branching_tree());
  return robots;
}

RBD_CONFORMANCE_FUNCTION std::vector<double> random_configuration(const Model& model,
                                                                  Random& random) {
  std::vector<double> q = random.numbers(index(model.nq()), 3);
  for_each_quaternion(model, [&](std::size_t first) {
    const Vec3<double> a = random.direction();
    const double half = random.uniform(-3, 3), s = std::sin(half), c = std::cos(half);
    q[first] = s * a.x;
    q[first + 1] = s * a.y;
    q[first + 2] = s * a.z;
    q[first + 3] = c;
  });
  return q;
}

}  // namespace rbd_parallel_core::conformance
