// SPDX-License-Identifier: Apache-2.0
//
// What the backend "auto" chooses, and that it then gives what the chosen one gives.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "allocation_counter.hpp"
#include "auto/auto_backend.hpp"
#include "backend/gpu/emulated_kernels.hpp"
#include "backend/gpu/faulty_gpu.hpp"
#include "compiled/machine_code.hpp"
#include "forced_costs.hpp"
#include "gpu/host/device_check.hpp"
#include "gpu/host/gpu_backend.hpp"
#include "rbd_parallel_core/model/generators.hpp"
#include "rbd_parallel_core/testing/backend_calls.hpp"
#include "scoped_environment.hpp"

namespace rbd_parallel_core {
namespace {

using conformance::Batch;
using conformance::Call;
using conformance::every_call;
using conformance::Outputs;

std::shared_ptr<const Model> tree_of(int bodies, double branching = 2) {
  return std::make_shared<const Model>(
      auto_tree({.bodies = bodies, .branching = branching, .skew = 0.3}));
}

/// A cpu state costs 10 ns a body, one of tree 4 ns and 1 us: equal at 167 bodies, in batches as
/// well but that cpu computes several at once.
const std::string simple_costs =
    "cpu inverse_dynamics float64 1- 1- 0 10 0 0 0 2\n"
    "tree inverse_dynamics float64 1- 1- 1 4 0 0 0 1.5\n"
    "cpu forward_dynamics float64 1- 1- 0 10 0 0 0 2\n"
    "tree forward_dynamics float64 1- 1- 0 1 12 0 0 1.5\n"
    "cpu sparse_mass_matrix float64 1- 1- 0 0 0 2 0 2\n"
    "tree sparse_mass_matrix float64 1- 1- 0 0 0 1 0 1.5\n";

/// Whatever this machine has.
const CudaSource<double> no_devices{.devices = [] { return 0; }};

AutoBackend<double> simple() {
  return AutoBackend<double>(CostTable::parse(simple_costs, "simple"), no_devices);
}

TEST(AutoBackend, OneStateOfAHugeTreeIsForTreeAndManyOfASmallRobotForCpu) {
  AutoBackend<double> backend(CostTable::built_in());
  for (const double branching : {1.0, 1.5, 2.0}) {
    for (const int threads : {1, 2}) {
      backend.configure(tree_of(10000, branching), {.threads = threads});
      EXPECT_EQ(backend.choice(Operation::inverse_dynamics, 1), Candidate::tree) << branching;
      EXPECT_EQ(backend.choice(Operation::forward_dynamics, 1), Candidate::tree) << branching;
      EXPECT_EQ(backend.name(), "tree");
    }
  }
  for (const int bodies : {1, 7, 30}) {
    backend.configure(tree_of(bodies), {.max_batch = 100'000, .threads = 2});
    for (const std::size_t batch : {1U, 2U, 64U, 100'000U}) {
      for (const Operation operation : all_operations) {
        EXPECT_EQ(backend.choice(operation, batch), Candidate::cpu);
      }
    }
    EXPECT_EQ(backend.name(), "cpu");
  }
}

TEST(AutoBackend, TreesFromASizeOnAreForTree) {
  bool by_tree = false;
  for (const int bodies : {64, 100, 160, 170, 250, 1000}) {
    auto backend = simple();
    backend.configure(tree_of(bodies));
    const bool now = backend.choice(Operation::inverse_dynamics, 1) == Candidate::tree;
    EXPECT_EQ(now, bodies > 167) << bodies;
    EXPECT_TRUE(now || !by_tree) << "a larger tree goes back to cpu";
    by_tree = now;
  }
}

TEST(AutoBackend, DeepTreesCostMore) {
  for (const double branching : {1.0, 2.0}) {
    auto backend = simple();
    backend.configure(tree_of(200, branching));
    EXPECT_EQ(backend.choice(Operation::forward_dynamics, 1),
              branching > 1 ? Candidate::tree : Candidate::cpu);
  }
}

TEST(AutoBackend, BatchesAreForCpuWhereItComputesSeveralStatesAtOnce) {
  auto backend = simple();
  backend.configure(tree_of(2000), {.max_batch = 64});
  EXPECT_EQ(backend.choice(Operation::inverse_dynamics, 1), Candidate::tree);
  if (backend.lane_width() < 4) GTEST_SKIP() << "registers of this machine hold two states";
  EXPECT_EQ(backend.choice(Operation::inverse_dynamics, 64), Candidate::cpu);
  EXPECT_EQ(backend.choice(Operation::inverse_dynamics, 2), Candidate::tree) << "a pack for two";
}

/// cpu 10 us, of which two threads do nothing for one state; tree 5 us on one.
TEST(AutoBackend, PredictsByRunsAndThreads) {
  auto backend = simple();
  backend.configure(tree_of(1000), {.max_batch = 1000});
  EXPECT_DOUBLE_EQ(backend.predicted_us(Candidate::cpu, Operation::inverse_dynamics, 1), 10);
  EXPECT_DOUBLE_EQ(backend.predicted_us(Candidate::tree, Operation::inverse_dynamics, 1), 5);
  EXPECT_DOUBLE_EQ(backend.predicted_us(Candidate::tree, Operation::bias_forces, 1), 5);
  EXPECT_DOUBLE_EQ(backend.predicted_us(Candidate::tree, Operation::inverse_dynamics, 3), 15);
  const std::size_t width = backend.lane_width();
  EXPECT_DOUBLE_EQ(backend.predicted_us(Candidate::cpu, Operation::inverse_dynamics, 2 * width),
                   20);
  EXPECT_DOUBLE_EQ(backend.predicted_us(Candidate::cpu, Operation::inverse_dynamics, width + 1),
                   20);
  backend.configure(tree_of(1000, 1), {.max_batch = 1000, .threads = 2});
  if (backend.plan(Candidate::tree, Operation::inverse_dynamics, 1).threads < 2) {
    GTEST_SKIP() << "one core";
  }
  EXPECT_DOUBLE_EQ(backend.predicted_us(Candidate::cpu, Operation::inverse_dynamics, 1), 10);
  EXPECT_DOUBLE_EQ(backend.predicted_us(Candidate::tree, Operation::inverse_dynamics, 1), 5 / 1.5);
  EXPECT_DOUBLE_EQ(backend.predicted_us(Candidate::cpu, Operation::inverse_dynamics, 16 * width),
                   80);
}

TEST(AutoBackend, EntriesOfTheMassMatrixCount) {
  auto backend = simple();
  const auto model = tree_of(1000, 1);
  backend.configure(model);
  EXPECT_DOUBLE_EQ(backend.predicted_us(Candidate::tree, Operation::sparse_mass_matrix, 1), 500.5);
  EXPECT_EQ(backend.choice(Operation::sparse_mass_matrix, 1), Candidate::tree);
  EXPECT_EQ(backend.choice(Operation::mass_matrix, 1), Candidate::cpu) << "no costs, so cpu";
}

TEST(AutoBackend, TheShapeOfARobot) {
  const RobotShape chain = shape_of(*tree_of(5, 1));
  EXPECT_EQ(chain.bodies, 5U);
  EXPECT_EQ(chain.depth, 5U);
  EXPECT_EQ(chain.entries, 15U);
  EXPECT_EQ(chain.zeros, 0U);
  const RobotShape binary = shape_of(*tree_of(7, 2));
  EXPECT_EQ(binary.depth, 3U);
  EXPECT_EQ(binary.entries, 17U) << "1, two of 2, four of 3";
  EXPECT_EQ(binary.zeros, 49U + 7 - 34);
}

// ---- compiled ----------------------------------------------------------------------------------

/// Code costs half of what cpu does for inverse dynamics, and more for forward dynamics.
const std::string costs_of_code =
    "cpu inverse_dynamics float64 1- 1- 0 10 0 0 0 2\n"
    "compiled inverse_dynamics float64 1- 1- 0 5 0 0 0 2\n"
    "cpu forward_dynamics float64 1- 1- 0 10 0 0 0 2\n"
    "compiled forward_dynamics float64 1- 1- 0 11 0 0 0 2\n";

TEST(AutoBackend, CodeIsMadeAndChosenWhereItCostsLess) {
  if (!compiled::why_no_machine_code().empty()) GTEST_SKIP() << compiled::why_no_machine_code();
  AutoBackend<double> backend(CostTable::parse(costs_of_code, "code"), no_devices);
  const auto model = tree_of(6);
  backend.configure(model, {.max_batch = 9});
  EXPECT_EQ(backend.name(), "compiled");
  for (const Operation operation : all_operations) {
    const bool gains = priced_as(operation) == Operation::inverse_dynamics &&
                       operation <= Operation::coriolis_forces;
    EXPECT_EQ(backend.choice(operation, 9), gains ? Candidate::compiled : Candidate::cpu)
        << name_of(operation);
  }
  EXPECT_TRUE(backend.explain(Operation::inverse_dynamics, 1)
                  .starts_with("compiled: one state of 6 bodies on one thread, predicted 0.03 us, "
                               "cpu 0.06 us"))
      << backend.explain(Operation::inverse_dynamics, 1);
  const auto compiled = make_backend("compiled"), cpu = make_backend("cpu");
  compiled->configure(model, {.max_batch = 9});
  cpu->configure(model, {.max_batch = 9});
  const Batch batch = conformance::random_batch(*model, 9, 3);
  for (const Call& call : every_call()) {
    const bool by_code = backend.choice(call.operation, 9) == Candidate::compiled;
    const Outputs actual = run(call, backend, batch);
    const Outputs expected = run(call, by_code ? *compiled : *cpu, batch);
    for (std::size_t k = 0; k < Outputs::most; ++k) {
      EXPECT_TRUE(conformance::same_bits(actual.numbers[k], expected.numbers[k])) << call.name;
    }
  }
}

TEST(AutoBackend, OperationsWithoutCostsAreCompiledWhereTheyAreNamed) {
  if (!compiled::why_no_machine_code().empty()) GTEST_SKIP() << compiled::why_no_machine_code();
  AutoBackend<double> backend(CostTable::parse(costs_of_code, "code"), no_devices);
  backend.configure(tree_of(6), {.compile = {{Operation::energies}}});
  EXPECT_EQ(backend.choice(Operation::energies, 1), Candidate::compiled);
  EXPECT_EQ(backend.explain(Operation::energies, 1),
            "compiled: energies is among the operations to compile");
  EXPECT_EQ(backend.choice(Operation::inverse_dynamics, 1), Candidate::cpu) << "it is not named";
  EXPECT_EQ(backend.choice(Operation::link_motion, 1), Candidate::cpu);
}

TEST(AutoBackend, RobotsTooLargeToCompileAreForCpu) {
  AutoBackend<double> backend(CostTable::parse(costs_of_code, "code"), no_devices);
  backend.configure(tree_of(500, 1));
  EXPECT_EQ(backend.choice(Operation::inverse_dynamics, 1), Candidate::cpu);
  const std::string text = backend.explain(Operation::inverse_dynamics, 1);
  EXPECT_NE(text.find("; compiled fell back to cpu: "), std::string::npos) << text;
}

// ---- what is computed ---------------------------------------------------------------------------

/// Dense factors and crba are left to cpu, whatever is chosen for the operation.
bool is_left_to_cpu(const Call& call) {
  return call.operation == Operation::mass_matrix ||
         std::string(call.name).find("crba") != std::string::npos;
}

TEST(AutoBackend, GivesTheBitsOfTheChosenOne) {
  const auto model = tree_of(300, 1.5);
  for (const Candidate candidate : {Candidate::cpu, Candidate::tree}) {
    for (const std::size_t size : {1U, 2U, 21U}) {
      const BackendOptions options{.max_batch = size, .threads = 2};
      AutoBackend<double> backend(only(candidate));
      backend.configure(model, options);
      EXPECT_EQ(backend.name(), name_of(candidate));
      const Batch batch = conformance::random_batch(*model, size, 3);
      for (const Call& call : every_call()) {
        const Candidate chosen =
            is_left_to_cpu(call) ? Candidate::cpu : backend.choice(call.operation, size);
        const auto alone = make_backend(name_of(chosen));
        alone->configure(model, options);
        const Outputs actual = run(call, backend, batch), expected = run(call, *alone, batch);
        ASSERT_TRUE(actual.result.ok()) << call.name;
        for (std::size_t k = 0; k < Outputs::most; ++k) {
          EXPECT_TRUE(conformance::same_bits(actual.numbers[k], expected.numbers[k]))
              << call.name << " by " << name_of(chosen) << ", " << size << " states";
        }
      }
    }
  }
}

TEST(AutoBackend, LeavesToCpuWhatTreeDoesBodyAfterBody) {
  AutoBackend<double> backend(only(Candidate::tree));
  backend.configure(tree_of(300), {.max_batch = 2});
  for (const Operation operation : all_operations) {
    const bool one_by_one = operation >= Operation::energies;  // links and derivatives too
    EXPECT_EQ(backend.choice(operation, 2), one_by_one ? Candidate::cpu : Candidate::tree)
        << name_of(operation);
  }
}

/// A dense M without factors is what tree offers.
TEST(AutoBackend, TheDenseMassMatrixAloneIsForTree) {
  const auto model = tree_of(100);
  const Batch batch = conformance::random_batch(*model, 1, 5);
  AutoBackend<double> backend(only(Candidate::tree));
  const auto tree = make_backend("tree");
  backend.configure(model);
  tree->configure(model);
  std::vector<double> actual(100 * 100), expected(100 * 100);
  ASSERT_TRUE(backend.mass_matrix({.q = batch.q, .mass_matrix = actual}).ok());
  ASSERT_TRUE(tree->mass_matrix({.q = batch.q, .mass_matrix = expected}).ok());
  EXPECT_TRUE(conformance::same_bits(actual, expected));
}

TEST(AutoBackend, ChoosingDoesNotAllocate) {
  if (!conformance::can_count_allocations()) GTEST_SKIP() << "a sanitizer has a malloc of its own";
  const auto model = tree_of(200);
  AutoBackend<double> backend(CostTable::built_in());
  backend.configure(model, {.max_batch = 64});
  for (const std::size_t size : {1U, 2U, 64U}) {
    const Batch batch = conformance::random_batch(*model, size, 9);
    for (const Call& call : every_call()) {
      Outputs out = room_for(call, *model, batch);
      EXPECT_EQ(allocations_during([&] { out.result = call.run(backend, batch, out); }), 0U)
          << call.name << ", " << size << " states";
      EXPECT_TRUE(out.result.ok()) << call.name;
    }
  }
}

// ---- what is said -------------------------------------------------------------------------------

TEST(AutoBackend, ExplainsItsChoice) {
  auto backend = simple();
  EXPECT_EQ(backend.name(), "cpu");
  EXPECT_EQ(backend.explain(Operation::inverse_dynamics, 1),
            "auto chooses when it is configured for a robot");
  backend.configure(tree_of(1000), {.max_batch = 1000});
  EXPECT_EQ(backend.explain(Operation::inverse_dynamics, 1),
            "tree: one state of 1000 bodies on one thread, predicted 5 us, cpu 10 us");
  EXPECT_EQ(backend.explain(Operation::inverse_dynamics, 1000).rfind("cpu: 1000 states of ", 0),
            0U);
  EXPECT_EQ(backend.explain(Operation::energies, 1),
            "cpu: tree would compute energies of this robot one body after the other");
  EXPECT_EQ(
      backend.explain(Operation::mass_matrix, 1),
      "cpu: one state of 1000 bodies on one thread, predicted unknown to simple, tree unknown "
      "to simple");
  backend.configure(tree_of(7));
  EXPECT_EQ(backend.explain(Operation::inverse_dynamics, 1),
            "cpu: tree is for robots of 64 bodies and more, this one has 7 bodies");
  AutoBackend<double> without_tree(only(Candidate::cpu), no_devices);
  without_tree.configure(tree_of(100));
  EXPECT_EQ(without_tree.explain(Operation::inverse_dynamics, 1),
            "cpu: only cpu has no costs of tree for 100 bodies");
}

TEST(Explain, OtherBackendsComputeEverything) {
  for (const std::string& name : backend_names()) {
    if (name == "compiled") continue;  // which leaves some to cpu: CompiledBackendTest
    EXPECT_EQ(make_backend(name)->explain(Operation::energies, 3), name + " computes everything");
  }
}

// ---- a device -----------------------------------------------------------------------------------

/// 2 us for up to 1024 states, whatever the robot.
const std::string device_costs = simple_costs +
                                 "cuda inverse_dynamics float64 1- 1- 2 0 0 0 0 1\n"
                                 "cuda forward_dynamics float64 1- 1- 2 0 0 0 0 1\n"
                                 "cuda mass_matrix float64 1- 1- 2 0 0 0 0 1\n";

/// Played by the CPU, told to fail by a test.
CudaSource<double> played_device() {
  return {[]() -> std::unique_ptr<Backend> {
            return std::make_unique<GpuBackend<double>>(FaultyGpu::api(),
                                                        emulated_kernels<double>());
          },
          [] { return usable_devices(FaultyGpu::api()); }};
}

AutoBackend<double> with_device(const std::string& costs) {
  FaultyGpu::reset();
  return AutoBackend<double>(CostTable::parse(costs, "simple"), played_device());
}

TEST(AutoBackend, LargeBatchesAreForADeviceThatHasCosts) {
  auto backend = with_device(device_costs);
  backend.configure(tree_of(30), {.max_batch = 100'000});
  EXPECT_EQ(backend.choice(Operation::inverse_dynamics, 1), Candidate::cpu);
  EXPECT_EQ(backend.choice(Operation::inverse_dynamics, 100'000), Candidate::cuda);
  EXPECT_DOUBLE_EQ(backend.predicted_us(Candidate::cuda, Operation::inverse_dynamics, 1024), 2);
  EXPECT_DOUBLE_EQ(backend.predicted_us(Candidate::cuda, Operation::inverse_dynamics, 1025), 4);
  EXPECT_EQ(backend.name(), "cuda");
  const std::string why = backend.explain(Operation::inverse_dynamics, 100'000);
  EXPECT_EQ(why.rfind("cuda: 100000 states of 30 bodies on the device, predicted 196 us, cpu ", 0),
            0U)
      << why;
}

TEST(AutoBackend, GivesTheNumbersOfTheDevice) {
  const auto model = tree_of(30);
  const std::size_t size = 3000;
  const Batch batch = conformance::random_batch(*model, size, 3);
  auto backend = with_device(device_costs);
  backend.configure(model, {.max_batch = size});
  ASSERT_EQ(backend.choice(Operation::forward_dynamics, size), Candidate::cuda);
  const auto alone = played_device().make();
  alone->configure(model, {.max_batch = size});
  for (const Call& call : every_call()) {
    if (call.operation != Operation::forward_dynamics || is_left_to_cpu(call)) continue;
    const Outputs actual = run(call, backend, batch), expected = run(call, *alone, batch);
    ASSERT_TRUE(actual.result.ok()) << call.name;
    EXPECT_TRUE(conformance::same_bits(actual.numbers[0], expected.numbers[0])) << call.name;
  }
}

/// Whether or not the device offers derivatives, auto does: what the device lacks cpu computes.
TEST(AutoBackend, OffersDerivativesWhateverTheDeviceDoes) {
  const auto model = tree_of(30);
  const Batch batch = conformance::random_batch(*model, 5, 3);
  auto backend = with_device(device_costs);
  backend.configure(model, {.max_batch = batch.size});
  const auto cpu = make_backend("cpu");
  cpu->configure(model, {.max_batch = batch.size});
  for (const Call& call : every_call()) {
    if (call.operation < Operation::link_motion) continue;
    EXPECT_TRUE(backend.offers(call.operation)) << call.name;
    const Outputs actual = run(call, backend, batch), expected = run(call, *cpu, batch);
    ASSERT_TRUE(actual.result.ok()) << call.name << ": " << message(actual.result);
    for (std::size_t k = 0; k < Outputs::most; ++k) {
      EXPECT_LT(conformance::relative_error(actual.numbers[k], expected.numbers[k]), 1e-9)
          << call.name;
    }
  }
}

/// A device that is lost leaves its calls to cpu.
TEST(AutoBackend, GoesOnWithoutADeviceThatFails) {
  const auto model = tree_of(30);
  const std::size_t size = 3000;
  const Batch batch = conformance::random_batch(*model, size, 3);
  auto backend = with_device(device_costs);
  backend.configure(model, {.max_batch = size});
  const auto cpu = make_backend("cpu");
  cpu->configure(model, {.max_batch = size});
  std::vector<double> actual(size * 30), expected(size * 30);
  ASSERT_EQ(backend.choice(Operation::inverse_dynamics, size), Candidate::cuda);
  FaultyGpu::calls = 0;
  FaultyGpu::fail_at = 3;
  for (int call = 0; call < 2; ++call) {
    ASSERT_TRUE(
        backend
            .inverse_dynamics({.batch = size, .q = batch.q, .v = batch.v, .a = {}, .tau = actual})
            .ok());
    ASSERT_TRUE(
        cpu->inverse_dynamics({.batch = size, .q = batch.q, .v = batch.v, .a = {}, .tau = expected})
            .ok());
    EXPECT_TRUE(conformance::same_bits(actual, expected));
    EXPECT_EQ(backend.choice(Operation::inverse_dynamics, size), Candidate::cpu);
    EXPECT_EQ(backend.name(), "cpu");
    const std::string why = backend.explain(Operation::inverse_dynamics, size);
    EXPECT_EQ(why.rfind("cpu: ", 0), 0U) << why;
    EXPECT_NE(why.find("; no cuda: cuda: unusable since a call failed ("), std::string::npos)
        << why;
  }
  FaultyGpu::reset();
  backend.configure(model, {.max_batch = size});
  EXPECT_EQ(backend.choice(Operation::inverse_dynamics, size), Candidate::cuda);
}

TEST(AutoBackend, MatricesThatADeviceDoesNotDoAreNotForIt) {
  auto backend = with_device(device_costs);
  backend.configure(tree_of(largest_gpu_matrix), {.max_batch = 10});
  EXPECT_EQ(backend.choice(Operation::mass_matrix, 10), Candidate::cuda);
  backend.configure(tree_of(largest_gpu_matrix + 1), {.max_batch = 10});
  EXPECT_EQ(backend.choice(Operation::mass_matrix, 10), Candidate::cpu);
}

TEST(AutoBackend, SaysWhyADeviceIsNotUsed) {
  auto no_costs = with_device(simple_costs);
  no_costs.configure(tree_of(7));
  EXPECT_EQ(no_costs.explain(Operation::inverse_dynamics, 1),
            "cpu: tree is for robots of 64 bodies and more, this one has 7 bodies; there is a CUDA "
            "device, but simple has no costs of cuda: ./dev bench --calibrate measures them");
  FaultyGpu::devices = 0;
  EXPECT_EQ(no_costs.explain(Operation::inverse_dynamics, 1),
            "cpu: tree is for robots of 64 bodies and more, this one has 7 bodies");
  auto no_device = with_device(device_costs);
  FaultyGpu::devices = 0;
  no_device.configure(tree_of(7), {.max_batch = 100'000});
  EXPECT_EQ(no_device.choice(Operation::inverse_dynamics, 100'000), Candidate::cpu);
  EXPECT_EQ(no_device.explain(Operation::inverse_dynamics, 1),
            "cpu: tree is for robots of 64 bodies and more, this one has 7 bodies; no cuda: cuda: "
            "the NVIDIA driver finds no device; the backend 'cpu' needs none");
  FaultyGpu::reset();
}

TEST(AutoBackend, CountsDevices) {
  FaultyGpu::reset();
  EXPECT_EQ(usable_devices(FaultyGpu::api()), 1);
  FaultyGpu::driver = 0;
  EXPECT_EQ(usable_devices(FaultyGpu::api()), 0);
  FaultyGpu::reset();
  FaultyGpu::device_error = gpu_error::driver_too_old;
  EXPECT_EQ(usable_devices(FaultyGpu::api()), 0);
  FaultyGpu::reset();
}

// ---- where the costs come from ------------------------------------------------------------------

TEST(AutoBackend, ConfigureReadsTheCostsOfTheEnvironment) {
  const auto path = std::filesystem::temp_directory_path() / "rbd_parallel_test_auto_costs.txt";
  std::ofstream(path) << simple_costs;
  const auto model = tree_of(1000), small = tree_of(7);
  const auto backend = make_backend("auto");
  const ScopedEnvironment costs("RBD_PARALLEL_COSTS", path.string());
  backend->configure(model);
  EXPECT_TRUE(
      backend->explain(Operation::inverse_dynamics, 1)
          .starts_with("tree: one state of 1000 bodies on one thread, predicted 5 us, cpu 10 us"));
  std::ofstream(path) << "cpu what\n";
  for (const auto& robot : {model, small}) {
    try {
      backend->configure(robot);
      ADD_FAILURE() << "bad costs are taken";
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(std::string(error.what()).rfind(path.string() + ", line 1: it has 2 words", 0), 0U)
          << error.what();
    }
    EXPECT_FALSE(backend->configured());
    EXPECT_EQ(backend->name(), "cpu");
  }
  std::filesystem::remove(path);
}

/// Costs that know nothing of code do not keep it from who asks for it by name.
TEST(AutoBackend, OperationsThatAreNamedAreComputedByTheirCode) {
  const auto model = std::make_shared<const Model>(auto_tree({.bodies = 6}));
  const char* costs = "cpu inverse_dynamics float64 1- 1- 0.1 10 0 0 0 1";
  AutoBackend<double> backend(CostTable::parse(costs, "these costs"));
  BackendOptions options;
  options.max_batch = 8;
  options.compile = {Operation::inverse_dynamics};
  backend.configure(model, options);
  const std::string why = backend.explain(Operation::inverse_dynamics, 8);
  if (why.find("fell back") != std::string::npos) GTEST_SKIP() << why;
  EXPECT_EQ(backend.choice(Operation::inverse_dynamics, 8), Candidate::compiled);
  EXPECT_EQ(backend.name(), "compiled");
  EXPECT_EQ(why, "compiled: inverse_dynamics is among the operations to compile");
  EXPECT_EQ(backend.choice(Operation::mass_matrix, 8), Candidate::cpu) << "is not named";
}

}  // namespace
}  // namespace rbd_parallel_core
