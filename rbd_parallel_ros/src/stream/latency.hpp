// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <string>

namespace rbd_parallel_ros {

/// Durations counted in buckets of 1/8 octave: a percentile is right within 9 %. One thread counts
/// without waiting, any other reads.
class LatencyHistogram {
 public:
  static constexpr std::size_t steps = 8;  ///< buckets in an octave
  static constexpr std::size_t size = 64 * steps;

  void count(std::int64_t nanoseconds) noexcept {
    const auto duration = static_cast<std::uint64_t>(nanoseconds < 1 ? 1 : nanoseconds);
    counts_[bucket_of(duration)].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(duration, std::memory_order_relaxed);
    if (duration > max_.load(std::memory_order_relaxed)) {
      max_.store(duration, std::memory_order_relaxed);
    }
  }

  struct Summary {
    std::uint64_t count = 0;
    double mean = 0, p50 = 0, p99 = 0, max = 0;  ///< s
  };
  /// What was counted until some moment.
  struct Snapshot {
    std::array<std::uint64_t, size> counts{};
    std::uint64_t sum = 0;
  };
  Snapshot snapshot() const;
  /// Of what was counted after `before` and until `now`; `max` within a bucket, too.
  static Summary between(const Snapshot& before, const Snapshot& now);
  /// Of all that was counted.
  Summary summary() const;
  /// For people: "1024: 7, 2048: 31", the counts of octaves with their ends in ns.
  std::string octaves() const;

 private:
  static std::size_t bucket_of(std::uint64_t duration) noexcept {
    const auto octave = static_cast<std::size_t>(std::bit_width(duration) - 1);
    const std::uint64_t fraction =
        octave >= 3 ? (duration >> (octave - 3)) & 7 : (duration << (3 - octave)) & 7;
    return octave * steps + static_cast<std::size_t>(fraction);
  }
  /// Where a bucket ends, ns.
  static double end_of(std::size_t bucket);

  std::array<std::atomic<std::uint64_t>, size> counts_{};
  std::atomic<std::uint64_t> sum_{0}, max_{0};
};

}  // namespace rbd_parallel_ros
