// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/vtree/threaded_loop.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>

#include "../team.hpp"

namespace rbd_parallel_core {

struct ThreadedLoop::Threads {
  Threads(int threads, std::chrono::microseconds spin) : team(threads, spin) {}
  Team team;
  std::atomic<bool> taken{false};
};

ThreadedLoop::ThreadedLoop(int threads, std::chrono::microseconds spin) {
  if (threads < 1) {
    throw std::invalid_argument("ThreadedLoop: threads is " + std::to_string(threads) +
                                "; give 1 or more");
  }
  threads_ = std::make_shared<Threads>(std::min(threads, usable_cores()), spin);
}

void ThreadedLoop::run(std::int32_t count, Round round, const void* body) const {
  // A loop within a loop, or in another thread at the same time, is left to its own thread.
  if (threads_->taken.exchange(true, std::memory_order_acquire)) {
    for (std::int32_t k = 0; k < count; ++k) round(body, k);
    return;
  }
  threads_->team.phase(count, [&](std::int32_t k, int) { round(body, k); });
  threads_->taken.store(false, std::memory_order_release);
}

}  // namespace rbd_parallel_core
