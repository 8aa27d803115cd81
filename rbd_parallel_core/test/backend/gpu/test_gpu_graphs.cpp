// SPDX-License-Identifier: Apache-2.0
// Launches of the backend "cuda" that are recorded once and then made as one: the same bits,
// however late the device is, with arrays anywhere, and after every failure.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "backend/random_trees.hpp"
#include "delayed_gpu.hpp"
#include "device_arrays.hpp"
#include "emulated_kernels.hpp"
#include "faulty_gpu.hpp"
#include "gpu/host/gpu_backend.hpp"
#include "rbd_parallel_core/model/generators.hpp"
#include "rbd_parallel_core/model/mass_matrix_pattern.hpp"

namespace rbd_parallel_core {
namespace {

using conformance::Random;

constexpr std::size_t batch = 3;

SharedModel tree_of(int bodies) {
  return std::make_shared<const Model>(
      auto_tree({.bodies = bodies, .branching = 1.5, .skew = 0.3}));
}

/// What calls read and write, in memory of somebody.
struct Arrays {
  std::span<const double> q, v, a, wrenches;
  std::span<double> tau, M, sparse;
  std::span<StateStatus> status;

  InverseDynamics inverse(bool with_v, bool with_a, bool with_wrenches) const {
    InverseDynamics args{.batch = batch, .q = q, .v = {}, .a = {}, .tau = tau, .status = status};
    if (with_v) args.v = v;
    if (with_a) args.a = a;
    if (with_wrenches) args.f_ext = {links, wrenches, Axes::world};
    return args;
  }
  ForwardDynamics forward(bool with_v, bool with_tau, bool with_wrenches) const {
    const InverseDynamics args = inverse(with_v, with_tau, with_wrenches);
    return {.batch = batch,
            .q = q,
            .v = args.v,
            .tau = args.a,
            .f_ext = args.f_ext,
            .qdd = tau,
            .status = status};
  }
  Forces forces(bool with_v) const {
    return {.batch = batch,
            .q = q,
            .v = with_v ? v : std::span<const double>{},
            .tau = tau,
            .status = status};
  }

 private:
  static constexpr int links[] = {3, 0};
};

struct Call {
  std::string name;
  Result (*make)(Backend& backend, const Arrays& arrays);
  int launches = 1;                  ///< of one state, where its bodies go in parallel ...
  bool goes_by_blocks_only = false;  ///< ... which they do not by scans
};

/// Every call that takes one state of a tree after the other, one for each kind of task.
std::vector<Call> all_calls() {
  std::vector<Call> calls{
      // First, when nobody has computed the columns of the mass matrix yet.
      {"sparse",
       [](Backend& b, const Arrays& x) {
         return b.mass_matrix({.batch = batch, .q = x.q, .sparse = x.sparse, .status = x.status});
       },
       1, true},
      {"bias", [](Backend& b, const Arrays& x) { return b.bias_forces(x.forces(true)); }},
      {"gravity", [](Backend& b, const Arrays& x) { return b.gravity_forces(x.forces(true)); }},
      {"Coriolis", [](Backend& b, const Arrays& x) { return b.coriolis_forces(x.forces(true)); }},
      {"Coriolis at rest",
       [](Backend& b, const Arrays& x) { return b.coriolis_forces(x.forces(false)); }},
      {"mass matrix",
       [](Backend& b, const Arrays& x) {
         return b.mass_matrix({.batch = batch, .q = x.q, .mass_matrix = x.M, .status = x.status});
       }},
      {"dense and sparse",
       [](Backend& b, const Arrays& x) {
         return b.mass_matrix({.batch = batch,
                               .q = x.q,
                               .mass_matrix = x.M,
                               .sparse = x.sparse,
                               .status = x.status});
       },
       2, true}};
  const auto add = [&]<int given>(std::integral_constant<int, given>) {
    constexpr bool v = (given & 1) != 0, a = (given & 2) != 0, wrenches = (given & 4) != 0;
    const auto inverse = [](Backend& b, const Arrays& x) {
      return b.inverse_dynamics(x.inverse(v, a, wrenches));
    };
    const auto forward = [](Backend& b, const Arrays& x) {
      return b.forward_dynamics(x.forward(v, a, wrenches));
    };
    const int launches = wrenches ? 2 : 1;
    calls.push_back({"inverse " + std::to_string(given), inverse, launches, wrenches});
    calls.push_back({"forward " + std::to_string(given), forward, launches, true});
  };
  [&]<int... given>(std::integer_sequence<int, given...>) {
    (add(std::integral_constant<int, given>{}), ...);
  }
  (std::make_integer_sequence<int, 8>{});
  return calls;
}

/// Arrays of the host.
struct HostArrays {
  std::vector<double> q, v, a, wrenches, tau, M, sparse;
  std::vector<StateStatus> status;

