// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/model/description.hpp"
#include "rbd_parallel_core/spatial/inertia.hpp"

namespace rbd_parallel_core {

/// A link's rotational inertia about its centre of mass, along the axes of the link.
inline SymMat3<double> inertia_about_com(const LinkInertial& inertial) {
  return rotate_back(transpose(inertial.origin.rotation), inertial.rotational);
}

/// A link's inertia about its origin, in its axes.
inline Inertia<double> link_inertia(const LinkInertial& inertial) {
  return inertia_from_com(inertial.mass, inertial.origin.position, inertia_about_com(inertial));
}

}  // namespace rbd_parallel_core
