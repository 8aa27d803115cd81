// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "rbd_parallel_core/spatial/scalar.hpp"

/// How a kernel is written here: its body is a struct whose members are the arguments and whose
/// `run` is what one thread does,
///
///   struct Body {
///     static constexpr int phases = 1;
///     template <int phase>
///     RBD_HD void run(const ThreadIndex& at, std::byte* shared) const;
///   };
///
/// Between two phases all threads of a block wait for each other; what a thread must remember lies
/// in the shared memory. So the same body runs on a device (device_entry.cuh) and, one thread after
/// the other, on a CPU (host_entry): with the same grid, the same indices and the same buffers.
namespace rbd_parallel_core {

/// Where a thread is in its grid.
struct ThreadIndex {
  std::int64_t block;
  std::int32_t thread;      ///< within the block
  std::int32_t block_size;  ///< threads of a block

  RBD_INLINE std::int64_t global() const { return block * block_size + thread; }
};

/// How many threads a launch has, and what a block of them shares.
struct LaunchShape {
  std::int64_t grid;         ///< blocks
  std::int32_t block;        ///< threads of a block
  std::size_t shared_bytes;  ///< of a block
};

/// The most that a block may share on every device, without being asked for.
inline constexpr std::size_t most_shared_bytes = 48 * 1024;

/// Every thread may use as many registers as there are (255) in blocks of this size.
inline constexpr std::int32_t largest_block = 256;

/// A grid with at least one thread for each of `count` items.
inline LaunchShape one_thread_each(std::int64_t count, std::int32_t block,
                                   std::size_t shared_bytes = 0) {
  return {(count + block - 1) / block, block, shared_bytes};
}

/// A kernel made of a Body, ready to be launched by a GpuApi.
template <class Body>
struct BodyEntry {
  void (*function)() = nullptr;
};

/// What stands behind an entry on a CPU. `shared`: a block's shared memory.
using HostEntry = void (*)(const LaunchShape& shape, const void* body, std::byte* shared);

namespace host_launch {

template <int phase, class Body>
void run_phases(const LaunchShape& shape, std::int64_t block, const Body& body, std::byte* shared) {
  for (std::int32_t thread = 0; thread < shape.block; ++thread) {
    body.template run<phase>(ThreadIndex{block, thread, shape.block}, shared);
  }
  if constexpr (phase + 1 < Body::phases) run_phases<phase + 1>(shape, block, body, shared);
}

/// The blocks come from the last to the first: nothing may rely on an order of theirs. What a block
/// shares is not clean at first, as on a device.
template <class Body>
void run_grid(const LaunchShape& shape, const void* body, std::byte* shared) {
  for (std::int64_t block = shape.grid - 1; block >= 0; --block) {
    for (std::size_t k = 0; k < shape.shared_bytes; ++k) shared[k] = std::byte{0xff};
    run_phases<0>(shape, block, *static_cast<const Body*>(body), shared);
  }
}

}  // namespace host_launch

/// The kernel of a Body for a CPU.
template <class Body>
BodyEntry<Body> host_entry() {
  return {reinterpret_cast<void (*)()>(static_cast<HostEntry>(host_launch::run_grid<Body>))};
}

}  // namespace rbd_parallel_core
