// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "rbd_parallel_core/model/description.hpp"

namespace rbd_parallel_core {

/// Numbers of a robot are finite and stay clear of overflow, so that what is computed from them
/// does too.
inline bool usable(double x) { return std::abs(x) < 1e100; }
inline bool usable(const Vec3<double>& a) { return usable(a.x) && usable(a.y) && usable(a.z); }
inline bool usable(const Mat3<double>& a) { return usable(a.x) && usable(a.y) && usable(a.z); }
inline bool usable(const Pose& pose) { return usable(pose.position) && usable(pose.rotation); }
inline constexpr const char* not_usable = "not finite or not below 1e100";

}  // namespace rbd_parallel_core
