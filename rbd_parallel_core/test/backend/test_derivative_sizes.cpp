// SPDX-License-Identifier: Apache-2.0
//
// Robots that are too large for dense matrices: these are refused, with the size up to which they
// are offered; products with derivatives are not.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/testing/backend_calls.hpp"

namespace rbd_parallel_core {
namespace {

using conformance::Batch;
using conformance::Outputs;

constexpr double room_for_nothing = -7.25e77;  ///< what room_for fills outputs with
constexpr const char* backends[] = {"reference", "cpu", "tree", "auto"};

std::shared_ptr<const Model> chain_model(int bodies) {
  return std::make_shared<const Model>(conformance::chain(bodies).model());
}

std::string refusal(const std::string& operation, int largest, int nv) {
  return operation + " keeps dense matrices, offered here up to nv = " + std::to_string(largest) +
         "; this model has nv = " + std::to_string(nv) +
         " (products with derivatives, jvp and vjp, keep none)";
}

/// Expects the matrices of derivatives to be refused, with the text, and products to be computed.
void expect_matrices_refused_above(int largest, Backend& backend, const Batch& batch) {
  for (const conformance::Call& call : conformance::every_call()) {
    if (call.operation <= Operation::link_motion) continue;
    if (!keeps_matrices(call.operation)) {
      const Outputs out = run(call, backend, batch);
      EXPECT_EQ(message(out.result), "ok") << call.name;
      for (const StateStatus& status : out.status) EXPECT_TRUE(status.ok()) << call.name;
      continue;
    }
    // That of a robot of 4097 bodies would take 1.3 GB.
    if (call.operation == Operation::regressor && backend.model().nv() > 4096) continue;
    conformance::Call one = call;  // of the outputs, which have hundreds of megabytes, just one
    one.outputs = {outputs_of(call).front()};
    Outputs out = room_for(one, backend.model(), batch);
    const Result result = one.run(backend, batch, out);
    EXPECT_EQ(result.code, Code::unsupported) << call.name;
    EXPECT_EQ(message(result), refusal(name_of(call.operation), largest, backend.model().nv()));
    EXPECT_EQ(out.numbers[0].front(), room_for_nothing) << "it wrote to its output";
  }
}

/// Above nv = 4096 no backend keeps a dense matrix.
TEST(LargeRobots, HaveProductsButNoMatrices) {
  constexpr int bodies = 4097;
  const auto model = chain_model(bodies);
  const Batch batch = conformance::random_batch(*model, 1, 140);
  for (const char* name : backends) {
    SCOPED_TRACE(name);
    const auto backend = make_backend(name);
    backend->configure(model);
    expect_matrices_refused_above(4096, *backend, batch);
  }
}

/// Where states lie in lanes there is a matrix for each lane: up to nv = 512. In rows they are
/// computed one after the other.
TEST(LargeRobots, HaveNoMatricesInLanes) {
  constexpr int bodies = 513;
  const auto model = chain_model(bodies);
  for (const char* name : {"cpu", "auto"}) {
    SCOPED_TRACE(name);
    const auto backend = make_backend(name);
    backend->configure(model, {.max_batch = 64});
    const Batch rows = conformance::random_batch(*model, 2, 141);
    const Batch lanes = conformance::in_lanes(rows, backend->lane_width());
    expect_matrices_refused_above(512, *backend, lanes);
    const auto reference = make_backend("reference");
    reference->configure(model, {.max_batch = 2});
    for (const conformance::Call& call : conformance::every_call()) {
      if (call.operation != Operation::inverse_dynamics_derivatives) continue;
      const Outputs actual = run(call, *backend, rows), expected = run(call, *reference, rows);
      ASSERT_TRUE(actual.result.ok()) << message(actual.result);
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_LT(conformance::relative_error(actual.numbers[k], expected.numbers[k]), 1e-12);
      }
    }
  }
}

/// At the limits themselves they are offered.
TEST(LargeRobots, HaveMatricesUpToTheLimitOfLanes) {
  const auto model = chain_model(512);
  const auto backend = make_backend("cpu");
  backend->configure(model, {.max_batch = 64});
  const Batch rows = conformance::random_batch(*model, 2, 142);
  const Batch lanes = conformance::in_lanes(rows, backend->lane_width());
  for (const conformance::Call& call : conformance::every_call()) {
    if (!keeps_matrices(call.operation) || call.operation == Operation::regressor) continue;
    const Outputs in_lanes = run(call, *backend, lanes);
    EXPECT_TRUE(in_lanes.result.ok()) << call.name << ": " << message(in_lanes.result);
    EXPECT_TRUE(in_lanes.status[0].ok() && in_lanes.status[1].ok()) << call.name;
  }
}

/// With mimic joints forward dynamics has no other way than a dense M, products included: the text
/// says why, and does not name the products as a way out.
TEST(LargeRobots, WithMimicJointsHaveNoProductsOfForwardDynamics) {
  conformance::Robot robot = conformance::chain(4098);
  robot.description.joints.back().mimic = Mimic{robot.description.joints.front().name, 0.5, 0};
  const auto model = std::make_shared<const Model>(robot.model());
  ASSERT_EQ(model->nv(), 4097);
  const Batch batch = conformance::random_batch(*model, 1, 143);
  for (const char* name : backends) {
    SCOPED_TRACE(name);
    const auto backend = make_backend(name);
    backend->configure(model);
    for (const conformance::Call& call : conformance::every_call()) {
      if (call.operation <= Operation::link_motion || keeps_matrices(call.operation)) continue;
      Outputs out = conformance::room_for(call, *model, batch);
      const std::string text = message(call.run(*backend, batch, out));
      EXPECT_EQ(text, solves(call) ? name_of(call.operation) +
                                         " keeps a dense mass matrix where joints mimic others, "
                                         "offered here up to nv = 4096; this model has nv = 4097"
                                   : "ok")
          << call.name;
    }
  }
}

}  // namespace
}  // namespace rbd_parallel_core
