// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "rbd_parallel_core/spin.hpp"

namespace rbd_parallel_core {

/// A loop whose rounds are shared out to several threads, to build executors with (executor.hpp).
/// Copies share one set of threads.
class ThreadedLoop {
 public:
  /// At most `threads` threads, the calling one included, and no more than the machine runs at a
  /// time; throws std::invalid_argument below 1. `spin`: how long they stay awake after a loop
  /// (BackendOptions::spin_us). All memory is taken here, so that loops do not allocate.
  explicit ThreadedLoop(
      int threads, std::chrono::microseconds spin = std::chrono::microseconds(default_spin_us));

  /// f(k) for 0 <= k < count, each once, in any order. f must not throw. It computes in the
  /// floating point mode of the calling thread, whichever thread runs it.
  template <class F>
  void operator()(std::int32_t count, const F& f) const {
    if (count > 1) {
      run(
          count, [](const void* body, std::int32_t k) { (*static_cast<const F*>(body))(k); }, &f);
    } else if (count == 1) {
      f(0);  // not worth waking a thread for
    }
  }

 private:
  using Round = void (*)(const void* body, std::int32_t k);
  void run(std::int32_t count, Round round, const void* body) const;

  struct Threads;
  std::shared_ptr<Threads> threads_;
};

}  // namespace rbd_parallel_core
