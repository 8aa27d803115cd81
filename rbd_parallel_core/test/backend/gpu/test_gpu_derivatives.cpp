// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of the backend "cuda", with the CPU in the place of the device. Laws: the numbers are
// those of "reference" up to rounding and the statuses are the same, however a batch is cut into
// chunks; what lies on the device is used where it lies; what is too large is refused by name;
// whichever step fails, the call says so. The conformance suite checks the laws of all backends.
#include <gtest/gtest.h>

#include <limits>

#include "backend/plain_memory.hpp"
#include "backend/random_trees.hpp"
#include "backend/rehoused_backend.hpp"
#include "device_arrays.hpp"
#include "emulated_kernels.hpp"
#include "faulty_gpu.hpp"
#include "gpu/host/gpu_backend.hpp"
#include "rbd_parallel_core/testing/backend_calls.hpp"

namespace rbd_parallel_core::conformance {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Every call of derivatives, with wrenches where it takes some, and with a part of its outputs.
std::vector<Call> derivative_calls() {
  std::vector<Call> calls;
  for (const Operation operation : all_operations) {
    if (operation < Operation::inverse_dynamics_derivatives) continue;
    const Call plain{.name = name_of(operation), .operation = operation};
    calls.push_back(plain);
    for (const Argument output : outputs_of(plain)) {
      if (plain.requires_output(output)) continue;
      calls.push_back(plain);
      calls.back().outputs = {output};
      calls.back().name += ", one output";
    }
    if (operation >= Operation::coriolis_matrix) continue;
    for (const Axes axes : {Axes::link, Axes::world}) {
      calls.push_back(plain);
      calls.back().with_wrenches = true;
      calls.back().axes = axes;
      calls.back().name += axes == Axes::link ? ", wrenches in link axes" : ", in world axes";
    }
  }
  for (const Axes axes : {Axes::link, Axes::world}) {
    calls.push_back({.name = "jacobian_rate",
                     .operation = Operation::link_motion,
                     .outputs = {Argument::jacobian_rate},
                     .axes = axes});
  }
  return calls;
}

std::unique_ptr<Backend> reference(const SharedModel& model, const BackendOptions& options) {
  auto backend = make_backend("reference");
  backend->configure(model, options);
  return backend;
}

std::vector<SharedModel> robots() {
  return {std::make_shared<const Model>(mixed_tree(Base::fixed).model()),
          std::make_shared<const Model>(mixed_tree(Base::floating).model()),
          std::make_shared<const Model>(mimic_hand().model()),
          std::make_shared<const Model>(arm().model())};
}

class GpuDerivativesTest : public ::testing::Test {
 protected:
  void SetUp() override { FaultyGpu::reset(); }

