// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace rbd_parallel_ros {

/// Why no effort was computed from an input.
enum class Refusal {
  none,
  other_joints,      ///< no joint of the model is in the message: somebody else's robot
  not_finite,        ///< NaN or infinity in position or velocity
  wrong_size,        ///< arrays of a message do not fit each other
  missing_joint,     ///< a joint of the model is not in the message
  unknown_joint,     ///< a joint of a reference is not in the model
  duplicate_joint,   ///< a joint is in it twice
  not_a_rotation,    ///< the quaternion of the base has not length 1
  missing_velocity,  ///< it has no velocities, and they are needed
  stamp_missing,     ///< the stamp is zero or not a time
  stamp_old,         ///< older than input_timeout by the node's clock
  stamp_ahead,       ///< ahead of the node's clock by more than input_timeout
  stamp_backwards,   ///< not later than the input before it
  clock_jumped,    ///< further from the input before it than input_timeout, by a clock that agrees
  base_missing,    ///< no state of the floating base has come
  base_old,        ///< the last one is older than input_timeout
  backend_failed,  ///< the backend could not compute
  effort_not_finite,  ///< what it computed is not finite
};
inline constexpr std::size_t refusal_count =
    static_cast<std::size_t>(Refusal::effort_not_finite) + 1;

/// For diagnostics: a short name, and a sentence that says what was expected and what to do.
struct RefusalText {
  const char* name;
  const char* reason;
};
const RefusalText& text_of(Refusal refusal);

}  // namespace rbd_parallel_ros
