// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include <algorithm>

#include "common/sampling.hpp"

namespace rbd_bench {
namespace {

Timing summarise(std::vector<double> nanoseconds, std::size_t states) {
  std::sort(nanoseconds.begin(), nanoseconds.end());
  const double scale = 1 / static_cast<double>(states);
  return {.samples = nanoseconds.size(),
          .median = scale * quantile(nanoseconds, 0.5),
          .lower_quartile = scale * quantile(nanoseconds, 0.25),
          .upper_quartile = scale * quantile(nanoseconds, 0.75),
          .minimum = scale * nanoseconds.front()};
}

}  // namespace

std::vector<Timing> measure(const std::vector<Contestant>& contestants, const Settings& settings) {
  std::vector<Runner> runners;
  for (const Contestant& c : contestants) runners.push_back({c.name, 1, c.pass, 0.0});
  const std::vector<Samples> samples =
      sample(runners, {.case_seconds = settings.case_seconds,
                       .sample_seconds = settings.sample_seconds,
                       .settling_seconds = settings.several_threads ? 2e-3 : 0.0,
                       .most_rounds = 200});
  std::vector<Timing> timings;
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    timings.push_back(summarise(settings.several_threads ? samples[i].wall_ns : samples[i].cpu_ns,
                                contestants[i].states));
  }
  return timings;
}

}  // namespace rbd_bench
