// SPDX-License-Identifier: Apache-2.0
// The host side of the backend "cuda": missing and failing devices, chunks, arrays on the device.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "device_arrays.hpp"
#include "emulated_kernels.hpp"
#include "faulty_gpu.hpp"
#include "gpu/host/gpu_backend.hpp"
#include "rbd_parallel_core/model/generators.hpp"
#include "rbd_parallel_core/study/scan_dynamics.hpp"
#include "rbd_parallel_core/testing/robots.hpp"

namespace rbd_parallel_core {
namespace {

std::shared_ptr<const Model> small_tree() {
  return std::make_shared<const Model>(conformance::mixed_tree(Base::floating).model());
}

template <class Real = double>
std::unique_ptr<GpuBackend<Real>> make_gpu(const GpuSettings& settings = {}) {
  return std::make_unique<GpuBackend<Real>>(FaultyGpu::api(), emulated_kernels<Real>(), settings);
}

/// A configured one that computes states in parallel only.
std::unique_ptr<GpuBackend<double>> make_states_only(const std::shared_ptr<const Model>& model) {
  auto backend = make_gpu();
  backend->configure(model);
  return backend;
}

struct Numbers {
  std::vector<double> q, v, a;

  Numbers(const Model& model, std::size_t batch) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const auto fill = [&](std::vector<double>& numbers, int n) {
      numbers.resize(batch * static_cast<std::size_t>(n));
      std::generate(numbers.begin(), numbers.end(), [&] { return uniform(random); });
    };
    fill(q, model.nq());
    fill(v, model.nv());
    fill(a, model.nv());
  }
};

class GpuHostSide : public ::testing::Test {
 protected:
  void SetUp() override { FaultyGpu::reset(); }
  void TearDown() override { EXPECT_EQ(FaultyGpu::live, 0) << "something was not given back"; }

