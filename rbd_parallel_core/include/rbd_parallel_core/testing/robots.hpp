// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "rbd_parallel_core/model/generators.hpp"
#include "rbd_parallel_core/model/model.hpp"
#include "rbd_parallel_core/testing/conformance_linkage.hpp"

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
  RobotBuilder(const std::string& name, std::uint64_t seed);

  /// A joint `name` of that kind on the link `parent`, which carries the new link "link_" + name.
  JointDescription& add(const std::string& parent, const std::string& name, JointKind kind);
  /// The same, on the link added last.
  JointDescription& add(const std::string& name, JointKind kind) {
    return add(description_.links.back().name, name, kind);
  }

  Robot robot(Base base = Base::fixed) const;

 private:
  void add_link(const std::string& name);

  Random random_;
  RobotDescription description_;
};

inline constexpr JointKind moving_kinds[] = {
    JointKind::revolute, JointKind::continuous, JointKind::prismatic, JointKind::helical,
    JointKind::planar,   JointKind::spherical,  JointKind::floating};

/// One joint, one moving link.
Robot single_joint(JointKind kind);

/// All joint types one after the other, twisted in space, with fixed joints between them.
Robot mixed_chain();

/// Several bodies on the base, branches of several joint types; armature, damping and friction on
/// all joints.
Robot mixed_tree(Base base);

/// An arm with parallel, perpendicular, skew, almost parallel and opposite joint axes: all ways in
/// which the frame of a body may be placed on the common normal of two axes.
Robot arm();

/// Mimic joints that couple branches, one that leads to a joint earlier in the order, a mimic of a
/// mimic, and two followers on one body whose leaders nothing else couples: eliminating that body's
/// coordinate fills in an entry between them.
Robot mimic_hand();

/// A chain of the generator.
Robot chain(int bodies);

/// Featherstone's autoTree, tapered.
Robot branching_tree();

/// A robot that cannot move: one link, fixed to the world.
Robot rock();

namespace detail {

/// A turn, then a slide away from its axis that carries a point mass: M(0, 0) = m q1^2.
Robot turntable();

}  // namespace detail

/// The small robots above, those that can move and have inertia everywhere.
std::vector<Robot> small_robots();

/// Calls visit(first) for every quaternion in q, `first` being the index of its x.
template <class Visit>
void for_each_quaternion(const Model& model, const Visit& visit) {
  for (const Joint& joint : model.joints()) {
    if (joint.kind == JointKind::spherical) visit(index(joint.q_index));
    if (joint.kind == JointKind::floating) visit(index(joint.q_index) + 3);
  }
}

/// Angles and shifts in -3 .. 3, unit quaternions. size nq
std::vector<double> random_configuration(const Model& model, Random& random);

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

#ifdef RBD_CONFORMANCE_FUNCTION
#include "rbd_parallel_core/testing/robots_impl.hpp"
#endif
