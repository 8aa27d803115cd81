// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <stdexcept>
#include <thread>

namespace rbd_bench {
namespace {

constexpr double kNanosecondsPerSecond = 1e9;
constexpr int kLeastSamples = 5;
constexpr int kMostSamples = 200;
constexpr std::chrono::milliseconds kSettling{2};
constexpr double kLongPass = 10e-3;  // Seconds: what is in the caches before it does not matter.

// Collects the samples of every repetition; Google Benchmark itself prints nothing.
class Collector : public benchmark::BenchmarkReporter {
 public:
  explicit Collector(bool several_threads) : several_threads_(several_threads) {}

  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.error_occurred) throw std::runtime_error(run.error_message);
      if (run.run_type != Run::RT_Iteration) continue;
      const double time = several_threads_ ? run.real_accumulated_time : run.cpu_accumulated_time;
      samples_[run.run_name.function_name].push_back(time / static_cast<double>(run.iterations));
    }
  }

  const std::vector<double>& seconds(const std::string& name) const { return samples_.at(name); }

 private:
  bool several_threads_;
  std::map<std::string, std::vector<double>> samples_;
};

// Interleaving exists as a command-line flag only, not as a setting of a benchmark.
void switch_on_interleaving() {
  static const bool done = [] {
    std::array<char, 16> program{"rbd_bench"};
    std::array<char, 64> flag{"--benchmark_enable_random_interleaving=true"};
    std::array<char*, 3> arguments{program.data(), flag.data(), nullptr};
    int count = 2;
    benchmark::Initialize(&count, arguments.data());
    return true;
  }();
  static_cast<void>(done);
}

void register_contestant(const Contestant& contestant, double pass_seconds,
                         const Settings& settings, int samples) {
  const bool warm_up = pass_seconds < kLongPass;
  const auto body = [&contestant, settle = settings.several_threads,
                     warm_up](benchmark::State& state) {
    if (settle) std::this_thread::sleep_for(kSettling);
    if (warm_up) contestant.pass();  // Brings its code and data back into the caches.
    for (auto _ : state) contestant.pass();
  };
  auto* registered = benchmark::RegisterBenchmark(contestant.name.c_str(), body)
                         ->Repetitions(samples)
                         ->MinTime(settings.sample_seconds);
  if (settings.several_threads) registered->UseRealTime();
}

std::vector<double> pass_times(const std::vector<Contestant>& contestants) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds;
  for (const Contestant& contestant : contestants) {
    const auto start = Clock::now();
    contestant.pass();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  return seconds;
}

// How often everyone can be sampled in the time that a case may take.
int samples_for(const std::vector<double>& passes, const Settings& settings) {
  double round = 0.0;
  for (const double pass : passes) {
    round += std::max(settings.sample_seconds, pass) + (pass < kLongPass ? pass : 0.0);
    if (settings.several_threads) round += std::chrono::duration<double>(kSettling).count();
  }
  const double samples = settings.case_seconds / round;
  return static_cast<int>(std::clamp<double>(samples, kLeastSamples, kMostSamples));
}

double quantile(const std::vector<double>& sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double weight = position - static_cast<double>(below);
  return sorted[below] + weight * (sorted[above] - sorted[below]);
}

Timing summarise(std::vector<double> seconds, std::size_t states) {
  std::sort(seconds.begin(), seconds.end());
  const double scale = kNanosecondsPerSecond / static_cast<double>(states);
  return {.samples = seconds.size(),
          .median = scale * quantile(seconds, 0.5),
          .lower_quartile = scale * quantile(seconds, 0.25),
          .upper_quartile = scale * quantile(seconds, 0.75),
          .minimum = scale * seconds.front()};
}

}  // namespace

// Google Benchmark shuffles among everything that is registered. Registering one case at a time
// keeps the contestants of a case close together in time, which an honest ratio needs; the medians
// are taken here, from all samples.
std::vector<Timing> measure(const std::vector<Contestant>& contestants, const Settings& settings) {
  switch_on_interleaving();
  benchmark::ClearRegisteredBenchmarks();
  const std::vector<double> passes = pass_times(contestants);
  const int samples = samples_for(passes, settings);
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    register_contestant(contestants[i], passes[i], settings, samples);
  }

  Collector collector(settings.several_threads);
  benchmark::RunSpecifiedBenchmarks(&collector, ".");

  std::vector<Timing> timings;
  for (const Contestant& contestant : contestants) {
    timings.push_back(summarise(collector.seconds(contestant.name), contestant.states));
  }
  return timings;
}

}  // namespace rbd_bench
