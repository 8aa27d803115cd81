// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "../../team.hpp"
#include "kernel_table.hpp"

namespace rbd_parallel_core {

/// Cuts a batch into tiles and has them computed by several threads, as far as that pays: by the
/// time that one thread is predicted to take for the batch, so the same call is always cut alike.
class Tiles {
 public:
  /// `threads` of them at most, the calling one included. `width`: tiles begin at multiples of it.
  /// `spin`: how long a thread stays awake after a call.
  Tiles(int threads, std::size_t width, std::chrono::microseconds spin)
      : team_(threads, spin), width_(width) {}

  bool asleep() const noexcept { return team_.asleep(); }

  /// A batch as it is shared out.
  struct Cut {
    int threads;        ///< 1: the calling one alone
    std::size_t count;  ///< of the tiles
    std::size_t tile;   ///< states
  };
  /// `us`: what one thread is predicted to take, in microseconds.
  Cut cut(std::size_t batch, double us) const noexcept {
    const std::size_t packs = (batch + width_ - 1) / width_;
    const double most = std::min(us / least_share_us, static_cast<double>(packs));
    const int threads = static_cast<int>(std::min(most, static_cast<double>(team_.threads())));
    if (threads < 2) return {1, 1, batch};
    // As many for each thread, so that none waits for the last tile.
    const double tile_us =
        std::clamp(us / (threads * tiles_of_thread), least_tile_us, largest_tile_us);
    const auto rounds = std::max<std::size_t>(
        static_cast<std::size_t>(us / tile_us) / static_cast<std::size_t>(threads), 1);
    const std::size_t tiles = rounds * static_cast<std::size_t>(threads);
    const std::size_t tile = (packs + tiles - 1) / tiles * width_;
    return {threads, (batch + tile - 1) / tile, tile};
  }

  /// Calls work(range, thread) for ranges that make up the batch; `thread` is below the number of
  /// threads, and no two calls at one time have the same.
  template <class Work>
  void run(std::size_t batch, double us, const Work& work) noexcept {
    if (us < 2 * least_share_us || !team_.worth_calling(us)) {
      work(StateRange{0, batch}, std::size_t{0});
      return;
    }
    const Cut cut = this->cut(batch, us);
    team_.phase(static_cast<std::int32_t>(cut.count), cut.threads, [&](std::int32_t k, int thread) {
      const std::size_t begin = static_cast<std::size_t>(k) * cut.tile;
      work(StateRange{begin, std::min(begin + cut.tile, batch)}, static_cast<std::size_t>(thread));
    });
  }

 private:
  /// A thread is called for so much work at least: a worker that is awake comes within a
  /// microsecond, and then its caches lack what it reads.
  static constexpr double least_share_us = 8;
  /// A tile is long enough to hide what taking it costs, 0.1 us, and short enough that its rows
  /// stay in the nearest caches.
  static constexpr double least_tile_us = 4, largest_tile_us = 40;
  static constexpr double tiles_of_thread = 16;

  Team team_;
  std::size_t width_;
};

}  // namespace rbd_parallel_core
