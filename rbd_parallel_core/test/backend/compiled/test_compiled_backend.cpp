// SPDX-License-Identifier: Apache-2.0
// What the backend "compiled" leaves to "cpu", and that it says so. Its numbers are the conformance
// suite's matter.
#include <gtest/gtest.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <cmath>
#include <cstdio>

#include "../../../src/backend/compiled/machine_code.hpp"
#include "backend/random_trees.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/model/load_urdf.hpp"
#include "rbd_parallel_core/testing/backend_calls.hpp"

namespace rbd_parallel_core {
namespace {

std::vector<double> torques(Backend& backend, std::size_t batch) {
  const Model& model = backend.model();
  const auto nv = static_cast<std::size_t>(model.nv());
  conformance::Random random(11);
  std::vector<double> q;
  for (std::size_t k = 0; k < batch; ++k) {
    const std::vector<double> one = conformance::random_configuration(model, random);
    q.insert(q.end(), one.begin(), one.end());
  }
  const std::vector<double> v = random.numbers(batch * nv, 1), a = random.numbers(batch * nv, 1);
  std::vector<double> tau(batch * nv);
  EXPECT_TRUE(backend.inverse_dynamics({.batch = batch, .q = q, .v = v, .a = a, .tau = tau}));
  return tau;
}

TEST(CompiledBackendTest, SaysWhatIsCompiled) {
  const auto backend = make_backend("compiled");
  EXPECT_EQ(backend->explain(Operation::inverse_dynamics, 1),
            "compiled, which is not configured yet");
  backend->configure(random_tree(5, 1, {JointKind::revolute}, Base::fixed));
  const std::string no_code = compiled::why_no_machine_code();
  for (const Operation operation : all_operations) {
    const std::string text = backend->explain(operation, 1);
    if (operation == Operation::link_kinematics || operation == Operation::link_motion) {
      EXPECT_EQ(text, "cpu: there is no code for " + name_of(operation));
      continue;
    }
    EXPECT_TRUE(
        text.starts_with(no_code.empty() ? "compiled: code of " : "fell back to cpu: " + no_code))
        << text;
  }
}

TEST(CompiledBackendTest, RobotsThatAreTooLargeAreComputedByCpu) {
  const auto chain = random_tree(500, 1, {JointKind::revolute}, Base::fixed);
  const auto compiled = make_backend("compiled"), cpu = make_backend("cpu");
  compiled->configure(chain, {.max_batch = 9});
  cpu->configure(chain, {.max_batch = 9});
  EXPECT_EQ(compiled->explain(Operation::inverse_dynamics, 9),
            "fell back to cpu: the robot is too large to be compiled");
  EXPECT_EQ(torques(*compiled, 9), torques(*cpu, 9));
}

TEST(CompiledBackendTest, ForwardDynamicsOfMimicJointsIsByCrba) {
  if (const std::string why = compiled::why_no_machine_code(); !why.empty()) GTEST_SKIP() << why;
  const auto model = std::make_shared<const Model>(conformance::mimic_hand().model());
  const auto backend = make_backend("compiled");
  backend->configure(model);
  for (const Operation operation :
       {Operation::forward_dynamics, Operation::forward_dynamics_derivatives}) {
    const std::string text = backend->explain(operation, 1);
    EXPECT_TRUE(text.starts_with("compiled: code of ")) << text;
  }
}

TEST(CompiledBackendTest, CodeIsMadeForTheOperationsThatAreNamed) {
  if (const std::string why = compiled::why_no_machine_code(); !why.empty()) GTEST_SKIP() << why;
  const auto model = random_tree(5, 1, {JointKind::revolute}, Base::fixed);
  const auto backend = make_backend("compiled"), cpu = make_backend("cpu");
  backend->configure(model, {.compile = {{Operation::inverse_dynamics}}});
  cpu->configure(model);
  for (const Operation operation : all_operations) {
    const std::string text = backend->explain(operation, 1);
    if (operation == Operation::inverse_dynamics) {
      EXPECT_TRUE(text.starts_with("compiled: ")) << text;
    } else if (operation != Operation::link_kinematics && operation != Operation::link_motion) {
      EXPECT_EQ(text, "fell back to cpu: it is not among the operations to compile");
    }
  }
  const conformance::Batch state = conformance::random_batch(*model, 1, 4);
  std::vector<double> actual(5), expected(5);
  ASSERT_TRUE(backend->forward_dynamics({.q = state.q, .v = {}, .tau = state.tau, .qdd = actual}));
  ASSERT_TRUE(cpu->forward_dynamics({.q = state.q, .v = {}, .tau = state.tau, .qdd = expected}));
  EXPECT_EQ(actual, expected);
  // The function of inverse dynamics serves calls without velocities too.
  ASSERT_TRUE(backend->inverse_dynamics({.q = state.q, .v = {}, .a = {}, .tau = actual}));
  ASSERT_TRUE(cpu->inverse_dynamics({.q = state.q, .v = {}, .a = {}, .tau = expected}));
  for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(actual[k], expected[k], 1e-12);
}

TEST(CompiledBackendTest, WhatCannotBeCompiledIsRefused) {
  const auto model = random_tree(5, 1, {JointKind::revolute}, Base::fixed);
  const auto refusal = [&](const char* name, OperationSet operations) -> std::string {
    try {
      make_backend(name)->configure(model, {.compile = operations});
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("compiled", {Operation::link_motion}),
            "configure: compile names link_motion, which no code is made for; leave it out, cpu "
            "computes it");
  for (const char* name : {"cpu", "reference", "tree"}) {
    EXPECT_EQ(refusal(name, {Operation::inverse_dynamics}),
              "configure: compile is set, which the backend " + std::string(name) +
                  " does not take; leave it out, or use compiled or auto");
  }
}

/// A robot all of whose states are singular: the factor has no code, and says so; M itself has.
TEST(CompiledBackendTest, SaysThatARobotIsAlwaysSingular) {
  if (const std::string why = compiled::why_no_machine_code(); !why.empty()) GTEST_SKIP() << why;
  conformance::RobotBuilder builder("massless", 1);
  builder.add("base", "0", JointKind::revolute);
  conformance::Robot robot = builder.robot(Base::fixed);
  for (LinkDescription& link : robot.description.links) link.inertial.reset();
  const auto backend = make_backend("compiled");
  backend->configure(std::make_shared<const Model>(robot.model()));
  const std::string reason =
      "a joint moves no inertia: forward dynamics is singular in every state";
  EXPECT_EQ(backend->explain(Operation::forward_dynamics, 1), "fell back to cpu: " + reason);
  EXPECT_NE(
      backend->explain(Operation::mass_matrix, 1).find("with its factor: cpu, since " + reason),
      std::string::npos)
      << backend->explain(Operation::mass_matrix, 1);
  EXPECT_EQ(backend->explain(Operation::energies, 1),
            "fell back to cpu: the robot has no mass: its centre is not defined");
}

/// A point mass that slides through the axis of its turntable: there, and only there, M is
/// singular. M itself is right nevertheless.
TEST(CompiledBackendTest, TheMassMatrixOfASingularStateIsNotSpoiled) {
  const auto model = std::make_shared<const Model>(load_urdf_string(R"(<robot name="slider">
    <link name="base"/><link name="table"/>
    <link name="bead"><inertial><mass value="2"/>
      <inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="turn" type="continuous"><parent link="base"/><child link="table"/>
      <axis xyz="0 0 1"/></joint>
    <joint name="slide" type="prismatic"><parent link="table"/><child link="bead"/>
      <axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>)"));
  const auto backend = make_backend("compiled");
  backend->configure(model, {.max_batch = 5});
  for (const std::size_t batch : {std::size_t{1}, std::size_t{5}}) {
    std::vector<double> q(2 * batch, 0.5), M(4 * batch), L(4 * batch);
    q[1] = 0;
    std::vector<StateStatus> status(batch);
    ASSERT_TRUE(backend->mass_matrix(
        {.batch = batch, .q = q, .mass_matrix = M, .cholesky = L, .status = status}));
    EXPECT_EQ(status[0].code, StateStatus::Code::singular);
    EXPECT_EQ(M[3], 2);
    EXPECT_TRUE(std::isnan(L[3]));
    if (batch == 1) continue;
    EXPECT_TRUE(status[1].ok());
    EXPECT_NEAR(L[4], std::sqrt(0.5), 1e-15);
  }
}

/// Of an arm the chain rule on the graph has fewest operations; but it does not know how wrenches
/// turn that keep to the axes of the world.
TEST(CompiledBackendTest, DerivativesKnowHowWrenchesTurn) {
  const auto model = random_tree(5, 1, {JointKind::revolute}, Base::fixed);
  const auto backend = make_backend("compiled"), reference = make_backend("reference");
  backend->configure(model);
  reference->configure(model);
  const conformance::Batch state = conformance::random_batch(*model, 1, 4);
  std::vector<double> actual(25), expected(25);
  for (const Axes axes : {Axes::link, Axes::world}) {
    for (Backend* const one : {backend.get(), reference.get()}) {
      ASSERT_TRUE(
          one->inverse_dynamics_derivatives({.q = state.q,
                                             .v = state.v,
                                             .a = state.a,
                                             .f_ext = {state.links, state.wrenches, axes},
                                             .dtau_dq = one == backend.get() ? actual : expected}));
    }
    for (std::size_t k = 0; k < 25; ++k) EXPECT_NEAR(actual[k], expected[k], 1e-10);
  }
}

/// Code takes a force for every body. What a call wrote there must not count in the next one.
TEST(CompiledBackendTest, WrenchesOfACallAreForgotten) {
  const auto model = random_tree(9, 3, every_kind, Base::floating);
  const auto used = make_backend("compiled"), fresh = make_backend("compiled");
  used->configure(model, {.max_batch = 13});
  fresh->configure(model, {.max_batch = 13});
  for (const std::size_t batch : {std::size_t{1}, std::size_t{13}}) {
    const conformance::Batch states = conformance::random_batch(*model, batch, 4);
    std::vector<double> first(states.v.size()), tau = first, expected = first;
    const std::vector<int> last{static_cast<int>(model->links().size()) - 1}, second{2};
    const std::vector<double> wrenches(batch * 6, 7.0);
    for (const Axes axes : {Axes::link, Axes::world}) {
      const auto torques_on = [&](Backend& backend, const std::vector<int>& links,
                                  std::vector<double>& out) {
        ASSERT_TRUE(backend.inverse_dynamics({.batch = batch,
                                              .q = states.q,
                                              .v = states.v,
                                              .a = states.a,
                                              .f_ext = {links, wrenches, axes},
                                              .tau = out}));
      };
      torques_on(*used, last, first);
      torques_on(*used, second, tau);
      torques_on(*fresh, second, expected);
      EXPECT_EQ(tau, expected);
      EXPECT_NE(tau, first);
    }
  }
}

#if defined(__linux__) && !defined(PR_SET_MDWE)
#define PR_SET_MDWE 65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

#ifdef __linux__
/// In a process of its own: what is forbidden there stays forbidden.
[[noreturn]] void compute_without_executable_memory(double expected) {
  if (prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) != 0) {
    std::fputs("the kernel cannot forbid it", stderr);
    std::exit(77);
  }
  const auto backend = make_backend("compiled");
  backend->configure(random_tree(5, 1, {JointKind::revolute}, Base::fixed), {.max_batch = 3});
  const double actual = torques(*backend, 3).back();
  std::fputs(backend->explain(Operation::inverse_dynamics, 3).c_str(), stderr);
  std::exit(std::abs(actual - expected) < 1e-12 ? 0 : 1);
}

TEST(CompiledBackendDeathTest, WithoutExecutableMemoryCpuComputes) {
  if (const std::string why = compiled::why_no_machine_code(); !why.empty()) GTEST_SKIP() << why;
  const auto cpu = make_backend("cpu");
  cpu->configure(random_tree(5, 1, {JointKind::revolute}, Base::fixed), {.max_batch = 3});
  const double expected = torques(*cpu, 3).back();
  EXPECT_EXIT(
      compute_without_executable_memory(expected),
      [](int status) {
        return ::testing::ExitedWithCode(0)(status) || ::testing::ExitedWithCode(77)(status);
      },
      "fell back to cpu: the system does not allow executable memory|the kernel cannot forbid it");
}
#endif

}  // namespace
}  // namespace rbd_parallel_core
