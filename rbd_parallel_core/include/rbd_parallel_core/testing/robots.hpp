// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "rbd_parallel_core/model/generators.hpp"
#include "rbd_parallel_core/model/model.hpp"

/// Robots and states to test with: every joint type, axes that are aligned with nothing, gravity
/// parallel to no axis. All of it is made from fixed seeds and is the same on every machine.
namespace rbd_parallel_core::conformance {

inline std::size_t index(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

/// Uniform numbers; the distributions of the standard library differ from one library to the next.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1p-53);
  }
  Vec3<double> vector(double size) {
    return {uniform(-size, size), uniform(-size, size), uniform(-size, size)};
  }
  std::vector<double> numbers(std::size_t n, double size) {
    std::vector<double> result(n);
    for (double& x : result) x = uniform(-size, size);
    return result;
  }
  Vec3<double> direction() {
    for (;;) {
      const Vec3<double> a = vector(1);
      const double norm = std::sqrt(dot(a, a));
      if (norm > 0.1 && norm <= 1) return (1 / norm) * a;
    }
  }
  Pose pose(double size) {
    const Vec3<double> position = vector(size);
    const double roll = uniform(-3, 3), pitch = uniform(-1.5, 1.5), yaw = uniform(-3, 3);
    return pose_from_rpy(position, roll, pitch, yaw);
  }
  /// Principal moments that are sums of two of three positive numbers obey the triangle inequality.
  LinkInertial inertial() {
    LinkInertial result;
    result.mass = uniform(0.5, 2);
    result.origin = pose(0.2);
    const double x = uniform(0.01, 0.1), y = uniform(0.01, 0.1), z = uniform(0.01, 0.1);
    result.rotational = {y + z, 0, 0, x + z, 0, x + y};
    return result;
  }

 private:
  std::mt19937_64 engine_;
};

struct Robot {
  std::string name;
  RobotDescription description;
  ModelOptions options;

  Model model() const { return build_model(description, options); }

  /// How GoogleTest shows it.
  friend void PrintTo(const Robot& robot, std::ostream* out) { *out << robot.name; }
};

/// Builds a description link by link; every link has an inertia, every joint a place and an axis at
/// random.
class RobotBuilder {
 public:
  RobotBuilder(const std::string& name, std::uint64_t seed) : random_(seed) {
    description_.name = name;
    add_link("base");
  }

  /// A joint `name` of that kind on the link `parent`, which carries the new link "link_" + name.
  JointDescription& add(const std::string& parent, const std::string& name, JointKind kind) {
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
  /// The same, on the link added last.
  JointDescription& add(const std::string& name, JointKind kind) {
    return add(description_.links.back().name, name, kind);
  }

  Robot robot(Base base = Base::fixed) const {
    Robot result{description_.name, description_, {}};
    result.options.base = base;
    result.options.gravity = {1.3, -4.1, -8.6};
    return result;
  }

 private:
  void add_link(const std::string& name) {
    description_.links.push_back({name, random_.inertial()});
  }

  Random random_;
  RobotDescription description_;
};

inline constexpr JointKind moving_kinds[] = {
    JointKind::revolute, JointKind::continuous, JointKind::prismatic, JointKind::helical,
    JointKind::planar,   JointKind::spherical,  JointKind::floating};

/// One joint, one moving link.
inline Robot single_joint(JointKind kind) {
  RobotBuilder builder(std::string("single_") + name_of(kind), 11 + static_cast<unsigned>(kind));
  builder.add("joint", kind);
  return builder.robot();
}

/// All joint types one after the other, twisted in space, with fixed joints between them.
inline Robot mixed_chain() {
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

/// Several bodies on the base, branches of several joint types; armature, damping and friction on
/// all joints.
inline Robot mixed_tree(Base base) {
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

/// An arm with parallel, perpendicular, skew, almost parallel and opposite joint axes: all ways in
/// which the frame of a body may be placed on the common normal of two axes.
inline Robot arm() {
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

/// Mimic joints that couple branches, one that leads to a joint earlier in the order, a mimic of a
/// mimic, and two followers on one body whose leaders nothing else couples: eliminating that body's
/// coordinate fills in an entry between them.
inline Robot mimic_hand() {
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

/// A chain of the generator.
inline Robot chain(int bodies) {
  Robot robot{
      "chain_" + std::to_string(bodies), describe_auto_tree({.bodies = bodies, .skew = 0.7}), {}};
  robot.options.gravity = {1.3, -4.1, -8.6};
  return robot;
}

/// Featherstone's autoTree, tapered.
inline Robot branching_tree() {
  Robot robot{"auto_tree",
              describe_auto_tree({.bodies = 24, .branching = 1.5, .skew = 0.4, .taper = 0.95}),
              {}};
  robot.options.gravity = {1.3, -4.1, -8.6};
  return robot;
}

/// A robot that cannot move: one link, fixed to the world.
inline Robot rock() { return RobotBuilder("rock", 61).robot(); }

/// All the small robots above.
inline std::vector<Robot> small_robots() {
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

/// Calls visit(first) for every quaternion in q, `first` being the index of its x.
template <class Visit>
void for_each_quaternion(const Model& model, const Visit& visit) {
  for (const Joint& joint : model.joints()) {
    if (joint.kind == JointKind::spherical) visit(index(joint.q_index));
    if (joint.kind == JointKind::floating) visit(index(joint.q_index) + 3);
  }
}

/// Angles and shifts in -3 .. 3, unit quaternions. size nq
inline std::vector<double> random_configuration(const Model& model, Random& random) {
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

namespace detail {

/// The rotation of a unit quaternion x y z w: columns are the axes of the turned frame.
inline Mat3<double> quaternion_matrix(const double* q) {
  const double x = q[0], y = q[1], z = q[2], w = q[3];
  return {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
          {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
          {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
}

}  // namespace detail

}  // namespace rbd_parallel_core::conformance
