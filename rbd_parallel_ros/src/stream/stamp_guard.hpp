// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "refusal.hpp"

namespace rbd_parallel_ros {

/// Nanoseconds of the node's clock, which may be simulated, stand still or jump.
using RosNanoseconds = std::int64_t;
/// Nanoseconds of the steady clock.
using SteadyNanoseconds = std::int64_t;

struct Now {
  RosNanoseconds ros;
  SteadyNanoseconds steady;
};

/// Says which inputs are in time: each later than the one before it, none further than `timeout`
/// from the clock, nor further from the one before it than time has passed. Stamps that pass go
/// back only where the clock did, by more than `timeout`.
class StampGuard {
 public:
  explicit StampGuard(std::int64_t timeout) : timeout_(timeout) {}

  /// Looks at the next stamp; it counts as seen unless it is refused. After a jump of the clock the
  /// stamp that shows it is refused, and is where the next ones are counted from: a clock that
  /// jumps or runs backwards for good has no stamp that passes, however long it does so.
  Refusal check(RosNanoseconds stamp, const Now& now);

  /// Forgets what came before; the next stamp is compared with the clock only.
  void reset() { last_.reset(); }

 private:
  struct Seen {
    RosNanoseconds stamp;
    Now at;
  };
  std::int64_t timeout_;
  std::optional<Seen> last_;
};

}  // namespace rbd_parallel_ros
