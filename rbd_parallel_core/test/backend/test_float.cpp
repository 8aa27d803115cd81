// SPDX-License-Identifier: Apache-2.0
//
// Backends of float beside those of double. test_conformance.cpp runs the suite on them.

#include <gtest/gtest.h>

#include "plain_memory.hpp"
#include "rbd_parallel_core/testing/backend_calls.hpp"
#include "rehoused_backend.hpp"

namespace rbd_parallel_core::conformance {
namespace {

/// States whose numbers a float can hold.
Batch rounded_batch(const Model& model, std::size_t size, std::uint64_t seed) {
  Batch batch = random_batch(model, size, seed);
  for (std::vector<double>* array : {&batch.q, &batch.v, &batch.a, &batch.tau, &batch.wrenches}) {
    for (double& x : *array) x = static_cast<float>(x);
  }
  return batch;
}

TEST(Float, AgreesWithDouble) {
  for (const Robot& robot : small_robots()) {
    const auto model = std::make_shared<const Model>(robot.model());
    const Batch batch = rounded_batch(*model, 37, 132);
    RehousedBackend<float, PlainMemory> single("cpu");
    const auto exact = make_backend("cpu");
    single.configure(model, {.max_batch = batch.size});
    exact->configure(model, {.max_batch = batch.size});
    for (const Call& call : every_call()) {
      // What divides by M takes its condition as a factor; the suite judges it by L^T L = M and the
      // torque of the accelerations.
      if (!call.possible(*model) || call.operation == Operation::forward_dynamics) continue;
      const std::size_t outputs = call.operation == Operation::mass_matrix ? 1 : 3;
      const Outputs actual = run(call, single, batch), expected = run(call, *exact, batch);
      for (std::size_t s = 0; s < batch.size; ++s) {
        EXPECT_TRUE(actual.status[s].ok()) << robot.name << ", " << call.name;
        for (std::size_t k = 0; k < outputs; ++k) {
          EXPECT_LT(relative_error(row(actual, k, s), row(expected, k, s)), 2e-5)
              << robot.name << ", " << call.name << ", output " << k;
        }
      }
    }
  }
}

TEST(Float, NumbersTooLargeForItAreRefused) {
  Robot heavy = mixed_chain();
  heavy.description.links.back().inertial->mass = 1e15;
  const auto model = std::make_shared<const Model>(heavy.model());
  EXPECT_NO_THROW(make_backend<double>("cpu")->configure(model));
  for (const char* name : {"cpu", "reference"}) {
    const auto backend = make_backend<float>(name);
    try {
      backend->configure(model);
      ADD_FAILURE() << name << " took a mass of 1e15 kg";
    } catch (const std::invalid_argument& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("1e12"), text.npos) << text;
      EXPECT_NE(text.find("use double"), text.npos) << text;
    }
    EXPECT_FALSE(backend->configured());
  }
}

}  // namespace
}  // namespace rbd_parallel_core::conformance
