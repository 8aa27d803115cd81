// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace rbd_bench {

// A serial chain of `bodies` revolute links as URDF text, so that every contestant reads the very
// same robot: Featherstone's cylinders of length 1, mass 1 and radius 0.05 along x, each turned
// about x against its parent by `skew` radians, joint axis z.
std::string chain_urdf(std::size_t bodies, double skew);

}  // namespace rbd_bench
