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
/// in the shared memory. So the same body runs on a device (cuda_entry.cuh) and, in tests, on a
/// CPU: with the same grid, the same indices and the same buffers.
namespace rbd_parallel_core {

/// Where a thread is in its grid.
struct ThreadIndex {
  std::int64_t block;
  std::int32_t thread;      ///< within the block
  std::int32_t block_size;  ///< threads of a block

  RBD_INLINE std::int64_t global() const { return block * block_size + thread; }
};

/// A number that several threads of a launch write, all of them the same one, and none reads. The
/// threads of a CPU must say so; those of a device store it as one anyway.
template <class T>
RBD_INLINE void store_same(T* to, T value) {
#ifdef __CUDA_ARCH__
  *to = value;
#else
  __atomic_store(to, &value, __ATOMIC_RELAXED);
#endif
}

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

}  // namespace rbd_parallel_core
