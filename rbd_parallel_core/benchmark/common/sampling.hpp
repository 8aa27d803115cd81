// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace rbd_bench {

// Someone who can do the job: a pass does it once.
struct Runner {
  std::string name;
  int threads = 1;
  std::function<void()> pass;
  double disagreement = 0.0;  // Of its result, with that of the first one of its case.
};

struct SampleSettings {
  double case_seconds = 2.0;       // For all runners of a case together, about.
  double sample_seconds = 2e-3;    // For one sample, unless one pass takes longer.
  double settling_seconds = 1e-3;  // Before each sample, for threads of those who came before.
  bool warm_up = true;  // Before each sample one pass brings code and data back into the caches.
  int least_rounds = 5, most_rounds = 101;
};

// Nanoseconds of a pass, one number for each round: by the clock, and of the calling thread alone,
// in which other programs of a busy machine do not show.
struct Samples {
  std::vector<double> wall_ns, cpu_ns;
};

// In every round each runner is sampled once, in random order, so that numbers of the same round
// can be divided by each other: a slow phase of the machine hits both.
std::vector<Samples> sample(const std::vector<Runner>& runners, const SampleSettings& settings);

// The number below which that share of the sorted ones lies, between two of them in proportion.
double quantile(const std::vector<double>& sorted, double share);

}  // namespace rbd_bench