  explicit HostArrays(const Model& model)
      : status(batch, StateStatus{StateStatus::Code::singular, 0}) {
    Random random(3);
    const auto nv = static_cast<std::size_t>(model.nv());
    q = random.numbers(batch * static_cast<std::size_t>(model.nq()), 1);
    v = random.numbers(batch * nv, 1);
    a = random.numbers(batch * nv, 1);
    wrenches = random.numbers(batch * 12, 1);
    tau.resize(batch * nv);
    M.resize(batch * nv * nv);
    sparse.resize(batch * static_cast<std::size_t>(mass_matrix_nonzeros(model)));
  }
  Arrays arrays() { return {q, v, a, wrenches, tau, M, sparse, status}; }
};

struct Outcome {
  std::vector<double> tau, M, sparse;
  std::vector<StateStatus> status;
  bool operator==(const Outcome&) const = default;
};

class GpuGraphs : public ::testing::Test {
 protected:
  void SetUp() override {
    FaultyGpu::reset();
    DelayedGpu::reset();
  }
  void TearDown() override {
    EXPECT_EQ(FaultyGpu::live, 0) << "something was not given back";
    EXPECT_EQ(FaultyGpu::recording, 0) << "a recording was not ended";
  }

  static std::unique_ptr<GpuBackend<double>> make_gpu(bool graphs,
                                                      const GpuApi& api = FaultyGpu::api()) {
    return std::make_unique<GpuBackend<double>>(
        api, emulated_kernels<double>(), GpuSettings{.bodies_in_parallel = true, .graphs = graphs});
  }
  static BackendOptions options(TreeFamily family) {
    return {.max_batch = batch, .friction = true, .tree = {.family = family, .block = 4}};
  }
  static Outcome outcome(GpuBackend<double>& backend, const Call& call) {
    HostArrays host(backend.model());
    const Result result = call.make(backend, host.arrays());
    EXPECT_TRUE(result.ok()) << call.name << ": " << message(result);
    return {host.tau, host.M, host.sparse, host.status};
  }
};

/// A state of a batch is one launch; two if the wrenches on links become forces on bodies before,
/// or if both forms of the mass matrix are asked for.
TEST_F(GpuGraphs, TheSameBitsInOneLaunch) {
  const auto model = tree_of(60);
  for (const TreeFamily family : {TreeFamily::blocks, TreeFamily::scans}) {
    const auto plain = make_gpu(false), graphs = make_gpu(true);
    plain->configure(model, options(family));
    graphs->configure(model, options(family));
    for (const Call& call : all_calls()) {
      FaultyGpu::launches = 0;
      const Outcome expected = outcome(*plain, call);
      const int apart = FaultyGpu::launches;
      for (int repeat = 0; repeat < 2; ++repeat) {
        FaultyGpu::launches = 0;
        EXPECT_EQ(outcome(*graphs, call), expected) << call.name;
      }
      if (family == TreeFamily::scans && call.goes_by_blocks_only) {
        EXPECT_EQ(FaultyGpu::launches, apart) << call.name << ": one thread for each state";
      } else {
        EXPECT_EQ(FaultyGpu::launches, call.launches * static_cast<int>(batch)) << call.name;
        EXPECT_GT(apart, 6 * static_cast<int>(batch)) << call.name;
      }
    }
  }
}

TEST_F(GpuGraphs, Float) {
  const auto model = tree_of(60);
  const HostArrays host(*model);
  const auto nv = static_cast<std::size_t>(model->nv());
  const std::vector<float> q(host.q.begin(), host.q.begin() + model->nq());
  std::vector<float> expected(nv), found(nv);
  for (const bool graphs : {false, true}) {
    GpuBackend<float> backend(FaultyGpu::api(), emulated_kernels<float>(),
                              {.bodies_in_parallel = true, .graphs = graphs});
    backend.configure(model);
    ASSERT_TRUE(
        backend.forward_dynamics({.q = q, .v = {}, .tau = {}, .qdd = graphs ? found : expected}));
  }
  EXPECT_EQ(found, expected);
}

/// What was recorded knows the memory of its configure only: with a smaller tree, a larger one, and
/// the first again the numbers are those of a new backend.
TEST_F(GpuGraphs, FollowANewConfigure) {
  const auto backend = make_gpu(true);
  for (const int bodies : {60, 5, 200, 60}) {
    for (const TreeFamily family : {TreeFamily::blocks, TreeFamily::scans}) {
      const auto model = tree_of(bodies);
      const auto fresh = make_gpu(false);
      fresh->configure(model, options(family));
      backend->configure(model, options(family));
      for (const Call& call : all_calls()) {
        EXPECT_EQ(outcome(*backend, call), outcome(*fresh, call)) << call.name;
      }
    }
  }
}

/// Nothing is read before it was sent, nor handed out before it was computed.
TEST_F(GpuGraphs, HoweverLateTheDeviceIs) {
  const auto model = tree_of(60);
  for (const TreeFamily family : {TreeFamily::blocks, TreeFamily::scans}) {
    const auto plain = make_gpu(false), late = make_gpu(true, DelayedGpu::api());
    plain->configure(model, options(family));
    late->configure(model, options(family));
    for (const Call& call : all_calls()) {
      EXPECT_EQ(outcome(*late, call), outcome(*plain, call)) << call.name;
    }
  }
}

/// Arrays on the device are copied there, whichever they are, and never by way of the host.
TEST_F(GpuGraphs, ArraysOnTheDevice) {
  const auto model = tree_of(60);
  const auto plain = make_gpu(false), graphs = make_gpu(true);
  for (const TreeFamily family : {TreeFamily::blocks, TreeFamily::scans}) {
    plain->configure(model, options(family));
    graphs->configure(model, options(family));
    for (const Call& call : all_calls()) {
      const Outcome expected = outcome(*plain, call);
      HostArrays host(*model);
      DeviceArrays there;
      const Arrays arrays{there.copy(host.q),        there.copy(host.v),     there.copy(host.a),
                          there.copy(host.wrenches), there.copy(host.tau),   there.copy(host.M),
                          there.copy(host.sparse),   there.copy(host.status)};
      const Result result = call.make(*graphs, arrays);
      ASSERT_TRUE(result.ok()) << call.name << ": " << message(result);
      EXPECT_TRUE(std::equal(arrays.tau.begin(), arrays.tau.end(), expected.tau.begin()))
          << call.name;
      EXPECT_TRUE(std::equal(arrays.M.begin(), arrays.M.end(), expected.M.begin())) << call.name;
      EXPECT_TRUE(std::equal(arrays.sparse.begin(), arrays.sparse.end(), expected.sparse.begin()))
          << call.name;
      EXPECT_TRUE(std::equal(arrays.status.begin(), arrays.status.end(), expected.status.begin()))
          << call.name;
    }
  }
}

/// Whichever step of configure or of a call fails: it says so, a recording is ended, all is given
/// back, and the next configure is none the worse.
TEST_F(GpuGraphs, SurviveAFailureOfEveryStep) {
  const auto model = tree_of(7);
  for (const TreeFamily family : {TreeFamily::blocks, TreeFamily::scans}) {
    for (const Call& call : {all_calls()[1], all_calls()[5], all_calls()[6]}) {
      FaultyGpu::reset();
      const auto backend = make_gpu(true);
      backend->configure(model, options(family));
      const int configure_steps = FaultyGpu::calls;
      const Outcome expected = outcome(*backend, call);
      const int steps = FaultyGpu::calls;
      for (int step = 0; step < steps; ++step) {
        FaultyGpu::calls = 0;
        FaultyGpu::fail_at = step;
        if (step < configure_steps) {
          EXPECT_THROW(backend->configure(model, options(family)), std::runtime_error) << step;
          EXPECT_FALSE(backend->configured());
        } else {
          backend->configure(model, options(family));
          HostArrays host(*model);
          EXPECT_EQ(call.make(*backend, host.arrays()).code, Code::failed) << step;
          EXPECT_EQ(call.make(*backend, host.arrays()).code, Code::failed) << "sticky";
        }
        EXPECT_EQ(FaultyGpu::recording, 0) << step;
        FaultyGpu::fail_at = -1;
        backend->configure(model, options(family));
        EXPECT_EQ(outcome(*backend, call), expected) << step;
      }
    }
  }
}

/// The positive control: the device that is played refuses what cannot be recorded, and the
/// recording is lost.
TEST(PlayedGpu, RecordsWhatADeviceWould) {
  const GpuApi& api = emulated_api();
  int name = 0;
  const GpuApi::Stream stream = &name;
  double number = 1;
  void* memory = nullptr;
  bool answer = false;
  GpuApi::Graph graph = nullptr;
  const auto spoils = [&](const auto& step) {
    EXPECT_EQ(api.begin_capture(stream), 0);
    EXPECT_NE(step(), 0);
    EXPECT_NE(api.end_capture(stream, &graph), 0);
    EXPECT_EQ(graph, nullptr);
  };
  spoils([&] { return api.allocate(&memory, 8); });
  spoils([&] { return api.allocate_pinned(&memory, 8); });
  spoils([&] { return api.is_on_device(&number, &answer); });
  spoils([&] { return api.copy(&number, &number, sizeof number, stream); });
  spoils([&] { return api.synchronize(stream); });
  spoils([&] { return api.synchronize_event(&name); });
  spoils([&] { return api.begin_capture(stream); });
  EXPECT_EQ(number, 1) << "nothing of it was done";
  EXPECT_NE(api.end_capture(stream, &graph), 0) << "of nothing";
  EXPECT_EQ(api.begin_capture(stream), 0);
  EXPECT_EQ(api.clear(&number, sizeof number, stream), 0);
  EXPECT_EQ(api.end_capture(stream, &graph), 0);
  EXPECT_EQ(number, 1) << "what is recorded is not done";
  EXPECT_EQ(api.launch_graph(graph, stream), 0);
  EXPECT_EQ(number, 0);
  EXPECT_EQ(api.destroy_graph(graph), 0);
}

}  // namespace
}  // namespace rbd_parallel_core
