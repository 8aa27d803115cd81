// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/delegating_backend.hpp"

#include <gtest/gtest.h>

#include "cuda_plugin.hpp"
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

/// Law: what is missing for a GPU is in the explanation, and the numbers are there all the same.
TEST(CudaPlugin, FallsBackToCpuAndSaysWhy) {
  const auto model = std::make_shared<const rbd_parallel_core::Model>(conformance::arm().model());
  const auto why = [](const CudaPlugin& plugin) {
    return plugin.explain(rbd_parallel_core::Operation::inverse_dynamics, 1);
  };
  bool there = false;
  CudaPlugin plugin([&]() -> std::unique_ptr<rbd_parallel_core::Backend> {
    if (!there) throw std::runtime_error("cuda: the NVIDIA driver finds no device");
    return rbd_parallel_core::make_backend("reference");
  });
  plugin.configure(model);
  EXPECT_EQ(plugin.name(), "cpu");
  EXPECT_EQ(why(plugin),
            "fell back to cpu: cuda: the NVIDIA driver finds no device; cpu computes everything");
  std::vector<double> q = model->neutral(), tau(static_cast<std::size_t>(model->nv()));
  EXPECT_TRUE(plugin.gravity_forces({.q = q, .v = {}, .tau = tau}));

  there = true;  // the next configure finds it
  plugin.configure(model);
  EXPECT_EQ(plugin.name(), "reference");
  EXPECT_EQ(why(plugin), "reference computes everything");
}

}  // namespace
}  // namespace rbd_parallel_ros::testing
