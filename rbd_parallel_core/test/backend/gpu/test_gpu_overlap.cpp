// SPDX-License-Identifier: Apache-2.0
// Two chunks under way at once: nothing is used before it is there or overwritten while it is
// needed, however late or early the streams of the device are.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "delayed_gpu.hpp"
#include "emulated_kernels.hpp"
#include "gpu/host/gpu_backend.hpp"
#include "rbd_parallel_core/model/mass_matrix_pattern.hpp"
#include "rbd_parallel_core/testing/robots.hpp"

namespace rbd_parallel_core {
namespace {

constexpr std::size_t batch = 23, chunk = 4;  // six chunks, three in each pipeline

struct Outcome {
  std::vector<double> tau, qdd, M, inverse, sparse;
  std::vector<StateStatus::Code> status;
  bool operator==(const Outcome&) const = default;
};

/// Numbers without a NaN but one: they can be compared.
class GpuOverlap : public ::testing::Test {
 protected:
  void SetUp() override {
    model_ = std::make_shared<const Model>(conformance::mixed_tree(Base::fixed).model());
    std::mt19937_64 random(11);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const auto fill = [&](std::vector<double>& numbers, std::size_t n) {
      numbers.resize(batch * n);
      std::generate(numbers.begin(), numbers.end(), [&] { return uniform(random); });
    };
    nq_ = static_cast<std::size_t>(model_->nq());
    nv_ = static_cast<std::size_t>(model_->nv());
    fill(q_, nq_);
    fill(v_, nv_);
    fill(a_, nv_);
    fill(wrench_, 6);
  }

  Outcome compute(GpuBackend<double>& backend) const {
    Outcome out;
    const auto nonzeros = static_cast<std::size_t>(mass_matrix_nonzeros(*model_));
    out.tau.resize(batch * nv_);
    out.qdd.resize(batch * nv_);
    out.M.resize(batch * nv_ * nv_);
    out.inverse.resize(batch * nv_ * nv_);
    out.sparse.resize(batch * nonzeros);
    std::vector<StateStatus> status(batch);
    const auto keep = [&](const Result& result) {
      EXPECT_TRUE(result.ok()) << message(result);
      for (const StateStatus& state : status) out.status.push_back(state.code);
      std::fill(status.begin(), status.end(), StateStatus{StateStatus::Code::singular, 0});
    };
    const int link = static_cast<int>(model_->links().size()) - 1;
    keep(backend.inverse_dynamics({.batch = batch,
                                   .q = q_,
                                   .v = v_,
                                   .a = a_,
                                   .f_ext = {{&link, 1}, wrench_, Axes::world},
                                   .tau = out.tau,
                                   .status = status}));
    keep(backend.forward_dynamics(
        {.batch = batch, .q = q_, .v = v_, .tau = a_, .qdd = out.qdd, .status = status}));
    keep(backend.mass_matrix({.batch = batch,
                              .q = q_,
                              .mass_matrix = out.M,
                              .inverse = out.inverse,
                              .sparse = out.sparse,
                              .status = status}));
    return out;
  }

  Outcome compute(const GpuApi& api, const GpuSettings& settings) const {
    GpuBackend<double> backend(api, emulated_kernels<double>(), settings);
    backend.configure(model_, {.max_batch = batch});
    return compute(backend);
  }

  std::shared_ptr<const Model> model_;
  std::size_t nq_ = 0, nv_ = 0;
  std::vector<double> q_, v_, a_, wrench_;
};

TEST_F(GpuOverlap, HoweverLateTheStreamsAre) {
  const Outcome expected = compute(emulated_api(), {.chunk = chunk});
  for (const bool overlap : {false, true}) {
    for (const unsigned prompt : {0u, 1u, 2u, 3u}) {
      DelayedGpu::reset(prompt);
      EXPECT_EQ(compute(DelayedGpu::api(), {.chunk = chunk, .overlap = overlap}), expected)
          << "overlap " << overlap << ", prompt streams " << prompt;
    }
  }
}

/// The positive control: on such a device a missing wait is seen.
TEST_F(GpuOverlap, AMissingWaitIsCaught) {
  const Outcome expected = compute(emulated_api(), {.chunk = chunk});
  for (const bool overlap : {false, true}) {
    DelayedGpu::reset();
    DelayedGpu::forgets_to_wait = true;
    EXPECT_NE(compute(DelayedGpu::api(), {.chunk = chunk, .overlap = overlap}), expected);
  }
  DelayedGpu::reset();
}

/// Both streams begin after what the stream of a caller holds: here it writes q.
TEST_F(GpuOverlap, ComesAfterTheWorkOfTheCaller) {
  const std::vector<double> zeros(batch * nv_);
  std::vector<double> expected(batch * nv_);
  for (const unsigned prompt : {0u, 1u, 2u, 3u}) {
    DelayedGpu::reset(prompt);
    GpuBackend<double> backend(DelayedGpu::api(), emulated_kernels<double>(),
                               {.chunk = chunk, .overlap = true});
    backend.configure(model_, {.max_batch = batch});
    ASSERT_TRUE(backend.gravity_forces({.batch = batch, .q = q_, .v = {}, .tau = expected}));
    const auto bytes = q_.size() * sizeof(double);
    const std::shared_ptr<void> q = backend.allocate(bytes);
    const std::shared_ptr<void> tau = backend.allocate(zeros.size() * sizeof(double));
    int caller = 0;  // its address is the name of a stream
    DelayedGpu::enqueue(&caller, [&] {
      std::memcpy(q.get(), q_.data(), bytes);
      return 0;
    });
    ASSERT_EQ(backend.wait_for(&caller), 0);
    ASSERT_TRUE(backend.gravity_forces({.batch = batch,
                                        .q = {static_cast<const double*>(q.get()), q_.size()},
                                        .v = {},
                                        .tau = {static_cast<double*>(tau.get()), zeros.size()}}));
    EXPECT_EQ(std::memcmp(tau.get(), expected.data(), zeros.size() * sizeof(double)), 0) << prompt;
  }
}

/// With two pipelines two chunks are in memory; with room for one only they are half as large.
TEST_F(GpuOverlap, SharesTheMemory) {
  const auto chunk_with = [&](bool overlap, std::size_t memory) {
    GpuBackend<double> backend(emulated_api(), emulated_kernels<double>(),
                               {.memory = memory, .chunk = 64, .overlap = overlap});
    backend.configure(model_, {.max_batch = 1000});
    return backend.chunk();
  };
  std::size_t memory = 1 << 12;
  const auto all_fit = [&] {
    try {
      return chunk_with(false, memory) == 64;
    } catch (const std::runtime_error&) {
      return false;
    }
  };
  while (!all_fit()) memory += 1 << 12;
  EXPECT_EQ(chunk_with(true, memory), 32);
  EXPECT_EQ(chunk_with(true, 2 * memory), 64);
}

}  // namespace
}  // namespace rbd_parallel_core
