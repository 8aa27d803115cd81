// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace rbd_bench {

// Someone who can do the job: `pass` evaluates `states` states once.
struct Contestant {
  std::string name;
  std::function<void()> pass;
  std::size_t states = 1;
};

struct Settings {
  double case_seconds = 2.5;     // For all contestants of a case together, about.
  double sample_seconds = 1e-3;  // For one sample, unless one pass takes longer.
  // One thread is timed by its own CPU time, in which other programs of a busy machine do not show.
  // Several are timed by the clock on the wall, after a pause in which threads of others settle.
  bool several_threads = false;
};

// Time per evaluated state, in nanoseconds, over all samples.
struct Timing {
  std::size_t samples = 0;
  double median = 0.0;
  double lower_quartile = 0.0;
  double upper_quartile = 0.0;
  double minimum = 0.0;
};

// Measures all contestants of one case against each other: each is sampled equally often, and the
// samples of all of them are shuffled, so that a slow phase of the machine hits everyone alike.
// Returns one Timing per contestant, in their order.
std::vector<Timing> measure(const std::vector<Contestant>& contestants, const Settings& settings);

}  // namespace rbd_bench