  static std::string refusal(const GpuSettings& settings = {}) {
    const auto backend = make_gpu(settings);
    try {
      backend->configure(small_tree());
    } catch (const std::exception& error) {
      EXPECT_FALSE(backend->configured());
      return error.what();
    }
    return "";
  }
};

TEST_F(GpuHostSide, SaysThatThereIsNoDriver) {
  FaultyGpu::driver = 0;
  FaultyGpu::device_error = gpu_error::driver_too_old;  // so answers the runtime without one
  EXPECT_EQ(refusal(),
            "cuda: there is no NVIDIA driver on this machine; the backend 'cpu' needs none");
}

TEST_F(GpuHostSide, SaysThatTheDriverIsTooOld) {
  FaultyGpu::driver = 12020;
  FaultyGpu::device_error = gpu_error::driver_too_old;
  EXPECT_EQ(
      refusal(),
      "cuda: the NVIDIA driver is for CUDA 12.2, this library needs one for CUDA 13.0: update "
      "the driver; the backend 'cpu' needs none");
}

TEST_F(GpuHostSide, SaysThatThereIsNoDevice) {
  FaultyGpu::device_error = gpu_error::no_device;
  EXPECT_EQ(refusal(), "cuda: the NVIDIA driver finds no device; the backend 'cpu' needs none");
  FaultyGpu::device_error = 0;
  FaultyGpu::devices = 0;
  EXPECT_EQ(refusal(), "cuda: the NVIDIA driver finds no device; the backend 'cpu' needs none");
}

/// Here, not in the first call: so that others can take over.
TEST_F(GpuHostSide, SaysThatThereAreNoKernelsForTheDevice) {
  FaultyGpu::capability = 61;
  FaultyGpu::kernel_error = 209;
  EXPECT_EQ(refusal(),
            "cuda: device 0 has compute capability 6.1, for which this library has no kernels (an "
            "error of the pretended device, error 209): build it with -DRBD_CUDA_ARCHITECTURES=61; "
            "the backend 'cpu' needs none");
}

TEST_F(GpuHostSide, RefusesSettingsThatCannotBe) {
  EXPECT_EQ(refusal({.device = 1}),
            "cuda: device 1 is not there; devices are numbered from 0 to 0");
  EXPECT_NE(refusal({.block = 257}).find("1 to 256 threads"), std::string::npos);
  EXPECT_NE(refusal({.chunk = 0}).find("at least one state"), std::string::npos);
  EXPECT_NE(refusal({.memory = 1000}).find("1000 are to be had"), std::string::npos);
}

TEST_F(GpuHostSide, RefusesSettingsWithoutEffect) {
  EXPECT_EQ(refusal({.graphs = true}),
            "cuda: graphs is for bodies_in_parallel, which is off: set it, or leave graphs off");
  EXPECT_EQ(
      refusal({.cub_scans = true}),
      "cuda: cub_scans is for bodies_in_parallel, which is off: set it, or leave cub_scans off");
  EXPECT_EQ(refusal({.bodies_in_parallel = true, .overlap = true}),
            "cuda: overlap is for states in parallel; with bodies_in_parallel one state comes "
            "after the other: leave one of them off");
  EXPECT_EQ(refusal({.bodies_in_parallel = true, .cub_scans = true}),
            "cuda: cub_scans is for the scan forms, and this robot goes by blocks: set the family "
            "of BackendOptions::tree to scans, or leave cub_scans off");
}

TEST_F(GpuHostSide, RefusesTreeOptionsWithoutEffect) {
  const auto refusal_of = [](const GpuSettings& settings, const TreeOptions& tree) -> std::string {
    try {
      make_gpu(settings)->configure(small_tree(), {.tree = tree});
      return "";
    } catch (const std::invalid_argument& refused) {
      return refused.what();
    }
  };
  EXPECT_EQ(refusal_of({}, {.family = TreeFamily::scans}),
            "configure: family is scans, which the backend cuda without bodies_in_parallel does "
            "not take; leave it out, or use tree, or cuda with bodies_in_parallel");
  EXPECT_NE(refusal_of({}, {.block = 4}).find("block is 4"), std::string::npos);
  EXPECT_NE(refusal_of({.bodies_in_parallel = true}, {.group = 4}).find("group is 4"),
            std::string::npos);
  EXPECT_EQ(refusal_of({.bodies_in_parallel = true}, {.block = 4}), "");
}

/// Robots with mimic joints go by scans, whatever the family.
TEST_F(GpuHostSide, TakesScansOfALibraryWhereScansAre) {
  const auto hand = std::make_shared<const Model>(conformance::mimic_hand().model());
  make_gpu({.bodies_in_parallel = true, .cub_scans = true})->configure(hand);
  make_gpu({.bodies_in_parallel = true, .cub_scans = true})
      ->configure(small_tree(), {.tree = {.family = TreeFamily::scans}});
}

/// Whichever step of configure fails, it throws, gives all back, and can be repeated.
TEST_F(GpuHostSide, ConfigureSurvivesAFailureOfEveryStep) {
  make_gpu()->configure(small_tree());
  const int steps = FaultyGpu::calls;
  ASSERT_GT(steps, 4);
  FaultyGpu::error = gpu_error::out_of_memory;
  for (int step = 0; step < steps; ++step) {
    const auto backend = make_gpu();
    FaultyGpu::calls = 0;
    FaultyGpu::fail_at = step;
    EXPECT_THROW(backend->configure(small_tree()), std::runtime_error) << step;
    FaultyGpu::fail_at = -1;
    backend->configure(small_tree());
    EXPECT_TRUE(backend->configured());
  }
}

void check_failures_of_calls(bool overlap) {
  const auto model = small_tree();
  const std::size_t batch = 5;
  const Numbers numbers(*model, batch);
  std::vector<double> tau(batch * static_cast<std::size_t>(model->nv())), expected(tau);
  std::vector<StateStatus> status(batch);
  const auto backend = make_gpu({.chunk = 2, .overlap = overlap});
  const auto call = [&](std::vector<double>& out) {
    return backend->inverse_dynamics({.batch = batch,
                                      .q = numbers.q,
                                      .v = numbers.v,
                                      .a = numbers.a,
                                      .tau = out,
                                      .status = status});
  };
  backend->configure(model, {.max_batch = batch});
  FaultyGpu::calls = 0;
  ASSERT_TRUE(call(expected).ok());
  const int steps = FaultyGpu::calls;
  ASSERT_GT(steps, 20);
  for (int step = 0; step < steps; ++step) {
    FaultyGpu::calls = 0;
    FaultyGpu::fail_at = step;
    const Result failed = call(tau);
    EXPECT_EQ(failed.code, Code::failed) << step;
    EXPECT_EQ(failed.actual, FaultyGpu::error);
    FaultyGpu::fail_at = -1;
    const int asked = FaultyGpu::calls;
    EXPECT_EQ(call(tau).code, Code::failed) << "the error is sticky";
    EXPECT_EQ(FaultyGpu::calls, asked) << "a device that failed is asked again";
    EXPECT_NE(backend->explain(Operation::inverse_dynamics, 1).find("unusable"), std::string::npos);
    backend->configure(model, {.max_batch = batch});
    ASSERT_TRUE(call(tau).ok()) << step;
    EXPECT_EQ(tau, expected);
  }
}

/// Whichever step of a call fails, the call says so, the backend stays unusable and says why until
/// it is configured again, and the results of a later call are right.
TEST_F(GpuHostSide, CallsSurviveAFailureOfEveryStep) {
  for (const bool overlap : {false, true}) check_failures_of_calls(overlap);
}

/// Batches from one state to 1e5, larger and smaller than a block and a chunk, against "cpu".
TEST_F(GpuHostSide, BatchesOfAllSizes) {
  const auto model = std::make_shared<const Model>(conformance::mixed_tree(Base::fixed).model());
  const auto nv = static_cast<std::size_t>(model->nv());
  constexpr std::size_t largest = 100000;
  const Numbers numbers(*model, largest);
  const auto cpu = make_backend("cpu");
  cpu->configure(model, {.max_batch = largest});
  const auto gpu = make_gpu({.memory = std::size_t{64} << 20});
  gpu->configure(model, {.max_batch = largest});
  EXPECT_LT(gpu->chunk(), 50000) << "the batch should be larger than the memory";
  for (const std::size_t batch : {std::size_t{1}, std::size_t{2}, std::size_t{31}, std::size_t{32},
                                  std::size_t{33}, std::size_t{129}, std::size_t{4097}, largest}) {
    std::vector<double> expected(batch * nv), tau(batch * nv), qdd(batch * nv);
    const std::span q(numbers.q.data(), batch * static_cast<std::size_t>(model->nq()));
    const std::span v(numbers.v.data(), batch * nv), a(numbers.a.data(), batch * nv);
    ASSERT_TRUE(cpu->inverse_dynamics({.batch = batch, .q = q, .v = v, .a = a, .tau = expected}));
    ASSERT_TRUE(gpu->inverse_dynamics({.batch = batch, .q = q, .v = v, .a = a, .tau = tau}));
    ASSERT_TRUE(gpu->forward_dynamics({.batch = batch, .q = q, .v = v, .tau = tau, .qdd = qdd}));
    double largest_tau = 0, tau_error = 0, qdd_error = 0;
    for (std::size_t k = 0; k < batch * nv; ++k) {
      largest_tau = std::max(largest_tau, std::abs(expected[k]));
      tau_error = std::max(tau_error, std::abs(tau[k] - expected[k]));
      qdd_error = std::max(qdd_error, std::abs(qdd[k] - a[k]));
    }
    EXPECT_LE(tau_error, 1e-13 * largest_tau) << batch;
    EXPECT_LE(qdd_error, 1e-9) << "FD(ID(a)) = a, batch " << batch;
  }
}

TEST_F(GpuHostSide, ArraysOnTheDeviceAreNotCopied) {
  const auto model = small_tree();
  const std::size_t batch = 70, nv = static_cast<std::size_t>(model->nv());
  const Numbers numbers(*model, batch);
  const auto backend = make_gpu({.chunk = 33});
  backend->configure(model, {.max_batch = batch});
  std::vector<double> expected(batch * nv), M(batch * nv * nv);
  ASSERT_TRUE(
      backend->bias_forces({.batch = batch, .q = numbers.q, .v = numbers.v, .tau = expected}));
  ASSERT_TRUE(backend->mass_matrix({.batch = batch, .q = numbers.q, .mass_matrix = M}));

  DeviceArrays device;
  const std::span<double> q = device.copy(numbers.q), v = device.copy(numbers.v),
                          tau = device.copy(std::vector<double>(batch * nv)),
                          M_there = device.copy(std::vector<double>(batch * nv * nv));
  FaultyGpu::copies = 0;
  ASSERT_TRUE(backend->bias_forces({.batch = batch, .q = q, .v = v, .tau = tau}));
  ASSERT_TRUE(backend->mass_matrix({.batch = batch, .q = q, .mass_matrix = M_there}));
  EXPECT_EQ(FaultyGpu::copies, 0);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), tau.begin()));
  EXPECT_TRUE(std::equal(M.begin(), M.end(), M_there.begin()));
}

