// SPDX-License-Identifier: Apache-2.0
//
// The kernels of the backend "cuda" by threads that run at the same time. Law: no thread of a
// launch reads or writes what another one writes, unless all threads of a block have waited for
// each other in between. Built a second time with ThreadSanitizer, which must find nothing, except
// in the kernels that are racy on purpose. Here the bits must be those of one thread after the
// other.

#include "crowded_gpu.hpp"
#include "gpu_same_bits.hpp"

namespace rbd_parallel_core::conformance {
namespace {

TEST(GpuRaces, StatesInParallel) {
  for (const GpuUse& use : gpu_uses_of_states()) expect_the_same_bits(CrowdedGpu::api(), use);
}

TEST(GpuRaces, BodiesInParallelByBlocks) {
  for (const GpuUse& use : gpu_uses_of_blocks()) expect_the_same_bits(CrowdedGpu::api(), use);
}

TEST(GpuRaces, BodiesInParallelByScans) {
  for (const GpuUse& use : gpu_uses_of_scans()) expect_the_same_bits(CrowdedGpu::api(), use);
}

// ---- kernels that ThreadSanitizer must catch ----------------------------------------------------

/// Every thread reads what its neighbour has written, before all have written it.
struct ReadsTooEarly {
  static constexpr int phases = 2;
  std::int32_t* sum;

  template <int phase>
  void run(const ThreadIndex& at, std::byte* shared) const {
    auto* const numbers = reinterpret_cast<std::int32_t*>(shared);
    if constexpr (phase == 0) {
      numbers[at.thread] = at.thread;
      sum[at.global()] = numbers[(at.thread + 1) % at.block_size];
    }
  }
};

/// Every block writes a number of its neighbour's, too.
struct WritesToTheNextBlock {
  static constexpr int phases = 1;
  std::int32_t* numbers;

  template <int>
  void run(const ThreadIndex& at, std::byte*) const {
    numbers[at.block] = static_cast<std::int32_t>(at.block);
    numbers[at.block + 1] = static_cast<std::int32_t>(at.block);
  }
};

/// What ReadsTooEarly should have been.
struct WaitsBeforeItReads {
  static constexpr int phases = 2;
  std::int32_t* sum;

  template <int phase>
  void run(const ThreadIndex& at, std::byte* shared) const {
    auto* const numbers = reinterpret_cast<std::int32_t*>(shared);
    if constexpr (phase == 0) {
      numbers[at.thread] = at.thread;
    } else {
      sum[at.global()] = numbers[(at.thread + 1) % at.block_size];
    }
  }
};

template <class Body>
std::vector<std::int32_t> launched(const LaunchShape& shape) {
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(shape.grid * shape.block) + 1, -1);
  const Body body{numbers.data()};
  EXPECT_EQ(CrowdedGpu::api().launch(emulated_entry<Body>().function, shape, &body, sizeof(Body),
                                     nullptr),
            0);
  return numbers;
}

TEST(GpuRaces, AKernelThatWaitsHasNone) {
  const auto numbers = launched<WaitsBeforeItReads>({7, 64, 64 * sizeof(std::int32_t)});
  for (std::int32_t k = 0; k < 7 * 64; ++k) {
    EXPECT_EQ(numbers[static_cast<std::size_t>(k)], (k + 1) % 64);
  }
}

TEST(RacyKernelWithinABlock, IsCaughtByThreadSanitizer) {
  launched<ReadsTooEarly>({1, 64, 64 * sizeof(std::int32_t)});
}

TEST(RacyKernelAcrossBlocks, IsCaughtByThreadSanitizer) {
  launched<WritesToTheNextBlock>({64, 1, 0});
}

}  // namespace
}  // namespace rbd_parallel_core::conformance
