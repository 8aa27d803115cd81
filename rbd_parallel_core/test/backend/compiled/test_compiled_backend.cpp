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
  for (const Operation operation :
       {Operation::inverse_dynamics, Operation::mass_matrix, Operation::forward_dynamics,
        Operation::inverse_dynamics_derivatives, Operation::forward_dynamics_derivatives}) {
    const std::string text = backend->explain(operation, 1);
    EXPECT_TRUE(
        text.starts_with(no_code.empty() ? "compiled: code of " : "fell back to cpu: " + no_code))
        << text;
  }
  EXPECT_EQ(backend->explain(Operation::energies, 1), "cpu: there is no code for energies");
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

TEST(CompiledBackendTest, MimicJointsHaveNoCodeForForwardDynamics) {
  if (const std::string why = compiled::why_no_machine_code(); !why.empty()) GTEST_SKIP() << why;
  const auto model = std::make_shared<const Model>(conformance::mimic_hand().model());
  const auto backend = make_backend("compiled");
  backend->configure(model);
  EXPECT_EQ(backend->explain(Operation::forward_dynamics, 1),
            "fell back to cpu: the robot has mimic joints, which aba does not take");
  EXPECT_TRUE(backend->explain(Operation::inverse_dynamics, 1).starts_with("compiled: "));
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