/// The Jacobians of several links stand beside each other in a row of the caller.
TEST_F(GpuHostSide, PartsOfRowsOnTheDevice) {
  const auto model = small_tree();
  const std::size_t batch = 5, nv = static_cast<std::size_t>(model->nv());
  const std::vector<int> links{1, 0, 2};
  const Numbers numbers(*model, batch);
  const auto backend = make_gpu({.chunk = 3});
  backend->configure(model, {.max_batch = batch});
  std::vector<double> poses(batch * 3 * 7), J(batch * 3 * 6 * nv);
  ASSERT_TRUE(backend->link_kinematics(
      {.batch = batch, .q = numbers.q, .links = links, .poses = poses, .jacobian = J}));
  DeviceArrays device;
  const std::span<double> q = device.copy(numbers.q),
                          poses_there = device.copy(std::vector<double>(poses.size())),
                          J_there = device.copy(std::vector<double>(J.size()));
  FaultyGpu::copies = 0;
  ASSERT_TRUE(backend->link_kinematics(
      {.batch = batch, .q = q, .links = links, .poses = poses_there, .jacobian = J_there}));
  EXPECT_EQ(FaultyGpu::copies, 0);
  EXPECT_TRUE(std::equal(poses.begin(), poses.end(), poses_there.begin()));
  EXPECT_TRUE(std::equal(J.begin(), J.end(), J_there.begin()));
}

