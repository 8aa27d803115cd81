// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/vtree/threaded_loop.hpp"

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>

#include "../float_mode.hpp"

namespace rbd_parallel_core {

struct ThreadedLoop::Threads {
  explicit Threads(int threads) : count(threads), arena(threads) {}
  int count;
  tbb::task_arena arena;
};

ThreadedLoop::ThreadedLoop(int threads) {
  if (threads < 1) {
    throw std::invalid_argument("ThreadedLoop: threads is " + std::to_string(threads) +
                                "; give 1 or more");
  }
  threads = std::min(threads, tbb::info::default_concurrency());
  threads_ = std::make_shared<Threads>(threads);
  if (threads == 1) return;
  // The threads are made and the scheduler's memory is taken now, not in the first loop.
  for (int k = 0; k < 8; ++k)
    run(
        4 * threads, [](const void*, std::int32_t) {}, nullptr);
}

void ThreadedLoop::run(std::int32_t count, Round round, const void* body) const {
  // As many tasks as threads, whatever the count: each takes the next round until none is left.
  // That balances uneven rounds, and the scheduler never needs more memory than at first.
  std::atomic<std::int32_t> next{0};
  const FloatMode mode = FloatMode::of_this_thread();
  const auto take_rounds = [&](int) {
    const FloatModeScope as_the_caller(mode);
    for (;;) {
      const std::int32_t k = next.fetch_add(1, std::memory_order_relaxed);
      if (k >= count) return;
      round(body, k);
    }
  };
  if (threads_->count == 1) {
    take_rounds(0);
    return;
  }
  threads_->arena.execute(
      [&] { tbb::parallel_for(0, threads_->count, take_rounds, tbb::simple_partitioner{}); });
}

}  // namespace rbd_parallel_core
