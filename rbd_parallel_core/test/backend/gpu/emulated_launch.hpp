// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/gpu/kernels/launch.hpp"

/// Kernels on a CPU in the place of the device: one thread after the other, or by several workers
/// at once.
namespace rbd_parallel_core {

/// Which threads of a grid a worker, a thread of a CPU, plays. Teams of workers take turns with the
/// blocks, and the members of a team with the threads of a block.
struct EmulatedWorker {
  std::int32_t team = 0, teams = 1, member = 0, members = 1;
  void (*wait)(void* team) = nullptr;  ///< for the other members, or null: there are none
  void* wait_argument = nullptr;

  void wait_for_team() const {
    if (wait != nullptr) wait(wait_argument);
  }
};

/// What stands behind an entry on a CPU. `shared`: the shared memory of a block, one for each team.
using EmulatedEntry = void (*)(const LaunchShape& shape, const void* body, std::byte* shared,
                               const EmulatedWorker& worker);

namespace emulated_launch {

template <int phase, class Body>
void run_phases(const LaunchShape& shape, std::int64_t block, const Body& body, std::byte* shared,
                const EmulatedWorker& worker) {
  for (std::int32_t thread = worker.member; thread < shape.block; thread += worker.members) {
    body.template run<phase>(ThreadIndex{block, thread, shape.block}, shared);
  }
  if constexpr (phase + 1 < Body::phases) {
    worker.wait_for_team();
    run_phases<phase + 1>(shape, block, body, shared, worker);
  }
}

/// What a block shares is not clean at first, as on a device.
inline void spoil(const LaunchShape& shape, std::byte* shared, const EmulatedWorker& worker) {
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
              const EmulatedWorker& worker) {
  for (std::int64_t block = shape.grid - 1 - worker.team; block >= 0; block -= worker.teams) {
    spoil(shape, shared, worker);
    run_phases<0>(shape, block, *static_cast<const Body*>(body), shared, worker);
  }
}

}  // namespace emulated_launch

/// The kernel of a Body for a CPU.
template <class Body>
BodyEntry<Body> emulated_entry() {
  return {
      reinterpret_cast<void (*)()>(static_cast<EmulatedEntry>(emulated_launch::run_grid<Body>))};
}

}  // namespace rbd_parallel_core
