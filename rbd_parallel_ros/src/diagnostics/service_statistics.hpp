// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "../stream/latency.hpp"

namespace rbd_parallel_ros {

/// What the services have done, counted by one thread and read by another.
class ServiceStatistics {
 public:
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> refused{0}, failed{0};  ///< with no answer; with states that failed
  std::atomic<std::uint64_t> states{0};              ///< in all batches
  std::atomic<std::uint64_t> largest_batch{0};
  LatencyHistogram latency;  ///< of computing an answer

  /// One answer: of `batch` states, none where it was refused, and what the client was told.
  void count(std::uint64_t batch, const std::string& error, std::int64_t nanoseconds) {
    requests.fetch_add(1, std::memory_order_relaxed);
    if (!error.empty()) {
      const std::lock_guard lock(error_mutex_);
      last_error_ = error;
      // Behind the reason: who sees the count must be able to tell it.
      (batch == 0 ? refused : failed).fetch_add(1, std::memory_order_release);
    }
    states.fetch_add(batch, std::memory_order_relaxed);
    if (batch > largest_batch.load(std::memory_order_relaxed)) {
      largest_batch.store(batch, std::memory_order_relaxed);
    }
    latency.count(nanoseconds);
  }

  std::string last_error() const {
    const std::lock_guard lock(error_mutex_);
    return last_error_;
  }

 private:
  mutable std::mutex error_mutex_;
  std::string last_error_;
};

}  // namespace rbd_parallel_ros
