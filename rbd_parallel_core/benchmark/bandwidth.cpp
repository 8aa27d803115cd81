// SPDX-License-Identifier: Apache-2.0
#include "bandwidth.hpp"

#include <algorithm>
#include <cstdint>

#include "aligned.hpp"
#include "common/cpu_clock.hpp"

namespace rbd_bench {
namespace {

constexpr std::size_t kBytesOfATry = std::size_t{16} << 20;
constexpr int kTries = 20;

// Integers, whose sum the compiler may put into SIMD registers.
using Array = AlignedVector<std::uint64_t>;

// The compiler must take the array for read and written here.
void touch(Array& array) { asm volatile("" : : "r"(array.data()) : "memory"); }

template <class Body>
double bytes_per_ns(std::size_t array_bytes, Body&& body) {
  const std::size_t rounds = std::max<std::size_t>(kBytesOfATry / array_bytes, 1);
  double best = 0.0;
  for (int i = 0; i < kTries; ++i) {
    const double start = cpu_nanoseconds();
    for (std::size_t k = 0; k < rounds; ++k) body(k);
    const double elapsed = cpu_nanoseconds() - start;
    best = std::max(best, static_cast<double>(rounds * array_bytes) / elapsed);
  }
  return best;
}

Bandwidth measure_bandwidth(std::size_t array_bytes) {
  Array array(array_bytes / sizeof(Array::value_type), 1);
  volatile std::uint64_t kept = 0;
  const double write = bytes_per_ns(array_bytes, [&](std::size_t k) {
    std::fill(array.begin(), array.end(), k);
    touch(array);
  });
  const double read = bytes_per_ns(array_bytes, [&](std::size_t) {
    std::uint64_t sum = 0;
    for (const std::uint64_t x : array) sum += x;
    kept = sum;
    touch(array);
  });
  return {array_bytes, read, write};
}

}  // namespace

std::vector<Bandwidth> measure_bandwidths() {
  constexpr std::size_t kKilobyte = 1024, kMegabyte = 1024 * kKilobyte;
  std::vector<Bandwidth> result;
  for (const std::size_t bytes :
       {16 * kKilobyte, 512 * kKilobyte, 8 * kMegabyte, 256 * kMegabyte}) {
    result.push_back(measure_bandwidth(bytes));
  }
  return result;
}

}  // namespace rbd_bench
