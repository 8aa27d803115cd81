// SPDX-License-Identifier: Apache-2.0
// The backend "cuda" on a real device. Without one it says so and is skipped.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "backend/plain_memory.hpp"
#include "backend/rehoused_backend.hpp"
#include "rbd_parallel_core/gpu/cuda_backend.hpp"
#include "rbd_parallel_core/gpu/device_access.hpp"
#include "rbd_parallel_core/model/generators.hpp"
#include "rbd_parallel_core/testing/backend_conformance.hpp"

namespace rbd_parallel_core::conformance {
namespace {

std::unique_ptr<Backend> make_tree(const TreeOptions& options, GpuSettings settings = {}) {
  settings.bodies_in_parallel = true;
  return std::make_unique<RehousedBackend<double, PlainMemory>>(make_cuda_backend(settings),
                                                                options);
}

}  // namespace

RBD_BACKEND_CONFORMANCE(GpuDevice, {.name = "cuda", .make = [] { return make_backend("cuda"); }});

RBD_BACKEND_CONFORMANCE(GpuDeviceFloat,
                        {.name = "cuda of float",
                         .make =
                             [] {
                               return std::make_unique<RehousedBackend<float, PlainMemory>>(
                                   make_cuda_backend<float>());
                             },
                         .tolerance = 2e-5});

RBD_BACKEND_CONFORMANCE(GpuDeviceBlocks, {.name = "cuda with bodies in parallel, by blocks",
                                          .make = [] { return make_tree({.block = 2}); },
                                          .tolerance = 1e-11});
RBD_BACKEND_CONFORMANCE(GpuDeviceScans,
                        {.name = "cuda with bodies in parallel, by scans",
                         .make = [] { return make_tree({.family = TreeFamily::scans}); },
                         .tolerance = 1e-11});

/// What is off unless it is asked for.
RBD_BACKEND_CONFORMANCE(GpuDeviceOverlapped,
                        {.name = "cuda with overlap",
                         .make = [] { return make_cuda_backend({.chunk = 3, .overlap = true}); }});
RBD_BACKEND_CONFORMANCE(GpuDeviceGraphs,
                        {.name = "cuda with graphs",
                         .make = [] { return make_tree({.block = 2}, {.graphs = true}); },
                         .tolerance = 1e-11});

/// FD(ID(a)) = a for 10^5 states, the torques in between on the device.
TEST(GpuDeviceArrays, AreWrittenAndReadInPlace) {
  constexpr std::size_t batch = 100'000;
  const auto model = std::make_shared<const Model>(mixed_tree(Base::floating).model());
  const Batch states = random_batch(*model, batch, 5);
  const auto backend = make_cuda_backend();
  backend->configure(model, {.max_batch = batch});
  DeviceAccess* const device = backend->capabilities().device;
  ASSERT_NE(device, nullptr);
  const std::size_t numbers = batch * index(model->nv());
  const std::shared_ptr<void> memory = device->allocate(numbers * sizeof(double));
  const std::span tau(static_cast<double*>(memory.get()), numbers);
  std::vector<double> qdd(numbers);
  ASSERT_TRUE(backend->inverse_dynamics(
      {.batch = batch, .q = states.q, .v = states.v, .a = states.a, .tau = tau}));
  ASSERT_TRUE(backend->forward_dynamics(
      {.batch = batch, .q = states.q, .v = states.v, .tau = tau, .qdd = qdd}));
  for (std::size_t k = 0; k < numbers; ++k) ASSERT_NEAR(qdd[k], states.a[k], 1e-7);
}

/// Scans of CUB, as they are and recorded, against our own. The suite above is not for them: it
/// asks for the same bits in every run.
TEST(GpuDeviceCub, GivesWhatOurOwnScansGive) {
  constexpr int bodies = 10000;
  const auto model = std::make_shared<const Model>(auto_tree({.bodies = bodies, .branching = 1.5}));
  const auto nv = static_cast<std::size_t>(model->nv());
  Random random(3);
  const auto q = random.numbers(nv, 1), v = random.numbers(nv, 1), a = random.numbers(nv, 1);
  const auto inverse_dynamics = [&](GpuSettings settings) {
    settings.bodies_in_parallel = true;
    const auto backend = make_cuda_backend(settings);
    backend->configure(model, {.tree = {.family = TreeFamily::scans}});
    std::vector<double> tau(nv);
    EXPECT_TRUE(backend->inverse_dynamics({.q = q, .v = v, .a = a, .tau = tau}));
    return tau;
  };
  const auto expected = inverse_dynamics({});
  double largest = 0;
  for (const double x : expected) largest = std::max(largest, std::abs(x));
  for (const bool graphs : {false, true}) {
    const auto found = inverse_dynamics({.graphs = graphs, .cub_scans = true});
    // 8 eps x steps of the tour x (1 + reach), as for scans of the CPU.
    const double tolerance = 8 * 2.2e-16 * 2 * bodies * (1 + 40) * largest;
    for (std::size_t k = 0; k < nv; ++k) ASSERT_NEAR(found[k], expected[k], tolerance);
  }
}

}  // namespace rbd_parallel_core::conformance

int main(int argc, char** argv) {
  namespace core = rbd_parallel_core;
  ::testing::InitGoogleTest(&argc, argv);
  try {
    core::make_backend("cuda")->configure(std::make_shared<const core::Model>(
        core::conformance::mixed_tree(core::Base::fixed).model()));
  } catch (const std::runtime_error& error) {
    std::printf("test_gpu_device: Skipped\n%s\n", error.what());
    return 77;
  }
  return RUN_ALL_TESTS();
}
