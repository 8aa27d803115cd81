// SPDX-License-Identifier: Apache-2.0
// One large tree by blocks on the backend "cuda", with the CPU in the place of the device.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "device_arrays.hpp"
#include "gpu_tree_fixture.hpp"
#include "rbd_parallel_core/testing/robots.hpp"

namespace rbd_parallel_core {
namespace {

using conformance::Random;
using conformance::random_configuration;

template <class Real>
struct State {
  std::vector<Real> q, v, x;  ///< x: accelerations or torques
};

State<double> random_state(const Model& model) {
  Random random(7);
  const auto nv = static_cast<std::size_t>(model.nv());
  return {random_configuration(model, random), random.numbers(nv, 1), random.numbers(nv, 1)};
}

/// max |found - expected| / max |expected|
template <class Real>
double error(const std::vector<Real>& found, const std::vector<double>& expected) {
  return relative_error(found, expected, 0);
}

template <class Real>
std::vector<Real> inverse_dynamics(BasicBackend<Real>& backend, const State<Real>& state,
                                   const BasicExternalWrenches<Real>& f_ext = {}) {
  std::vector<Real> tau(state.v.size());
  const Result result = backend.inverse_dynamics(
      {.q = state.q, .v = state.v, .a = state.x, .f_ext = f_ext, .tau = tau});
  EXPECT_TRUE(result.ok()) << message(result);
  return tau;
}

template <class Real>
std::vector<Real> forward_dynamics(BasicBackend<Real>& backend, const State<Real>& state,
                                   const BasicExternalWrenches<Real>& f_ext = {}) {
  std::vector<Real> qdd(state.v.size());
  StateStatus status;
  const Result result = backend.forward_dynamics({.q = state.q,
                                                  .v = state.v,
                                                  .tau = state.x,
                                                  .f_ext = f_ext,
                                                  .method = ForwardMethod::aba,
                                                  .qdd = qdd,
                                                  .status = {&status, 1}});
  EXPECT_TRUE(result.ok()) << message(result);
  EXPECT_TRUE(status.ok()) << message(status, backend.model());
  return qdd;
}

class EmulatedGpuBlocks : public GpuTreeFixture {};

TEST_F(EmulatedGpuBlocks, BlocksOfAnyLengthGiveWhatTheRecursionGives) {
  for (const int window : {1, 2, 5, 300}) {
    for (const Base base : {Base::fixed, Base::floating}) {
      for (const auto& kinds : {std::vector{JointKind::revolute}, every_kind}) {
        const auto model = random_tree(300, window, kinds, base);
        const auto state = random_state(*model);
        const auto reference = reference_of(model, {.friction = true});
        const auto tau = inverse_dynamics(*reference, state);
        const auto qdd = forward_dynamics(*reference, state);
        for (const int block : {0, 1, 7, 1000}) {
          const auto gpu = gpu_of(model, {.friction = true, .tree = {.block = block}});
          ASSERT_TRUE(gpu->offers(ForwardMethod::two_port));
          EXPECT_LT(error(inverse_dynamics(*gpu, state), tau), 1e-12)
              << "window " << window << ", blocks of " << block;
          EXPECT_LT(error(forward_dynamics(*gpu, state), qdd), 1e-9)
              << "window " << window << ", blocks of " << block;
        }
      }
    }
  }
}

TEST_F(EmulatedGpuBlocks, Float) {
  const auto model = random_tree(300, 3, every_kind, Base::floating);
  const auto state = random_state(*model);
  const auto reference = reference_of(model);
  const auto gpu = gpu_of<float>(model, {.tree = {.block = 7}});
  const auto narrow = [](const std::vector<double>& numbers) {
    return std::vector<float>(numbers.begin(), numbers.end());
  };
  const State<float> there{narrow(state.q), narrow(state.v), narrow(state.x)};
  EXPECT_LT(error(inverse_dynamics(*gpu, there), inverse_dynamics(*reference, state)), 1e-4);
  EXPECT_LT(error(forward_dynamics(*gpu, there), forward_dynamics(*reference, state)), 1e-3);
}

TEST_F(EmulatedGpuBlocks, RestAndGravityAlone) {
  const auto model = random_tree(200, 3, every_kind, Base::fixed);
  const auto state = random_state(*model);
  const auto reference = reference_of(model);
  const auto gpu = gpu_of(model, {.tree = {.block = 7}});
  std::vector<double> expected(state.v.size()), found(state.v.size());
  for (const auto call :
       {&Backend::bias_forces, &Backend::gravity_forces, &Backend::coriolis_forces}) {
    ASSERT_TRUE(((*reference).*call)({.q = state.q, .v = state.v, .tau = expected}).ok());
    ASSERT_TRUE(((*gpu).*call)({.q = state.q, .v = state.v, .tau = found}).ok());
    EXPECT_LT(error(found, expected), 1e-12);
  }
  ASSERT_TRUE(reference->inverse_dynamics({.q = state.q, .v = {}, .a = state.x, .tau = expected}));
  ASSERT_TRUE(gpu->inverse_dynamics({.q = state.q, .v = {}, .a = state.x, .tau = found}));
  EXPECT_LT(error(found, expected), 1e-12) << "accelerations without velocities";
  ASSERT_TRUE(reference->forward_dynamics({.q = state.q, .v = {}, .tau = {}, .qdd = expected}));
  ASSERT_TRUE(gpu->forward_dynamics({.q = state.q, .v = {}, .tau = {}, .qdd = found}));
  EXPECT_LT(error(found, expected), 1e-9) << "neither velocities nor torques";
}

TEST_F(EmulatedGpuBlocks, WrenchesOnLinks) {
  const auto model = random_tree(300, 3, every_kind, Base::floating);
  const auto state = random_state(*model);
  const std::vector<int> links{0, 5, 5, 120, 299};
  auto wrenches = Random(41).numbers(6 * links.size(), 10);
  const auto reference = reference_of(model);
  const auto gpu = gpu_of(model, {.max_batch = 40, .tree = {.block = 7}});
  for (const Axes axes : {Axes::link, Axes::world}) {
    const ExternalWrenches f_ext{links, wrenches, axes};
    EXPECT_LT(
        error(inverse_dynamics(*gpu, state, f_ext), inverse_dynamics(*reference, state, f_ext)),
        1e-12);
    EXPECT_LT(
        error(forward_dynamics(*gpu, state, f_ext), forward_dynamics(*reference, state, f_ext)),
        1e-9);
  }
  wrenches[8] = std::numeric_limits<double>::infinity();
  std::vector<double> qdd(state.v.size());
  StateStatus status;
  ASSERT_TRUE(gpu->forward_dynamics({.q = state.q,
                                     .v = state.v,
                                     .tau = state.x,
                                     .f_ext = {links, wrenches, Axes::link},
                                     .qdd = qdd,
                                     .status = {&status, 1}}));
  EXPECT_EQ(status.code, StateStatus::Code::not_finite);
}

TEST_F(EmulatedGpuBlocks, OneBadBodySpoilsItsStateAndNoOther) {
  const auto model = random_tree(300, 2, {JointKind::revolute}, Base::fixed);
  const auto nv = static_cast<std::size_t>(model->nv());
  const auto gpu = gpu_of(model, {.max_batch = 3});
  const auto state = random_state(*model);
  std::vector<double> q, v(3 * nv), tau(3 * nv), qdd(3 * nv);
  for (int s = 0; s < 3; ++s) q.insert(q.end(), state.q.begin(), state.q.end());
  q[nv + 123] = std::numeric_limits<double>::quiet_NaN();
  std::vector<StateStatus> status(3), forward_status(3);
  ASSERT_TRUE(
      gpu->inverse_dynamics({.batch = 3, .q = q, .v = v, .a = {}, .tau = tau, .status = status}));
  ASSERT_TRUE(gpu->forward_dynamics(
      {.batch = 3, .q = q, .v = v, .tau = {}, .qdd = qdd, .status = forward_status}));
  for (const std::vector<StateStatus>& found : {status, forward_status}) {
    EXPECT_EQ(found[0].code, StateStatus::Code::ok);
    EXPECT_EQ(found[1].code, StateStatus::Code::not_finite);
    EXPECT_EQ(found[2].code, StateStatus::Code::ok);
  }
  for (const std::vector<double>& found : {tau, qdd}) {
    for (std::size_t k = 0; k < nv; ++k) {
      ASSERT_TRUE(std::isnan(found[nv + k]));
      ASSERT_EQ(found[k], found[2 * nv + k]);
      ASSERT_FALSE(std::isnan(found[k]));
    }
  }
}

TEST_F(EmulatedGpuBlocks, NamesTheSingularJoint) {
  RobotDescription robot = describe_auto_tree({.bodies = 200, .branching = 1.5, .skew = 0.3});
  robot.links.back().inertial.reset();  // a massless tip cannot be accelerated
  const auto model = std::make_shared<const Model>(build_model(robot));
  auto state = random_state(*model);
  std::vector<double> qdd(state.v.size());
  StateStatus expected, status;
  const auto gpu = gpu_of(model, {.tree = {.block = 3}});
  ASSERT_TRUE(gpu->offers(ForwardMethod::two_port));
  const auto call = [&](Backend& backend, StateStatus& found) {
    ASSERT_TRUE(backend.forward_dynamics(
        {.q = state.q, .v = state.v, .tau = state.x, .qdd = qdd, .status = {&found, 1}}));
  };
  call(*reference_of(model), expected);
  call(*gpu, status);
  EXPECT_EQ(expected.code, StateStatus::Code::singular);
  EXPECT_EQ(status, expected);
  EXPECT_TRUE(std::all_of(qdd.begin(), qdd.end(), [](double x) { return std::isnan(x); }));
  state.v[3] = std::numeric_limits<double>::infinity();
  call(*gpu, status);
  EXPECT_EQ(status.code, StateStatus::Code::not_finite) << "what came in is looked at first";
}

/// A block of one kind of joint must end where the next kind begins. If the body there is light,
/// all digits would be lost: that is left to one thread.
TEST_F(EmulatedGpuBlocks, LightBodiesAreLeftToTheRecursion) {
  RobotDescription robot = describe_auto_tree({.bodies = 60, .skew = 0.3});
  for (std::size_t i = 0; i < robot.joints.size(); ++i) {
    if (i % 4 > 1) robot.joints[i].kind = JointKind::prismatic;
    robot.joints[i].armature = 0.01;
  }
  const auto heavy = std::make_shared<const Model>(build_model(robot));
  EXPECT_TRUE(gpu_of(heavy)->offers(ForwardMethod::two_port));
  for (std::size_t i = 0; i < robot.joints.size(); ++i) {
    robot.joints[i].armature = i % 2 == 0 ? 1000 : 0;
  }
  const auto light = std::make_shared<const Model>(build_model(robot));
  const auto gpu = gpu_of(light);
  EXPECT_FALSE(gpu->offers(ForwardMethod::two_port));
  const auto state = random_state(*light);
  EXPECT_LT(error(forward_dynamics(*gpu, state), forward_dynamics(*reference_of(light), state)),
            1e-9);
}

/// Trees of up to 1e5 bodies, and how many launches they take.
TEST_F(EmulatedGpuBlocks, LargeTrees) {
  struct Shape {
    int bodies;
    double branching;
    int inverse, forward;  ///< launches at most
  };
  for (const Shape& shape : {Shape{1000, 1, 7, 8}, Shape{10000, 1.5, 31, 41},
                             Shape{100000, 1, 7, 8}, Shape{100000, 2, 37, 53}}) {
    const auto model = std::make_shared<const Model>(
        auto_tree({.bodies = shape.bodies, .branching = shape.branching, .skew = 0.3}));
    const auto state = random_state(*model);
    const auto reference = reference_of(model);
    const auto gpu = gpu_of(model);
    FaultyGpu::launches = 0;
    const auto tau = inverse_dynamics(*gpu, state);
    const int inverse = FaultyGpu::launches;
    FaultyGpu::launches = 0;
    const auto qdd = forward_dynamics(*gpu, state);
    const int forward = FaultyGpu::launches;
    const double tau_error = error(tau, inverse_dynamics(*reference, state));
    const double qdd_error = error(qdd, forward_dynamics(*reference, state));
    std::printf("%6d bodies, branching %.1f: inverse %d launches, error %.1e; forward %d, %.1e\n",
                shape.bodies, shape.branching, inverse, tau_error, forward, qdd_error);
    EXPECT_LE(inverse, shape.inverse);
    EXPECT_LE(forward, shape.forward);
    EXPECT_LT(tau_error, 1e-12);
    EXPECT_LT(qdd_error, 1e-11);
  }
}

/// Whichever step of configure or of a call fails, it says so and gives all back.
TEST_F(EmulatedGpuBlocks, SurvivesAFailureOfEveryStep) {
  const auto model = random_tree(20, 2, every_kind, Base::fixed);
  const auto state = random_state(*model);
  const std::vector<int> links{3};
  const std::vector<double> wrench(6, 1.0);
  std::vector<double> qdd(state.v.size());
  const auto call = [&](Backend& backend) {
    return backend.forward_dynamics({.q = state.q,
                                     .v = state.v,
                                     .tau = state.x,
                                     .f_ext = {links, wrench, Axes::link},
                                     .qdd = qdd});
  };
  expect_to_survive_every_failure(model, call);
}

TEST_F(EmulatedGpuBlocks, ArraysOnTheDeviceAreNotCopied) {
  const auto model = random_tree(50, 2, every_kind, Base::fixed);
  const auto state = random_state(*model);
  const auto gpu = gpu_of(model);
  const auto expected = forward_dynamics(*gpu, state);
  DeviceArrays there;
  const std::span<double> q = there.copy(state.q), v = there.copy(state.v),
                          tau = there.copy(state.x), qdd = there.copy(state.x);
  FaultyGpu::copies = 0;
  ASSERT_TRUE(gpu->forward_dynamics({.q = q, .v = v, .tau = tau, .qdd = qdd}));
  EXPECT_EQ(FaultyGpu::copies, 0);
  EXPECT_TRUE(std::equal(qdd.begin(), qdd.end(), expected.begin()));
}

TEST_F(EmulatedGpuBlocks, RefusesABlockOfLessThanNothing) {
  EXPECT_THROW(gpu_of(random_tree(5, 1, every_kind, Base::fixed), {.tree = {.block = -1}}),
               std::invalid_argument);
}

}  // namespace
}  // namespace rbd_parallel_core
