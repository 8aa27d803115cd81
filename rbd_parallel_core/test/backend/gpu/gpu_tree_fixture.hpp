// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "algorithm/relative_error.hpp"
#include "backend/random_trees.hpp"
#include "emulated_kernels.hpp"
#include "faulty_gpu.hpp"
#include "gpu/host/gpu_backend.hpp"

namespace rbd_parallel_core {

/// For tests of the backend "cuda" with bodies in parallel, on a device that fails when it is told
/// to.
class GpuTreeFixture : public ::testing::Test {
 protected:
  void SetUp() override { FaultyGpu::reset(); }
  void TearDown() override { EXPECT_EQ(FaultyGpu::live, 0) << "something was not given back"; }

  template <class Real = double>
  static std::unique_ptr<GpuBackend<Real>> unconfigured(const GpuApi& api = FaultyGpu::api()) {
    return std::make_unique<GpuBackend<Real>>(api, emulated_kernels<Real>(),
                                              GpuSettings{.bodies_in_parallel = true});
  }
  template <class Real = double>
  static std::unique_ptr<GpuBackend<Real>> gpu_of(const SharedModel& model,
                                                  const BackendOptions& options = {}) {
    auto backend = unconfigured<Real>();
    backend->configure(model, options);
    return backend;
  }
  static std::unique_ptr<Backend> reference_of(const SharedModel& model,
                                               const BackendOptions& options = {}) {
    auto backend = make_backend("reference");
    backend->configure(model, options);
    return backend;
  }

  /// Whichever step of configure or of call(backend) fails, it says so and can be repeated.
  template <class Call>
  static void expect_to_survive_every_failure(const SharedModel& model, const Call& call) {
    const auto backend = gpu_of(model);
    const int configure_steps = FaultyGpu::calls;
    ASSERT_TRUE(call(*backend));
    const int steps = FaultyGpu::calls;
    for (int step = 0; step < steps; ++step) {
      const auto faulty = unconfigured();
      FaultyGpu::calls = 0;
      FaultyGpu::fail_at = step;
      if (step < configure_steps) {
        EXPECT_THROW(faulty->configure(model), std::runtime_error) << step;
      } else {
        faulty->configure(model);
        EXPECT_EQ(call(*faulty).code, Code::failed) << step;
      }
      FaultyGpu::fail_at = -1;
      faulty->configure(model);
      EXPECT_TRUE(call(*faulty)) << step;
    }
  }
};

}  // namespace rbd_parallel_core
