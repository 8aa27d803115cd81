// SPDX-License-Identifier: Apache-2.0
#include "delegating_backend.hpp"

#include <gtest/gtest.h>

#include "rbd_parallel_core/testing/backend_calls.hpp"

namespace rbd_parallel_ros::testing {
namespace {

namespace conformance = rbd_parallel_core::conformance;

class Cpu final : public DelegatingBackend {
 public:
  Cpu() : DelegatingBackend(rbd_parallel_core::make_backend("cpu")) {}
};

/// Law: a plugin gives the bits of the backend behind it, in every operation.
TEST(DelegatingBackend, GivesTheBitsOfItsDelegate) {
  constexpr std::size_t size = 11;
  for (const conformance::Robot& robot : conformance::small_robots()) {
    const auto model = std::make_shared<const rbd_parallel_core::Model>(robot.model());
    const auto direct = rbd_parallel_core::make_backend("cpu");
    direct->configure(model, {.max_batch = size});
    Cpu plugin;
    plugin.configure(model, {.max_batch = size});
    EXPECT_EQ(plugin.lane_width(), direct->lane_width());
    EXPECT_EQ(plugin.explain(rbd_parallel_core::Operation::energies, size),
              "cpu computes everything");
    const conformance::Batch batch = conformance::random_batch(*model, size, 17);
    for (const conformance::Call& call : conformance::every_call()) {
      if (!call.possible(*model)) continue;
      const conformance::Outputs expected = run(call, *direct, batch);
      const conformance::Outputs actual = run(call, plugin, batch);
      ASSERT_TRUE(actual.result.ok()) << robot.name << ", " << call.name;
      for (std::size_t k = 0; k < expected.numbers.size(); ++k) {
        EXPECT_TRUE(conformance::same_bits(actual.numbers[k], expected.numbers[k]))
            << robot.name << ", " << call.name;
      }
    }
  }
}

}  // namespace
}  // namespace rbd_parallel_ros::testing
