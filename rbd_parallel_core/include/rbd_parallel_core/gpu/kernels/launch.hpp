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
/// the other or by several workers at once, on a CPU (host_entry): with the same grid, the same
/// indices and the same buffers.
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

/// Which threads of a grid a worker, a thread of a CPU, plays. Teams of workers take turns with the
/// blocks, and the members of a team with the threads of a block.
struct HostWorker {
  std::int32_t team = 0, teams = 1, member = 0, members = 1;
  void (*wait)(void* team) = nullptr;  ///< for the other members, or null: there are none
  void* wait_argument = nullptr;

  void wait_for_team() const {
    if (wait != nullptr) wait(wait_argument);
  }
};

/// What stands behind an entry on a CPU. `shared`: the shared memory of a block, one for each team.
using HostEntry = void (*)(const LaunchShape& shape, const void* body, std::byte* shared,
                           const HostWorker& worker);

namespace host_launch {

template <int phase, class Body>
void run_phases(const LaunchShape& shape, std::int64_t block, const Body& body, std::byte* shared,
                const HostWorker& worker) {
  for (std::int32_t thread = worker.member; thread < shape.block; thread += worker.members) {
    body.template run<phase>(ThreadIndex{block, thread, shape.block}, shared);
  }
  if constexpr (phase + 1 < Body::phases) {
    worker.wait_for_team();
    run_phases<phase + 1>(shape, block, body, shared, worker);
  }
}

/// What a block shares is not clean at first, as on a device.
inline void spoil(const LaunchShape& shape, std::byte* shared, const HostWorker& worker) {
  if (shape.shared_bytes == 0) return;
  worker.wait_for_team();  // which has done with the last block
  if (worker.member == 0) {
    for (std::size_t k = 0; k < shape.shared_bytes; ++k) shared[k] = std::byte{0xff};
  }
  worker.wait_for_team();
}

/// The blocks come from the last to the first: nothing may rely on an order of theirs.
template <class Body>
void run_grid(const LaunchShape& shape, const void* body, std::byte* shared,
              const HostWorker& worker) {
  for (std::int64_t block = shape.grid - 1 - worker.team; block >= 0; block -= worker.teams) {
    spoil(shape, shared, worker);
    run_phases<0>(shape, block, *static_cast<const Body*>(body), shared, worker);
  }
}

}  // namespace host_launch

/// The kernel of a Body for a CPU.
template <class Body>
BodyEntry<Body> host_entry() {
  return {reinterpret_cast<void (*)()>(static_cast<HostEntry>(host_launch::run_grid<Body>))};
}

}  // namespace rbd_parallel_core
