// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rbd_parallel_core/spatial/transform.hpp"

/// A robot as it is written down: links and joints in the words of URDF, before any analysis.
/// load_urdf makes one from text; it can be filled by hand as well. build_model turns it into a
/// Model.
namespace rbd_parallel_core {

/// Position and orientation of a frame in its parent frame.
struct Pose {
  Vec3<double> position{0, 0, 0};                          ///< m
  Mat3<double> rotation{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};  ///< columns are the axes of the frame
};

/// Fixed-axis roll, pitch, yaw as in URDF: rotation = Rz(yaw) Ry(pitch) Rx(roll).
Pose pose_from_rpy(const Vec3<double>& position, double roll, double pitch, double yaw);

struct LinkInertial {
  double mass = 0;  ///< kg
  Pose origin;      ///< centre of mass and axes of `rotational`, in the link
  SymMat3<double> rotational{0, 0, 0, 0, 0, 0};  ///< kg m^2, about the centre of mass
};

struct LinkDescription {
  std::string name;
  std::optional<LinkInertial> inertial;
};

enum class JointKind {
  fixed,
  revolute,
  continuous,
  prismatic,
  helical,
  planar,
  spherical,
  floating
};

/// The word of URDF for it.
const char* name_of(JointKind kind);

struct JointLimits {
  double lower = 0, upper = 0;  ///< rad or m
  double effort = 0;            ///< N m or N
  double velocity = 0;          ///< rad/s or m/s
};

struct Mimic {
  std::string joint;  ///< the joint that is followed
  double multiplier = 1, offset = 0;
};

struct JointDescription {
  std::string name;
  JointKind kind = JointKind::fixed;
  std::string parent, child;  ///< names of links
  Pose origin;  ///< the joint frame in the parent link, at q = 0 that of the child link
  Vec3<double> axis{1, 0, 0};  ///< in the joint frame, of any length; the normal of a planar joint
  double pitch = 0;            ///< helical: m/rad
  std::optional<JointLimits> limits;
  std::optional<Mimic> mimic;
  double armature = 0;  ///< reflected rotor inertia, kg m^2 or kg
  double damping = 0;   ///< N m s/rad or N s/m
  double friction = 0;  ///< N m or N
};

struct RobotDescription {
  std::string name;
  std::vector<LinkDescription> links;
  std::vector<JointDescription> joints;
  std::vector<std::string> warnings;  ///< from reading it; handed on to Model::warnings()
  /// Odd limits are among these warnings already, with their lines: build_model need not repeat
  /// them.
  bool warned_of_limits = false;
};

}  // namespace rbd_parallel_core
