// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

namespace rbd_parallel_bench {

/// One call of a service: seconds from sending the request to having the response. Throws where
/// there is none, or a wrong one.
using RoundTrip = std::function<double()>;

/// The same request to both.
struct Duel {
  RoundTrip node, echo;
};

/// Of many round trips, in seconds.
struct Timing {
  double median = 0, lower_quartile = 0, upper_quartile = 0, percentile_99 = 0, minimum = 0;
};

struct DuelResult {
  Timing node, echo;

  double ratio() const { return node.median / echo.median; }
};

/// Calls both in every round, in random order, so that a slow phase of the machine and the traces
/// that the other leaves in the caches hit both alike. `after_round` is told how many are done.
DuelResult measure(const Duel& duel, int rounds, const std::function<void(int)>& after_round);

}  // namespace rbd_parallel_bench
