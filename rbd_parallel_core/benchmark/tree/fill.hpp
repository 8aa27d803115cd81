// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>

namespace rbd_bench {

// Writes to an array and does nothing else, by several threads: what nobody who writes as much can
// be faster than.
class Filler {
 public:
  enum class Way {
    store,  // One number after the other.
    set,    // memset, which goes past the caches where the C library thinks that right.
  };

  Filler(Way way, int threads)
      : way_(way), threads_(threads), arena_(std::make_unique<tbb::task_arena>(threads)) {}

  void operator()(std::span<double> numbers) const {
    if (threads_ == 1) return fill(numbers);
    const auto count = static_cast<std::size_t>(threads_), n = numbers.size();
    arena_->execute([&] {
      tbb::parallel_for(
          std::size_t{0}, count,
          [&](std::size_t k) {
            const std::size_t first = n * k / count, last = n * (k + 1) / count;
            fill(numbers.subspan(first, last - first));
          },
          tbb::static_partitioner{});
    });
  }

 private:
  void fill(std::span<double> numbers) const {
    if (way_ == Way::store) {
      std::fill(numbers.begin(), numbers.end(), 1.0);
    } else {
      std::memset(numbers.data(), 1, numbers.size_bytes());
    }
  }

  Way way_;
  int threads_;
  std::unique_ptr<tbb::task_arena> arena_;
};

}  // namespace rbd_bench
