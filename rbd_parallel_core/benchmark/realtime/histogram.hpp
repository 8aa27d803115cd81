// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace rbd_bench {

// Counts of durations. A bucket is at most 1/64 of its durations wide, so that a quantile is right
// to 1.6 %; smallest and largest are exact. All its memory is inside: counting allocates nothing.
class Histogram {
 public:
  static constexpr std::uint64_t kSteps = 64;  // Buckets for each doubling.
  static constexpr int kDoublings = 34;        // The last bucket begins near 2^40 ns, 18 minutes.
  static constexpr std::size_t kBuckets = kSteps * (kDoublings + 1);

  void add(std::int64_t nanoseconds) noexcept {
    const std::int64_t duration = std::max<std::int64_t>(nanoseconds, 0);
    ++counts_[bucket_of(static_cast<std::uint64_t>(duration))];
    ++count_;
    minimum_ = std::min(minimum_, duration);
    maximum_ = std::max(maximum_, duration);
  }

  std::uint64_t count() const { return count_; }
  std::uint64_t count_in(std::size_t bucket) const { return counts_[bucket]; }
  std::int64_t minimum() const { return count_ == 0 ? 0 : minimum_; }
  std::int64_t maximum() const { return maximum_; }

  // The smallest duration of a bucket.
  static std::int64_t lower_end(std::size_t bucket) {
    if (bucket < kSteps) return static_cast<std::int64_t>(bucket);
    const std::size_t shift = bucket / kSteps - 1;
    return static_cast<std::int64_t>((kSteps + bucket % kSteps) << shift);
  }

  // A duration that this share of all, 0 to 1, does not exceed: the largest that its bucket holds.
  std::int64_t quantile(double share) const {
    const auto rank = static_cast<std::uint64_t>(
        std::max(1.0, std::ceil(share * static_cast<double>(count_) - 1e-6)));
    std::uint64_t seen = 0;
    for (std::size_t k = 0; k + 1 < kBuckets; ++k) {
      seen += counts_[k];
      if (seen >= rank) return std::min(lower_end(k + 1) - 1, maximum_);
    }
    return maximum_;
  }

 private:
  static std::size_t bucket_of(std::uint64_t duration) {
    if (duration < kSteps) return static_cast<std::size_t>(duration);
    const int shift = std::countl_zero(kSteps) - std::countl_zero(duration);
    const std::size_t bucket = kSteps * static_cast<std::size_t>(shift) + (duration >> shift);
    return std::min(bucket, kBuckets - 1);
  }

  std::array<std::uint64_t, kBuckets> counts_{};
  std::uint64_t count_ = 0;
  std::int64_t minimum_ = std::numeric_limits<std::int64_t>::max(), maximum_ = 0;
};

}  // namespace rbd_bench
