// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "rbd_parallel_core/vtree/threaded_loop.hpp"

namespace rbd_bench {

// Writes to an array and does nothing else, by several threads: what nobody who writes as much can
// be faster than.
class Filler {
 public:
  enum class Way {
    store,  // One number after the other.
    set,    // memset, which goes past the caches where the C library thinks that right.
  };

  Filler(Way way, int threads) : way_(way), threads_(threads), loop_(threads) {}

  void operator()(std::span<double> numbers) const {
    if (threads_ == 1) return fill(numbers);
    const auto count = static_cast<std::size_t>(threads_), n = numbers.size();
    loop_(threads_, [&](std::int32_t part) {
      const auto k = static_cast<std::size_t>(part);
      const std::size_t first = n * k / count, last = n * (k + 1) / count;
      fill(numbers.subspan(first, last - first));
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
  rbd_parallel_core::ThreadedLoop loop_;
};

}  // namespace rbd_bench