/// Methods that the host computes for every backend do not touch the device: whichever array lies
/// there is refused by name.
TEST_F(GpuHostSide, MethodsOfTheHostRefuseArraysOnTheDevice) {
  const auto model = std::make_shared<const Model>(serial_chain(4));
  const Numbers numbers(*model, 1);
  std::vector<double> qdd(numbers.v.size());
  std::vector<StateStatus> status(1);
  DeviceArrays device;
  const std::span<double> there = device.copy(numbers.q);
  GpuMemory status_memory(emulated_api(), GpuMemory::Place::device, sizeof(StateStatus));
  const std::span status_there(reinterpret_cast<StateStatus*>(status_memory.get()), 1);
  const auto backend = make_gpu();
  backend->configure(model);
  for (const PublishedMethod published : published_methods) {
    const ForwardMethod method = forward_method_of(published);
    backend->prepare(method);
    const ForwardDynamics of_host{.q = numbers.q,
                                  .v = numbers.v,
                                  .tau = numbers.a,
                                  .method = method,
                                  .qdd = qdd,
                                  .status = status};
    EXPECT_TRUE(backend->forward_dynamics(of_host));
    const auto refuses = [&](Argument argument, const auto& change) {
      ForwardDynamics args = of_host;
      change(args);
      const Result result = backend->forward_dynamics(args);
      EXPECT_EQ(result.code, Code::on_device) << name_of(method);
      EXPECT_EQ(result.argument, argument) << name_of(method);
      EXPECT_NE(message(result).find(std::string("for method ") + name_of(published)),
                std::string::npos)
          << message(result);
    };
    refuses(Argument::q, [&](ForwardDynamics& args) { args.q = there; });
    refuses(Argument::v, [&](ForwardDynamics& args) { args.v = there; });
    refuses(Argument::tau, [&](ForwardDynamics& args) { args.tau = there; });
    refuses(Argument::qdd, [&](ForwardDynamics& args) { args.qdd = there; });
    refuses(Argument::status, [&](ForwardDynamics& args) { args.status = status_there; });
  }
  EXPECT_TRUE(backend->forward_dynamics(
      {.q = there, .v = {}, .tau = {}, .qdd = qdd, .status = status_there}))
      << "what the device computes takes all of them there";
  FaultyGpu::fail_at = FaultyGpu::calls + 1;  // asked about qdd, after q
  EXPECT_EQ(backend
                ->forward_dynamics(
                    {.q = numbers.q, .v = {}, .tau = {}, .method = ForwardMethod::dca, .qdd = qdd})
                .code,
            Code::failed)
      << "a device that cannot say whose memory it is";
}

