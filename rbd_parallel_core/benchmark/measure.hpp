// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace rbd_bench {

// Someone who can do the job: `pass` evaluates every prepared state once.
struct Contestant {
  std::string name;
  std::function<void()> pass;
};

struct Settings {
  int rounds = 200;
  double sample_seconds = 1.5e-3;
};

// Time per evaluated state, in nanoseconds, over all rounds.
struct Timing {
  std::string name;
  double median = 0.0;
  double lower_quartile = 0.0;
  double upper_quartile = 0.0;
  double minimum = 0.0;
};

// Measures all contestants of one case against each other: each is sampled `rounds` times, and the
// samples of all of them are shuffled, so that a slow phase of the machine hits everyone alike.
// Returns one Timing per contestant, in their order.
std::vector<Timing> measure(const std::vector<Contestant>& contestants, std::size_t states_per_pass,
                            const Settings& settings);

}  // namespace rbd_bench
