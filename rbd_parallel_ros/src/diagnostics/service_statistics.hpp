// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "../stream/latency.hpp"

namespace rbd_parallel_ros {

/// What the services have done, counted by one thread and read by another.
struct ServiceStatistics {
  std::atomic<std::uint64_t> requests{0}, refused{0};
  std::atomic<std::uint64_t> states{0};  ///< in all batches
  std::atomic<std::uint64_t> largest_batch{0};
  LatencyHistogram latency;  ///< of computing an answer

  void count(std::uint64_t batch, bool was_refused, std::int64_t nanoseconds) noexcept {
    requests.fetch_add(1, std::memory_order_relaxed);
    if (was_refused) refused.fetch_add(1, std::memory_order_relaxed);
    states.fetch_add(batch, std::memory_order_relaxed);
    if (batch > largest_batch.load(std::memory_order_relaxed)) {
      largest_batch.store(batch, std::memory_order_relaxed);
    }
    latency.count(nanoseconds);
  }
};

}  // namespace rbd_parallel_ros
