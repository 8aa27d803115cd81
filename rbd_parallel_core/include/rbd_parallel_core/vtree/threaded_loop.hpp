// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

namespace rbd_parallel_core {

/// A loop whose rounds are shared out to several threads, to build executors with (executor.hpp).
/// The threads are oneTBB's, which this header does not show. Copies share one set of them.
class ThreadedLoop {
 public:
  /// At most `threads` threads, the calling one included, and no more than the machine runs at a
  /// time; throws std::invalid_argument below 1. All that the scheduler needs is taken here, so
  /// that loops do not allocate.
  explicit ThreadedLoop(int threads);

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
