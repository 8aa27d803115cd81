// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <utility>

#include "backend/random_trees.hpp"
#include "emulated_api.hpp"
#include "emulated_kernels.hpp"
#include "gpu/host/gpu_backend.hpp"
#include "rbd_parallel_core/model/mass_matrix_pattern.hpp"
#include "rbd_parallel_core/testing/backend_calls.hpp"

/// For emulated devices, each in a way of its own.
namespace rbd_parallel_core::conformance {

/// What is computed how.
struct GpuUse {
  SharedModel model;
  GpuSettings settings = {};
  BackendOptions options = {};
  bool first_is_bad = false;  ///< the first state of the batch is not finite
};

inline std::unique_ptr<Backend> configured_gpu(const GpuApi& api, const GpuUse& use) {
  auto backend =
      std::make_unique<GpuBackend<double>>(api, emulated_kernels<double>(), use.settings);
  backend->configure(use.model, use.options);
  return backend;
}

/// The mass matrix in the forms that bodies in parallel have kernels for: dense, sparse, both.
inline void expect_the_same_matrices(Backend& plain, Backend& other, const Batch& batch) {
  const Model& model = plain.model();
  const std::size_t square = index(model.nv()) * index(model.nv());
  const std::size_t nonzeros = model.has_mimic() ? 0 : index(mass_matrix_nonzeros(model));
  for (const auto& [dense, sparse] : {std::pair{true, false}, {false, true}, {true, true}}) {
    if (sparse && nonzeros == 0) continue;
    const auto compute = [&, dense = dense, sparse = sparse](Backend& backend) {
      std::array<std::vector<double>, 2> M{std::vector<double>(dense ? batch.size * square : 0),
                                           std::vector<double>(sparse ? batch.size * nonzeros : 0)};
      std::vector<StateStatus> status(batch.size);
      const Result result = backend.mass_matrix({.batch = batch.size,
                                                 .q = batch.q,
                                                 .mass_matrix = M[0],
                                                 .sparse = M[1],
                                                 .status = status});
      EXPECT_TRUE(result.ok()) << message(result);
      return std::pair{M, status};
    };
    const auto expected = compute(plain), found = compute(other);
    EXPECT_EQ(found.second, expected.second);
    for (const std::size_t k : {0, 1}) {
      EXPECT_TRUE(same_bits(found.first[k], expected.first[k])) << "dense " << dense << sparse;
    }
  }
}

/// Every call gives the bits of emulated_api(), where one thread comes after the other in one
/// process.
inline void expect_the_same_bits(const GpuApi& api, const GpuUse& use) {
  Batch batch = random_batch(*use.model, use.options.max_batch, 11);
  if (use.first_is_bad) batch.q[0] = std::numeric_limits<double>::quiet_NaN();
  const auto plain = configured_gpu(emulated_api(), use), other = configured_gpu(api, use);
  for (const Call& call : every_call()) {
    if (!call.possible(*use.model)) continue;
    const Outputs expected = run(call, *plain, batch), found = run(call, *other, batch);
    EXPECT_TRUE(found.result.ok()) << call.name << ": " << message(found.result);
    EXPECT_EQ(found.status, expected.status) << call.name;
    for (std::size_t k = 0; k < found.numbers.size(); ++k) {
      EXPECT_TRUE(same_bits(found.numbers[k], expected.numbers[k])) << call.name;
    }
  }
  expect_the_same_matrices(*plain, *other, batch);
}

/// Uses that launch every kernel: all kinds of joints, several blocks of threads in a launch,
/// several levels and blocks of a tree, several tiles of M.
inline std::vector<GpuUse> gpu_uses_of_states() {
  const auto fixed = std::make_shared<const Model>(mixed_tree(Base::fixed).model());
  const auto floating = std::make_shared<const Model>(mixed_tree(Base::floating).model());
  const auto hand = std::make_shared<const Model>(mimic_hand().model());
  return {{fixed, {.block = 32}, {.max_batch = 100, .friction = true}, true},
          {floating, {.block = 32}, {.max_batch = 100}},
          {floating, {.chunk = 40, .block = 16, .overlap = true}, {.max_batch = 100}},
          {hand, {.block = 8}, {.max_batch = 20}}};
}
inline std::vector<GpuUse> gpu_uses_of_blocks() {
  const GpuSettings in_parallel{.bodies_in_parallel = true};
  std::vector<GpuUse> uses;
  for (const int window : {1, 3, 80}) {
    uses.push_back(
        {random_tree(80, window, every_kind, Base::floating), in_parallel, {.tree = {.block = 2}}});
  }
  uses.push_back({random_tree(200, 2, {JointKind::revolute}, Base::fixed),
                  in_parallel,
                  {.max_batch = 2},
                  true});
  return uses;
}
inline std::vector<GpuUse> gpu_uses_of_scans() {
  const GpuSettings in_parallel{.bodies_in_parallel = true};
  const BackendOptions scans{.tree = {.family = TreeFamily::scans}};
  return {{random_tree(200, 1, {JointKind::revolute}, Base::fixed), in_parallel, scans},
          {random_tree(80, 5, every_kind, Base::floating), in_parallel, scans},
          {std::make_shared<const Model>(mimic_hand().model()), in_parallel, {.max_batch = 2}}};
}

}  // namespace rbd_parallel_core::conformance