/// The host reads the names of links for every operation.
/// More wrenches than eight for each state make chunks of fewer states, whose lanes have room in
/// the buffer all the same.
TEST_F(GpuHostSide, ManyWrenchesOnEachState) {
  const auto model = small_tree();
  const int last = static_cast<int>(model->links().size()) - 1;
  const auto nv = static_cast<std::size_t>(model->nv());
  for (const std::size_t batch : {1, 33, 64, 100}) {
    const Numbers numbers(*model, batch);
    const auto reference = make_backend("reference"),
               gpu = static_cast<std::unique_ptr<Backend>>(make_gpu());
    reference->configure(model, {.max_batch = batch});
    gpu->configure(model, {.max_batch = batch});
    for (const std::size_t count : {8, 9, 28, 190}) {
      if (batch == 1 && count > 28) continue;  // more than it has memory for
      std::vector<int> links(count);
      for (std::size_t k = 0; k < count; ++k) links[k] = static_cast<int>(k) % (last + 1);
      conformance::Random random(count);
      const std::vector<double> wrenches = random.numbers(batch * count * 6, 3);
      for (const Axes axes : {Axes::link, Axes::world}) {
        std::vector<double> expected(batch * nv), found(batch * nv);
        const auto compute = [&](Backend& backend, std::vector<double>& tau) {
          const Result result = backend.inverse_dynamics({.batch = batch,
                                                          .q = numbers.q,
                                                          .v = numbers.v,
                                                          .a = numbers.a,
                                                          .f_ext = {links, wrenches, axes},
                                                          .tau = tau});
          EXPECT_TRUE(result.ok()) << message(result);
        };
        compute(*reference, expected);
        compute(*gpu, found);
        for (std::size_t k = 0; k < expected.size(); ++k) {
          ASSERT_NEAR(found[k], expected[k], 1e-10 * static_cast<double>(count))
              << count << " wrenches, " << batch << " states";
        }
      }
    }
  }
}

TEST_F(GpuHostSide, RefusesLinksOnTheDevice) {
  const auto model = small_tree();
  const Numbers numbers(*model, 1);
  GpuMemory memory(emulated_api(), GpuMemory::Place::device, sizeof(int));
  const std::span links(reinterpret_cast<const int*>(memory.get()), 1);  // full of ones: link -1
  const std::vector<double> wrench(6, 1.0);
  std::vector<double> out(numbers.v.size()), poses(7);
  const auto backend = make_gpu();
  const auto refused = [&](const Result& result) {
    EXPECT_EQ(message(result), "links lies on the device, expected an array of the host");
  };
  const ExternalWrenches f_ext{links, wrench, Axes::link};
  EXPECT_EQ(backend->link_kinematics({.q = numbers.q, .links = links, .poses = poses}).code,
            Code::not_configured);
  EXPECT_EQ(FaultyGpu::calls, 0) << "no device is asked before there is one";
  backend->configure(model);
  refused(backend->inverse_dynamics(
      {.q = numbers.q, .v = numbers.v, .a = numbers.a, .f_ext = f_ext, .tau = out}));
  refused(backend->forward_dynamics(
      {.q = numbers.q, .v = numbers.v, .tau = numbers.a, .f_ext = f_ext, .qdd = out}));
  refused(backend->link_kinematics({.q = numbers.q, .links = links, .poses = poses}));
}

/// A device has lanes of one state: lane-ready arrays are rows, and may lie there as well.
TEST_F(GpuHostSide, LaneReadyArraysOnTheDevice) {
  const auto model = small_tree();
  const std::size_t batch = 5, nv = static_cast<std::size_t>(model->nv());
  const Numbers numbers(*model, batch);
  const auto backend = make_gpu({.chunk = 2});
  backend->configure(model, {.max_batch = batch});
  ASSERT_EQ(backend->lane_width(), 1u);
  std::vector<double> expected(batch * nv);
  ASSERT_TRUE(
      backend->bias_forces({.batch = batch, .q = numbers.q, .v = numbers.v, .tau = expected}));
  DeviceArrays device;
  const std::span<double> q = device.copy(numbers.q), v = device.copy(numbers.v),
                          tau = device.copy(std::vector<double>(batch * nv));
  ASSERT_TRUE(
      backend->bias_forces({.batch = batch, .q = q, .v = v, .tau = tau, .layout = Layout::lanes}));
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), tau.begin()));
}

