// SPDX-License-Identifier: Apache-2.0
#include "latency.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rbd_parallel_ros {

double LatencyHistogram::end_of(std::size_t bucket) {
  const auto octave = static_cast<double>(bucket / steps);
  return std::exp2(octave) * (1 + static_cast<double>(bucket % steps + 1) / steps);
}

LatencyHistogram::Snapshot LatencyHistogram::snapshot() const {
  Snapshot out;
  for (std::size_t i = 0; i < size; ++i) out.counts[i] = counts_[i].load(std::memory_order_relaxed);
  out.sum = sum_.load(std::memory_order_relaxed);
  return out;
}

LatencyHistogram::Summary LatencyHistogram::between(const Snapshot& before, const Snapshot& now) {
  constexpr double second = 1e-9;
  Summary out;
  std::array<std::uint64_t, size> counts;
  for (std::size_t i = 0; i < size; ++i) {
    counts[i] = now.counts[i] - before.counts[i];
    out.count += counts[i];
    if (counts[i] > 0) out.max = second * end_of(i);
  }
  if (out.count == 0) return out;
  const auto total = static_cast<double>(out.count);
  const auto percentile = [&](double share) {
    double seen = 0;
    for (std::size_t i = 0; i < size; ++i) {
      seen += static_cast<double>(counts[i]);
      if (seen >= share * total) return second * end_of(i);
    }
    return out.max;
  };
  out.mean = second * static_cast<double>(now.sum - before.sum) / total;
  out.p50 = percentile(0.5);
  out.p99 = percentile(0.99);
  return out;
}

LatencyHistogram::Summary LatencyHistogram::summary() const {
  Summary out = between({}, snapshot());
  if (out.count == 0) return out;
  out.max = 1e-9 * static_cast<double>(max_.load(std::memory_order_relaxed));
  out.p50 = std::min(out.p50, out.max);
  out.p99 = std::min(out.p99, out.max);
  return out;
}

std::string LatencyHistogram::octaves() const {
  const Snapshot all = snapshot();
  std::string out;
  for (std::size_t octave = 0; octave < size / steps; ++octave) {
    const auto first = all.counts.begin() + static_cast<std::ptrdiff_t>(octave * steps);
    const std::uint64_t count = std::accumulate(first, first + steps, std::uint64_t{0});
    if (count == 0) continue;
    const double end = end_of(octave * steps + steps - 1);
    if (!out.empty()) out += ", ";
    out += std::to_string(std::llround(end)) + ": " + std::to_string(count);
  }
  return out;
}

}  // namespace rbd_parallel_ros
