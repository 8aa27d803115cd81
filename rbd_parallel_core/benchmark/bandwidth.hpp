// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace rbd_bench {

// What one thread reads and writes, in bytes per nanosecond, of an array of that size again and
// again: from the nearest cache that it fits into, or from memory.
struct Bandwidth {
  std::size_t array_bytes = 0;
  double read = 0.0;
  double write = 0.0;
};

// The best of several tries, for arrays from the size of a first cache to one that no cache holds.
std::vector<Bandwidth> measure_bandwidths();

}  // namespace rbd_bench
