// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/delegating_backend.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "cuda_plugin.hpp"
#include "rbd_parallel_core/model/generators.hpp"
#include "rbd_parallel_core/testing/backend_calls.hpp"

namespace rbd_parallel_ros::testing {
namespace {

namespace conformance = rbd_parallel_core::conformance;
namespace core = rbd_parallel_core;
using ModelPointer = std::shared_ptr<const core::Model>;

class Plugin final : public core::DelegatingBackend {
 public:
  explicit Plugin(const std::string& name) : DelegatingBackend(core::make_backend(name)) {}
};

/// What the plugins of this package let compute; cuda needs a device.
std::vector<std::string> names_of_backends() {
  std::vector<std::string> names = core::backend_names();
  names.push_back("auto");
  return names;
}

/// Both backends of this name: the core's own, and the same as a plugin.
struct Pair {
  Pair(const std::string& name, const ModelPointer& model, std::size_t max_batch)
      : direct(core::make_backend(name)), plugin(name) {
    direct->configure(model, {.max_batch = max_batch});
    plugin.configure(model, {.max_batch = max_batch});
  }
  std::unique_ptr<core::Backend> direct;
  Plugin plugin;
};

void expect_equal(const core::Result& actual, const core::Result& expected) {
  EXPECT_EQ(actual.code, expected.code);
  EXPECT_EQ(actual.argument, expected.argument);
  EXPECT_EQ(actual.expected, expected.expected);
  EXPECT_EQ(actual.actual, expected.actual);
}

/// What prepare refuses a method for, or "".
std::string refusal_of(core::Backend& backend, core::ForwardMethod method) {
  try {
    backend.prepare(method);
    return "";
  } catch (const std::invalid_argument& refusal) {
    return refusal.what();
  }
}

/// Law: a plugin offers every method that the backend behind it does, refuses the others for the
/// same reasons, and gives the same bits.
void expect_same_methods(const std::string& name, const ModelPointer& model) {
  SCOPED_TRACE(name + ", " + model->name());
  Pair backends(name, model, 2);
  const conformance::Batch batch = conformance::random_batch(*model, 2, 5);
  for (const core::ForwardMethod method : core::all_forward_methods) {
    SCOPED_TRACE(core::name_of(method));
    EXPECT_EQ(backends.plugin.offers(method), backends.direct->offers(method));
    EXPECT_EQ(refusal_of(backends.plugin, method), refusal_of(*backends.direct, method));
    EXPECT_EQ(backends.plugin.offers(method), backends.direct->offers(method)) << "when prepared";
    std::vector<double> expected(batch.v.size()), actual(batch.v.size());
    const auto run = [&](core::Backend& backend, std::vector<double>& qdd) {
      return backend.forward_dynamics(
          {.batch = 2, .q = batch.q, .v = batch.v, .tau = batch.tau, .method = method, .qdd = qdd});
    };
    const core::Result result = run(*backends.direct, expected);
    expect_equal(run(backends.plugin, actual), result);
    EXPECT_TRUE(conformance::same_bits(actual, expected));
  }
}

TEST(DelegatingBackend, GivesTheBitsOfItsDelegate) {
  constexpr std::size_t size = 11;
  for (const std::string& name : names_of_backends()) {
    for (const conformance::Robot& robot : conformance::small_robots()) {
      const auto model = std::make_shared<const core::Model>(robot.model());
      Pair backends(name, model, size);
      EXPECT_EQ(backends.plugin.name(), backends.direct->name());
      EXPECT_EQ(backends.plugin.lane_width(), backends.direct->lane_width());
      for (const core::Operation operation : core::all_operations) {
        EXPECT_EQ(backends.plugin.offers(operation), backends.direct->offers(operation))
            << name << ", " << core::name_of(operation);
        EXPECT_EQ(backends.plugin.explain(operation, size),
                  backends.direct->explain(operation, size));
      }
      const conformance::Batch batch = conformance::random_batch(*model, size, 17);
      for (const conformance::Call& call : conformance::every_call()) {
        if (!call.possible(*model)) continue;
        const conformance::Outputs expected = run(call, *backends.direct, batch);
        const conformance::Outputs actual = run(call, backends.plugin, batch);
        ASSERT_TRUE(actual.result.ok()) << name << ", " << robot.name << ", " << call.name;
        for (std::size_t k = 0; k < expected.numbers.size(); ++k) {
          EXPECT_TRUE(conformance::same_bits(actual.numbers[k], expected.numbers[k]))
              << name << ", " << robot.name << ", " << call.name;
        }
      }
    }
  }
}

/// Otherwise the test above would pass over an operation that is new.
TEST(DelegatingBackend, EveryOperationIsAmongTheCalls) {
  const std::vector<conformance::Call>& calls = conformance::every_call();
  for (const core::Operation operation : core::all_operations) {
    EXPECT_TRUE(std::any_of(calls.begin(), calls.end(), [&](const conformance::Call& call) {
      return call.operation == operation;
    })) << core::name_of(operation);
  }
}

TEST(DelegatingBackend, TakesTheMethodsOfItsDelegate) {
  const auto chain = std::make_shared<const core::Model>(core::serial_chain(300, 0.1));
  for (const std::string& name : names_of_backends()) {
    for (const conformance::Robot& robot : conformance::small_robots()) {
      expect_same_methods(name, std::make_shared<const core::Model>(robot.model()));
    }
    expect_same_methods(name, chain);
  }
}

/// Otherwise the test above could pass where nobody offers anything.
TEST(DelegatingBackend, LargeTreesGoByTwoPorts) {
  const auto chain = std::make_shared<const core::Model>(core::serial_chain(300, 0.1));
  for (const char* name : {"tree", "auto"}) {
    Plugin plugin(name);
    plugin.configure(chain);
    EXPECT_TRUE(plugin.offers(core::ForwardMethod::two_port)) << name;
  }
}

/// A dense mass matrix of this chain would have 400 million numbers.
TEST(DelegatingBackend, RefusesAMatrixThatItsDelegateHasNoRoomFor) {
  const auto chain = std::make_shared<const core::Model>(core::serial_chain(20'000));
  for (const char* name : {"cpu", "tree", "auto"}) {
    expect_same_methods(name, chain);
    Plugin plugin(name);
    plugin.configure(chain);
    EXPECT_FALSE(plugin.offers(core::ForwardMethod::crba)) << name;
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
