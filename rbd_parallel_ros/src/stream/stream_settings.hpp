// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace rbd_parallel_ros {

/// What the effort stream computes: gravity is g(q); bias is C(q, v) v + g(q); inverse_dynamics is
/// (M(q) + diag(armature)) a + C(q, v) v + g(q) with the reference's accelerations.
enum class EffortMode { off, gravity, bias, inverse_dynamics };
enum class MissingVelocity { refuse, zero };
/// When inputs stop: publish nothing more, or zeros.
enum class OnStale { stop, zero };
/// Efforts beyond the URDF's limits: leave them, leave them and warn, or cut them off there.
enum class EffortLimits { off, warn, clamp };

struct StreamSettings {
  EffortMode mode = EffortMode::off;
  MissingVelocity missing_velocity = MissingVelocity::refuse;
  OnStale on_stale = OnStale::stop;
  EffortLimits limits = EffortLimits::warn;
  std::int64_t input_timeout = 100'000'000;      ///< ns
  std::int64_t reference_timeout = 100'000'000;  ///< ns
};

}  // namespace rbd_parallel_ros
