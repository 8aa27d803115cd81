// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/model/description.hpp"

#include <cmath>

namespace rbd_parallel_core {

Pose pose_from_rpy(const Vec3<double>& position, double roll, double pitch, double yaw) {
  const double cr = std::cos(roll), sr = std::sin(roll);
  const double cp = std::cos(pitch), sp = std::sin(pitch);
  const double cy = std::cos(yaw), sy = std::sin(yaw);
  return {position,
          {{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
           {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
           {-sp, cp * sr, cp * cr}}};
}

const char* name_of(JointKind kind) {
  switch (kind) {
    case JointKind::fixed:
      return "fixed";
    case JointKind::revolute:
      return "revolute";
    case JointKind::continuous:
      return "continuous";
    case JointKind::prismatic:
      return "prismatic";
    case JointKind::helical:
      return "helical";
    case JointKind::planar:
      return "planar";
    case JointKind::spherical:
      return "spherical";
    case JointKind::floating:
      return "floating";
  }
  return "unknown";
}

}  // namespace rbd_parallel_core
