// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "rbd_parallel_core/model/description.hpp"

namespace rbd_parallel_core {

/// All numbers are finite and clear of overflow.
bool usable(const LinkInertial& inertial);

/// Says why no rigid body can have these numbers, or nothing if one can: finite, mass not negative,
/// rotational inertia positive semidefinite and obeying the triangle inequality, none without mass.
std::optional<std::string> inertia_fault(const LinkInertial& inertial);

}  // namespace rbd_parallel_core
