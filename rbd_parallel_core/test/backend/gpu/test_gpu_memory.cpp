// SPDX-License-Identifier: Apache-2.0
// What the backend "cuda" takes of the memory of its device: never more than GpuSettings::memory.
#include <gtest/gtest.h>

#include <string>

#include "backend/random_trees.hpp"
#include "emulated_kernels.hpp"
#include "faulty_gpu.hpp"
#include "gpu/host/gpu_backend.hpp"

namespace rbd_parallel_core {
namespace {

using conformance::index;

struct Use {
  std::string name;
  GpuSettings settings;
  BackendOptions options;
};

std::vector<Use> uses() {
  const GpuSettings in_parallel{.bodies_in_parallel = true};
  return {{"states", {}, {.max_batch = 100}},
          {"states, overlapped", {.chunk = 30, .overlap = true}, {.max_batch = 100}},
          {"bodies by blocks", in_parallel, {.max_batch = 100}},
          {"bodies by scans", in_parallel, {.max_batch = 100, .tree = {TreeFamily::scans}}}};
}

class GpuMemoryLimit : public ::testing::Test {
 protected:
  void SetUp() override { FaultyGpu::reset(); }

  template <class Real>
  static std::unique_ptr<GpuBackend<Real>> gpu(const Use& use, std::size_t memory) {
    GpuSettings settings = use.settings;
    settings.memory = memory;
    return std::make_unique<GpuBackend<Real>>(FaultyGpu::api(), emulated_kernels<Real>(), settings);
  }
  template <class Real>
  std::string refusal(const Use& use, std::size_t memory) const {
    FaultyGpu::reset();
    const auto backend = gpu<Real>(use, memory);
    try {
      backend->configure(model_, use.options);
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(FaultyGpu::bytes, 0u) << use.name << ": a backend that was refused keeps memory";
      EXPECT_LE(FaultyGpu::most_bytes, memory) << use.name << ": more was taken for a moment";
      return error.what();
    }
    return "";
  }
  static std::string message_of(std::size_t needed, std::size_t memory) {
    return "cuda: this robot takes at least " + std::to_string(needed) + " bytes of the device, " +
           std::to_string(memory) + " are to be had; the backend 'cpu' needs none";
  }
  /// What one state takes, as the refusals say: each how far it came.
  template <class Real>
  std::size_t needed(const Use& use) const {
    const std::string before = "at least ";
    std::size_t memory = 1;
    for (std::string text; !(text = refusal<Real>(use, memory)).empty();) {
      const std::size_t more = std::stoull(text.substr(text.find(before) + before.size()));
      EXPECT_GT(more, memory) << text;
      if (more <= memory) break;
      memory = more;
    }
    return memory;
  }
  template <class Real>
  void compute(BasicBackend<Real>& backend, std::size_t batch) const {
    const std::size_t nv = index(model_->nv());
    std::vector<Real> q(batch * index(model_->nq()), Real(0.1)), v(batch * nv), tau(batch * nv),
        M(batch * nv * nv);
    ASSERT_TRUE(
        backend.inverse_dynamics({.batch = batch, .q = q, .v = v, .a = v, .tau = tau}).ok());
    ASSERT_TRUE(
        backend.forward_dynamics({.batch = batch, .q = q, .v = v, .tau = v, .qdd = tau}).ok());
    ASSERT_TRUE(backend.mass_matrix({.batch = batch, .q = q, .mass_matrix = M}).ok());
  }
  template <class Real>
  void check(const Use& use) const {
    const std::size_t least = needed<Real>(use);
    EXPECT_EQ(refusal<Real>(use, least - 1), message_of(least, least - 1)) << use.name;
    for (const std::size_t memory : {least, 3 * least, 40 * least}) {
      FaultyGpu::reset();
      const auto backend = gpu<Real>(use, memory);
      backend->configure(model_, use.options);
      compute(*backend, use.options.max_batch);
      EXPECT_LE(FaultyGpu::most_bytes, memory) << use.name;
      if (memory > least) continue;
      EXPECT_EQ(FaultyGpu::most_bytes, least) << use.name << ": more was asked for than is taken";
      EXPECT_EQ(backend->chunk(), 1) << use.name;
    }
  }

  SharedModel model_ = random_tree(40, 3, {JointKind::revolute, JointKind::prismatic}, Base::fixed);
};

TEST_F(GpuMemoryLimit, WhatIsJustEnoughPassesAndLessIsRefused) {
  for (const Use& use : uses()) {
    check<double>(use);
    check<float>(use);
  }
}

/// Of a large tree most is taken by what does not depend on the chunk: 57 of 78 MB.
TEST_F(GpuMemoryLimit, CountsTheBlocksOfALargeTree) {
  model_ = std::make_shared<const Model>(auto_tree({.bodies = 20000, .branching = 2}));
  const Use use{"blocks", {.bodies_in_parallel = true}, {}};
  const std::size_t least = needed<double>(use);
  EXPECT_EQ(refusal<double>(use, least - 1), message_of(least, least - 1));
  FaultyGpu::reset();
  const auto backend = gpu<double>(use, least);
  backend->configure(model_, use.options);
  EXPECT_EQ(FaultyGpu::most_bytes, least);
}

}  // namespace
}  // namespace rbd_parallel_core