  template <class Real = double>
  static std::unique_ptr<GpuBackend<Real>> gpu(const GpuSettings& settings = {}) {
    return std::make_unique<GpuBackend<Real>>(FaultyGpu::api(), emulated_kernels<Real>(), settings);
  }
  static void expect_agreement(const Call& call, Backend& reference, Backend& found,
                               const Batch& batch, double tolerance) {
    const Outputs expected = run(call, reference, batch), out = run(call, found, batch);
    EXPECT_TRUE(out.result.ok()) << call.name << ": " << message(out.result);
    EXPECT_EQ(out.status, expected.status) << call.name;
    for (std::size_t k = 0; k < Outputs::most; ++k) {
      for (std::size_t s = 0; s < batch.size; ++s) {
        const std::vector<double> right = row(expected, k, s), row_here = row(out, k, s);
        if (expected.status[s].ok()) {
          EXPECT_LE(relative_error(row_here, right), tolerance)
              << call.name << ", output " << k << ", state " << s;
        } else {
          for (const double x : row_here) EXPECT_TRUE(std::isnan(x)) << call.name;
        }
      }
    }
  }
};

TEST_F(GpuDerivativesTest, AgreeWithReference) {
  for (const SharedModel& model : robots()) {
    const BackendOptions options{.max_batch = 7, .friction = true};
    const Batch batch = random_batch(*model, 7, 3);
    const auto expected = reference(model, options);
    for (const GpuSettings& settings :
         {GpuSettings{}, GpuSettings{.chunk = 3, .block = 2, .overlap = true}}) {
      const auto backend = gpu(settings);
      backend->configure(model, options);
      for (const Call& call : derivative_calls()) {
        expect_agreement(call, *expected, *backend, batch, 1e-11);
      }
    }
  }
}

TEST_F(GpuDerivativesTest, OfFloatAgreeWithReference) {
  const SharedModel model = robots()[1];
  const Batch batch = random_batch(*model, 5, 3);
  const auto expected = reference(model, {.max_batch = 5});
  for (const Call& call : derivative_calls()) {
    // What M^-1 multiplies carries the condition of M, which is 1e3 here.
    const bool solves = call.operation == Operation::forward_dynamics_derivatives ||
                        call.operation == Operation::forward_dynamics_jvp ||
                        call.operation == Operation::forward_dynamics_vjp;
    RehousedBackend<float, PlainMemory> backend(gpu<float>({.chunk = 2}));
    backend.configure(model, {.max_batch = 5});
    expect_agreement(call, *expected, backend, batch, solves ? 1e-3 : 2e-5);
  }
}

/// A state whose input is not finite is alone with its NaN, whichever input that is.
TEST_F(GpuDerivativesTest, InputsThatAreNotFinite) {
  const SharedModel model = robots()[1];
  const BackendOptions options{.max_batch = 3};
  const auto expected = reference(model, options), backend = std::unique_ptr<Backend>(gpu());
  backend->configure(model, options);
  for (const Call& call : derivative_calls()) {
    for (const BatchInput& input : batch_inputs) {
      if (!call.reads(input.argument)) continue;
      Batch batch = random_batch(*model, 3, 3);
      std::vector<double>& numbers = batch.*input.array;
      numbers[2 * numbers.size() / 3 - 1] = nan;  // the last one of the second state
      const Outputs out = run(call, *backend, batch);
      EXPECT_EQ(out.status[1].code, StateStatus::Code::not_finite) << call.name;
      expect_agreement(call, *expected, *backend, batch, 1e-11);
    }
  }
}

/// Without a mass at its end M is singular there in every state. An input that is not finite counts
/// more than that, whichever it is.
TEST_F(GpuDerivativesTest, SingularStates) {
  for (Robot robot : {arm(), mimic_hand()}) {
    robot.description.links.back().inertial.reset();
    const auto model = std::make_shared<const Model>(robot.model());
    const BackendOptions options{.max_batch = 3};
    const auto expected = reference(model, options), backend = std::unique_ptr<Backend>(gpu());
    backend->configure(model, options);
    for (const Call& call : derivative_calls()) {
      const Batch clean = random_batch(*model, 3, 3);
      expect_agreement(call, *expected, *backend, clean, 1e-11);
      for (const BatchInput& input : batch_inputs) {
        if (!call.reads(input.argument)) continue;
        Batch batch = clean;
        (batch.*input.array)[0] = nan;
        expect_agreement(call, *expected, *backend, batch, 1e-11);
      }
    }
  }
}

/// In C++ every array of a call may lie on the device. Then nothing is copied.
TEST_F(GpuDerivativesTest, ArraysOnTheDeviceAreNotCopied) {
  const SharedModel model = robots()[1];
  const Batch batch = random_batch(*model, 5, 3);
  const auto backend = gpu({.chunk = 2});
  backend->configure(model, {.max_batch = 5});
  for (const Call& call : derivative_calls()) {
    if (call.with_wrenches) continue;  // their links are the host's
    Outputs expected = run(call, *backend, batch), out = room_for(call, *model, batch);
    DeviceArrays device;
    std::vector<std::span<double>> results;
    visit_operation(call.operation, [&]<Operation operation>(OperationTag<operation> tag) {
      using Args = ArgumentsOf<operation, double>;
      Args args = detail::arguments_of<Args>(call, batch, out);
      const auto there = [&](auto span) {
        return device.copy(std::vector<double>(span.begin(), span.end()));
      };
      for_each_field<Args>(FieldVisitor{[&](const InputField<Args, double>& field) {
                                          args.*field.array = there(args.*field.array);
                                        },
                                        [&](const OutputField<Args, double>& field) {
                                          if ((args.*field.array).empty()) return;
                                          args.*field.array = there(args.*field.array);
                                          results.push_back(args.*field.array);
                                        },
                                        [](const auto&) {}});
      args.status = {};
      FaultyGpu::copies = 0;
      EXPECT_TRUE(backend->compute({tag, args}).ok()) << call.name;
      EXPECT_EQ(FaultyGpu::copies, 0) << call.name;
    });
    for (std::size_t k = 0; k < results.size(); ++k) {
      EXPECT_TRUE(same_bits({results[k].begin(), results[k].end()}, expected.numbers[k]))
          << call.name;
    }
  }
}

/// Matrices end at largest_gpu_matrix; products with derivatives, which keep none, do not.
TEST_F(GpuDerivativesTest, WhatIsTooLargeIsRefused) {
  const SharedModel model = random_tree(largest_gpu_matrix + 1, 4, {JointKind::revolute}, 5);
  const Batch batch = random_batch(*model, 1, 3);
  const auto expected = reference(model, {}), backend = std::unique_ptr<Backend>(gpu());
  backend->configure(model, {});
  for (const Call& call : derivative_calls()) {
    if (keeps_matrices(call.operation)) {
      const Outputs out = run(call, *backend, batch);
      const Result expected_result = too_large(call.operation, largest_gpu_matrix, model->nv());
      EXPECT_EQ(message(out.result), message(expected_result)) << call.name;
    } else {
      expect_agreement(call, *expected, *backend, batch, 1e-9);
    }
  }
}

/// A regressor is larger than the matrices whose place it takes: then fewer states are computed at
/// once, down to one.
TEST_F(GpuDerivativesTest, RegressorsOfAChunkComeInParts) {
  const SharedModel model = robots()[1];
  const Batch batch = random_batch(*model, 9, 3);
  const Call call{.name = "regressor", .operation = Operation::regressor};
  const auto expected = reference(model, {.max_batch = 9});
  std::vector<int> launches;
  for (const std::size_t chunk : {1, 4, 9}) {
    const auto backend = gpu({.chunk = chunk});
    backend->configure(model, {.max_batch = 9});
    FaultyGpu::launches = 0;
    expect_agreement(call, *expected, *backend, batch, 1e-12);
    launches.push_back(FaultyGpu::launches);
  }
  EXPECT_GT(launches[0], launches[2]);
  EXPECT_GT(launches[2], 5) << "one chunk had room for all";
}

/// Whichever step of a call fails, the call says so, and is right again after configure.
TEST_F(GpuDerivativesTest, SurviveAFailureOfEveryStep) {
  const SharedModel model = robots()[0];
  const Batch batch = random_batch(*model, 3, 3);
  const auto backend = gpu({.chunk = 2});
  for (const Call& call : derivative_calls()) {
    if (!call.outputs.empty()) continue;
    backend->configure(model, {.max_batch = 3});
    FaultyGpu::calls = 0;
    const Outputs expected = run(call, *backend, batch);
    const int steps = FaultyGpu::calls;
    for (int step = 0; step < steps; ++step) {
      backend->configure(model, {.max_batch = 3});
      FaultyGpu::calls = 0;
      FaultyGpu::fail_at = step;
      EXPECT_EQ(run(call, *backend, batch).result.code, Code::failed) << call.name << step;
      FaultyGpu::fail_at = -1;
    }
    backend->configure(model, {.max_batch = 3});
    const Outputs out = run(call, *backend, batch);
    for (std::size_t k = 0; k < Outputs::most; ++k) {
      EXPECT_TRUE(same_bits(out.numbers[k], expected.numbers[k])) << call.name;
    }
  }
}

}  // namespace
}  // namespace rbd_parallel_core::conformance
