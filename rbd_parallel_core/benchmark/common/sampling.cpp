// SPDX-License-Identifier: Apache-2.0
#include "common/sampling.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>
#include <thread>

#include "common/cpu_clock.hpp"

namespace rbd_bench {
namespace {

constexpr double kLongPass = 10e-3;  // Seconds: what is in the caches before it does not matter.

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Plan {
  int passes = 1;  // In one sample.
  bool warm_up = true;
  double seconds = 0.0;  // Of one sample with all that belongs to it.
};

// The first pass meets memory that nobody has touched; the second one is what the others are like.
Plan plan_for(const Runner& runner, const SampleSettings& settings) {
  runner.pass();
  const double start = wall_seconds();
  runner.pass();
  const double pass = std::max(wall_seconds() - start, 1e-9);
  Plan plan;
  plan.passes = std::max(1, static_cast<int>(std::ceil(settings.sample_seconds / pass)));
  plan.warm_up = settings.warm_up && pass < kLongPass;
  plan.seconds = pass * (plan.passes + (plan.warm_up ? 1 : 0)) + settings.settling_seconds;
  return plan;
}

void take_sample(const Runner& runner, const Plan& plan, double settling, Samples& samples) {
  if (settling > 0) std::this_thread::sleep_for(std::chrono::duration<double>(settling));
  if (plan.warm_up) runner.pass();
  const double cpu = cpu_nanoseconds(), wall = wall_seconds();
  for (int k = 0; k < plan.passes; ++k) runner.pass();
  samples.wall_ns.push_back((wall_seconds() - wall) * 1e9 / plan.passes);
  samples.cpu_ns.push_back((cpu_nanoseconds() - cpu) / plan.passes);
}

}  // namespace

std::vector<Samples> sample(const std::vector<Runner>& runners, const SampleSettings& settings) {
  std::vector<Plan> plans;
  double round = 0.0;
  for (const Runner& runner : runners) {
    plans.push_back(plan_for(runner, settings));
    round += plans.back().seconds;
  }
  const auto rounds = static_cast<int>(std::clamp<double>(
      settings.case_seconds / round, settings.least_rounds, settings.most_rounds));
  std::vector<Samples> all(runners.size());
  std::vector<std::size_t> order(runners.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 generator(1);
  for (int k = 0; k < rounds; ++k) {
    std::shuffle(order.begin(), order.end(), generator);
    for (const std::size_t i : order) {
      take_sample(runners[i], plans[i], settings.settling_seconds, all[i]);
    }
  }
  return all;
}

double quantile(const std::vector<double>& sorted, double share) {
  const double position = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double weight = position - static_cast<double>(below);
  return sorted[below] + weight * (sorted[above] - sorted[below]);
}

}  // namespace rbd_bench
