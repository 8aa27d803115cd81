// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>

#include "kernel_table.hpp"

namespace rbd_parallel_core {

/// Cuts a batch into tiles and has them computed by several threads.
class Tiles {
 public:
  /// `threads` of them at most, the calling one included. `width`: tiles begin at multiples of it.
  /// `bodies`: of the robot, by which the work for a state is judged.
  Tiles(int threads, std::size_t width, std::size_t bodies)
      : arena_(threads), threads_(static_cast<std::size_t>(threads)) {
    // About 40 us of work for the kernels: enough to hide what handing out a tile costs, and its
    // rows stay in the nearest caches.
    tile_ = std::max<std::size_t>(4096 / std::max<std::size_t>(bodies, 1) / width, 1) * width;
    // The threads are made and all that the scheduler keeps is taken now, not in the first call.
    for (int k = 0; k < 8; ++k) run(tile_ * threads_ * 4, [](StateRange, std::size_t) {});
  }

  /// Too little work to wake another thread for.
  bool small(std::size_t batch) const noexcept { return batch <= tile_; }
  /// Tiles of a batch.
  std::size_t count(std::size_t batch) const noexcept { return (batch + tile_ - 1) / tile_; }

  /// Calls work(range, thread) for ranges that make up the batch; `thread` is below the number of
  /// threads, and no two calls at one time have the same.
  template <class Work>
  void run(std::size_t batch, const Work& work) {
    arena_.execute([&] {
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count(batch)), [&](const auto& tiles) {
        const auto thread = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
        work(StateRange{tiles.begin() * tile_, std::min(tiles.end() * tile_, batch)}, thread);
      });
    });
  }

 private:
  tbb::task_arena arena_;
  std::size_t threads_, tile_;
};

}  // namespace rbd_parallel_core
