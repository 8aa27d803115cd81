// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/model/description.hpp"
#include "rbd_parallel_core/spatial/inertia.hpp"

namespace rbd_parallel_core {

/// A link's inertia about its origin, in its axes.
inline Inertia<double> link_inertia(const LinkInertial& inertial) {
  const Mat3<double> to_principal = transpose(inertial.origin.rotation);
  return inertia_from_com(inertial.mass, inertial.origin.position,
                          rotate_back(to_principal, inertial.rotational));
}

}  // namespace rbd_parallel_core