/// Each launch has a price of some microseconds: a call has four or five, whatever the robot.
TEST_F(GpuHostSide, ACallHasFewLaunches) {
  const auto model = std::make_shared<const Model>(serial_chain(50));
  const std::size_t batch = 10;
  const Numbers numbers(*model, batch);
  std::vector<double> tau(batch * static_cast<std::size_t>(model->nv()));
  const auto backend = make_gpu();
  backend->configure(model, {.max_batch = batch});
  FaultyGpu::launches = 0;
  ASSERT_TRUE(backend->inverse_dynamics(
      {.batch = batch, .q = numbers.q, .v = numbers.v, .a = numbers.a, .tau = tau}));
  EXPECT_EQ(FaultyGpu::launches, 5) << "three transpositions in, rnea, one out";
}

/// One state of trees of up to 1e5 bodies, against the scans of the CPU: the same numbers up to the
/// order in which they are added.
TEST_F(GpuHostSide, LargeTreesByScans) {
  struct Shape {
    int bodies;
    double branching;
  };
  for (const Shape& shape : {Shape{1000, 1}, Shape{10000, 1.5}, Shape{100000, 2}}) {
    const auto model = std::make_shared<const Model>(
        auto_tree({.bodies = shape.bodies, .branching = shape.branching}));
    const Numbers numbers(*model, 1);
    const auto nv = static_cast<std::size_t>(model->nv());
    std::vector<double> expected(nv), tau(nv);
    ScanDynamics<double> scans;
    scans.configure(model, 1);
    ASSERT_TRUE(
        scans.inverse_dynamics(numbers.q, numbers.v, numbers.a, {}, {0, 0, -9.81}, expected));
    const auto gpu = make_gpu({.bodies_in_parallel = true});
    gpu->configure(model, {.tree = {.family = TreeFamily::scans}});
    FaultyGpu::launches = 0;
    ASSERT_TRUE(
        gpu->inverse_dynamics({.q = numbers.q, .v = numbers.v, .a = numbers.a, .tau = tau}));
    EXPECT_LE(FaultyGpu::launches, 34) << shape.bodies;
    double largest = 0, error = 0;
    for (std::size_t k = 0; k < nv; ++k) {
      largest = std::max(largest, std::abs(expected[k]));
      error = std::max(error, std::abs(tau[k] - expected[k]));
    }
    // 8 eps x steps of the tour x (1 + reach), as the scans of the CPU are held to.
    const double reach = shape.branching > 1 ? 40 : shape.bodies;
    EXPECT_LE(error, 8 * 2.2e-16 * 2 * shape.bodies * (1 + reach) * largest) << shape.bodies;
  }
}

/// The mass matrix in full, against "tree".
TEST_F(GpuHostSide, MassMatrixByScans) {
  const auto model = std::make_shared<const Model>(auto_tree({.bodies = 700, .branching = 1.5}));
  const Numbers numbers(*model, 1);
  const auto nv = static_cast<std::size_t>(model->nv());
  std::vector<double> expected(nv * nv), M(nv * nv);
  const auto tree = make_backend("tree");
  tree->configure(model);
  ASSERT_TRUE(tree->mass_matrix({.q = numbers.q, .mass_matrix = expected}));
  const auto gpu = make_gpu({.bodies_in_parallel = true});
  gpu->configure(model, {.tree = {.family = TreeFamily::scans}});
  ASSERT_TRUE(gpu->mass_matrix({.q = numbers.q, .mass_matrix = M}));
  const double largest = *std::max_element(expected.begin(), expected.end());
  for (std::size_t k = 0; k < nv * nv; ++k) ASSERT_NEAR(M[k], expected[k], 1e-11 * largest);
  EXPECT_EQ(message(make_states_only(model)->mass_matrix({.q = numbers.q, .mass_matrix = M})),
            "this backend offers what was asked of the mass matrix up to nv = 512; this model has "
            "nv = 700");
}

TEST(CudaBackend, IsThereOrSaysWhyNot) {
  std::unique_ptr<Backend> backend;
  try {
    backend = make_backend("cuda");
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("built only where a CUDA toolkit is found"),
              std::string::npos)
        << error.what();
    GTEST_SKIP() << "the backend cuda was not built: no CUDA toolkit was found";
  }
  EXPECT_EQ(backend->name(), "cuda");
  try {
    backend->configure(small_tree());
  } catch (const std::runtime_error& error) {
    const std::string why = error.what();
    EXPECT_TRUE(why.starts_with("cuda: the NVIDIA driver") ||
                why.starts_with("cuda: there is no NVIDIA driver"))
        << why;
    EXPECT_FALSE(backend->configured());
  }
}

}  // namespace
}  // namespace rbd_parallel_core
