// SPDX-License-Identifier: Apache-2.0
//
// The backend "cuda" on a device with a memory of its own. Laws: a kernel follows no pointer to the
// memory of the host; the host touches the memory of the device by copies only. The numbers are
// those of a device that shares the memory of the host, bit for bit.

#include <csignal>

#include "gpu_same_bits.hpp"
#include "walled_gpu.hpp"

namespace rbd_parallel_core::conformance {
namespace {

TEST(GpuWalls, StatesInParallel) {
  for (const GpuUse& use : gpu_uses_of_states()) expect_the_same_bits(WalledGpu::api(), use);
}

TEST(GpuWalls, BodiesInParallelByBlocks) {
  for (const GpuUse& use : gpu_uses_of_blocks()) expect_the_same_bits(WalledGpu::api(), use);
}

TEST(GpuWalls, BodiesInParallelByScans) {
  for (const GpuUse& use : gpu_uses_of_scans()) expect_the_same_bits(WalledGpu::api(), use);
}

TEST(GpuWalls, ScansOfALibrary) {
  for (GpuUse use : gpu_uses_of_scans()) {
    use.settings.cub_scans = true;
    expect_the_same_bits(WalledGpu::api(), use);
  }
}

// ---- offenders ----------------------------------------------------------------------------------

/// Adds a number to one of the device.
struct Adds {
  static constexpr int phases = 1;
  const double* from;
  double* to;

  template <int>
  void run(const ThreadIndex&, std::byte*) const {
    *to += *from;
  }
};

int launched(const Adds& body) {
  return WalledGpu::api().launch(emulated_entry<Adds>().function, {1, 1, 0}, &body, sizeof(body),
                                 nullptr);
}

class GpuWallsOffenders : public ::testing::Test {
 protected:
  static constexpr int illegal_address = 700;

  GpuWallsOffenders() {
    void* memory = nullptr;
    EXPECT_EQ(api_.allocate(&memory, 2 * sizeof(double)), 0);
    numbers_ = static_cast<double*>(memory);
    const double values[] = {1, 2};
    EXPECT_EQ(api_.copy(numbers_, values, sizeof(values), nullptr), 0);
  }
  ~GpuWallsOffenders() override { EXPECT_EQ(api_.release(numbers_), 0); }

  double first() const {
    double value = 0;
    EXPECT_EQ(api_.copy(&value, numbers_, sizeof(value), nullptr), 0);
    return value;
  }

  const GpuApi& api_ = WalledGpu::api();
  double* numbers_ = nullptr;
};

TEST_F(GpuWallsOffenders, AKernelMayReadTheDevice) {
  EXPECT_EQ(launched({numbers_ + 1, numbers_}), 0);
  EXPECT_EQ(first(), 3);
}

TEST_F(GpuWallsOffenders, AKernelThatReadsTheHeapFails) {
  const std::vector<double> on_heap(1, 2.0), large(1 << 20, 2.0);
  EXPECT_EQ(launched({on_heap.data(), numbers_}), illegal_address);
  EXPECT_EQ(launched({large.data(), numbers_}), illegal_address);
  EXPECT_EQ(first(), 1);
}

TEST_F(GpuWallsOffenders, AKernelThatReadsTheStackFails) {
  const double on_stack = 2;
  EXPECT_EQ(launched({&on_stack, numbers_}), illegal_address);
}

TEST_F(GpuWallsOffenders, AKernelThatReadsPinnedMemoryFails) {
  void* pinned = nullptr;
  ASSERT_EQ(api_.allocate_pinned(&pinned, sizeof(double)), 0);
  EXPECT_EQ(launched({static_cast<double*>(pinned), numbers_}), illegal_address);
  EXPECT_EQ(api_.release_pinned(pinned), 0);
}

TEST_F(GpuWallsOffenders, AHostThatReadsTheDeviceGetsASignal) {
  const volatile double* const number = numbers_;
  EXPECT_EXIT(static_cast<void>(*number), ::testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace
}  // namespace rbd_parallel_core::conformance
