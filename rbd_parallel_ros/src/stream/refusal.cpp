// SPDX-License-Identifier: Apache-2.0
#include "refusal.hpp"

namespace rbd_parallel_ros {

const RefusalText& text_of(Refusal refusal) {
  static constexpr std::array<RefusalText, refusal_count> texts{{
      {"none", ""},
      {"other_joints", "no joint of the model is named"},
      {"not_finite", "a position or velocity is NaN or infinite"},
      {"wrong_size", "name, position and velocity have different sizes"},
      {"missing_joint",
       "a joint of the model is missing; publish all of them in one message, or name those that "
       "move by the parameter joints"},
      {"unknown_joint", "a joint is named that the model does not have, or that mimics another"},
      {"duplicate_joint", "a joint is named twice"},
      {"not_a_rotation", "the quaternion has not length 1"},
      {"missing_velocity",
       "there are no velocities; publish them, or set missing_velocity to zero if that is safe"},
      {"stamp_missing", "the stamp is zero or no time; the publisher must set it"},
      {"stamp_old",
       "the stamp is older than input_timeout; compare the clocks and use_sim_time of both sides"},
      {"stamp_ahead",
       "the stamp is ahead of the node's clock by more than input_timeout; compare the clocks and "
       "use_sim_time of both sides"},
      {"stamp_backwards", "the stamp is not later than that of the message before"},
      {"clock_jumped",
       "the clock jumped by more than input_timeout; stamps are counted from this one on"},
      {"base_missing", "the base floats, and no base_state has come that can be used"},
      {"base_old", "the last base_state is older than input_timeout"},
      {"backend_failed", "the backend could not compute"},
      {"effort_not_finite", "the effort is not finite: position or velocity is out of all range"},
  }};
  return texts[static_cast<std::size_t>(refusal)];
}

}  // namespace rbd_parallel_ros
