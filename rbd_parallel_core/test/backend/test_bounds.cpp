// SPDX-License-Identifier: Apache-2.0
//
// Packs of states read and write several numbers at once, but nothing outside of the arrays of the
// call: these stand right before and right behind pages that must not be touched.

#include <gtest/gtest.h>

#include "guarded_memory.hpp"
#include "rbd_parallel_core/testing/backend_calls.hpp"
#include "rehoused_backend.hpp"

namespace rbd_parallel_core::conformance {
namespace {

/// All calls with batches of 1 to two groups and a state, in rows and in lanes.
template <class Real, Edge edge>
void call_everything(const char* name, InstructionSet set) {
  using Memory = GuardedMemory<edge>;
  Memory::violations = 0;
  for (const Robot& robot : small_robots()) {
    const auto model = std::make_shared<const Model>(robot.model());
    RehousedBackend<Real, Memory> backend(name);
    backend.configure(model, {.instruction_set = set});
    const std::size_t width = backend.lane_width(), most = 2 * width + 1;
    backend.configure(model, {.max_batch = most, .instruction_set = set});
    for (std::size_t size = 1; size <= most; ++size) {
      const Batch rows = random_batch(*model, size, 131);
      for (const Batch& batch : {rows, in_lanes(rows, width)}) {
        for (const Call& call : every_call()) {
          if (!call.possible(*model)) continue;
          const Outputs out = run(call, backend, batch);
          EXPECT_TRUE(out.result.ok()) << message(out.result);
          ASSERT_EQ(Memory::violations, 0u)
              << name << ", " << robot.name << ", " << call.name << ", " << size << " states";
        }
      }
    }
  }
}

template <class Real, Edge edge>
void call_everything() {
  for (const InstructionSet set : available_instruction_sets()) {
    for (const char* name : {"cpu", "compiled"}) call_everything<Real, edge>(name, set);
  }
}

TEST(Bounds, NothingBehindTheArraysIsTouched) { call_everything<double, Edge::back>(); }
TEST(Bounds, NothingBeforeTheArraysIsTouched) { call_everything<double, Edge::front>(); }
TEST(Bounds, NothingBehindFloatArraysIsTouched) { call_everything<float, Edge::back>(); }
TEST(Bounds, NothingBeforeFloatArraysIsTouched) { call_everything<float, Edge::front>(); }

// The gate itself: what goes beyond an array is caught.

TEST(BoundsDeathTest, ANumberBeyondTheEdgeIsNotThere) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  GuardedRegion region(1000);
  EXPECT_DEATH(
      {
        const volatile double* end = region.place<double>(10, Edge::back).data() + 10;
        static_cast<void>(*end);
      },
      "");
  EXPECT_DEATH(
      {
        const volatile double* begin = region.place<double>(10, Edge::front).data();
        static_cast<void>(begin[-1]);
      },
      "");
}

TEST(Bounds, ANumberWrittenAtTheOtherSideIsSeen) {
  GuardedRegion region(1000);
  double* array = region.place<double>(10, Edge::back).data();
  array[0] = array[9] = 1;
  EXPECT_TRUE(region.untouched());
  array[-1] = 1;
  EXPECT_FALSE(region.untouched());
  array = region.place<double>(10, Edge::front).data();
  EXPECT_TRUE(region.untouched());
  array[10] = 1;
  EXPECT_FALSE(region.untouched());
}

}  // namespace
}  // namespace rbd_parallel_core::conformance
