// SPDX-License-Identifier: Apache-2.0
#include "inertia_check.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>

#include "message_text.hpp"
#include "usable_number.hpp"

namespace rbd_parallel_core {

bool usable(const LinkInertial& inertial) {
  return usable(inertial.mass) && usable(inertial.origin) && usable(dense(inertial.rotational));
}

namespace {

/// Principal moments, ascending.
Eigen::Vector3d principal_moments(const SymMat3<double>& a) {
  Eigen::Matrix3d matrix;
  matrix << a.xx, a.xy, a.xz, a.xy, a.yy, a.yz, a.xz, a.yz, a.zz;
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(matrix, Eigen::EigenvaluesOnly)
      .eigenvalues();
}

}  // namespace

std::optional<std::string> inertia_fault(const LinkInertial& inertial) {
  if (!usable(inertial)) return std::string("inertial has a number that is ") + not_usable;
  if (inertial.mass < 0) {
    return "mass is " + to_text(inertial.mass) + " kg, expected a number that is not negative";
  }
  const Eigen::Vector3d moments = principal_moments(inertial.rotational);
  const std::string written = "(" + to_text(moments[0]) + ", " + to_text(moments[1]) + ", " +
                              to_text(moments[2]) + ") kg m^2";
  if (inertial.mass == 0 && moments.cwiseAbs().maxCoeff() > 0) {
    return "rotational inertia with principal moments " + written + " without mass";
  }
  // Numbers of real files are rounded to a few digits; a slab may fail the triangle inequality by
  // that much.
  const double tolerance = 1e-6 * std::abs(moments[2]);
  if (moments[0] < -tolerance) {
    return "principal moments are " + written + ", expected none to be negative";
  }
  if (moments[0] + moments[1] < moments[2] - tolerance) {
    return "principal moments are " + written +
           ", expected the two smaller ones to sum to at least the largest (triangle inequality)";
  }
  return std::nullopt;
}

}  // namespace rbd_parallel_core
