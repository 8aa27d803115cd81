// SPDX-License-Identifier: Apache-2.0
//
// Positive controls: backends that are wrong on purpose, and the checks of the conformance suite
// that must find them. A gate that nothing has ever failed proves nothing.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cstdlib>
#include <new>
#include <set>
#include <thread>

#include "allocation_counter.hpp"
#include "offenders.hpp"
#include "rbd_parallel_core/algorithm/workspace.hpp"

namespace rbd_parallel_core {
namespace {

using conformance::BackendUnderTest;
using conformance::Violations;

std::set<Operation> elements_of(const OperationSet& operations) {
  std::set<Operation> elements;
  for (const Operation operation : all_operations) {
    if (operations.contains(operation)) elements.insert(operation);
  }
  return elements;
}

// ---- wrong numbers
// --------------------------------------------------------------------------------------------------

/// Gravity points the other way, in every operation alike: its results obey all laws among
/// themselves.
class FlippedGravity : public Honest {
 protected:
  Result do_compute(const Call& call) noexcept override {
    const Result result = Honest::do_compute(call);
    if (const auto* args = call.arguments_if<Operation::inverse_dynamics>()) flip(*args);
    if (const auto* args = call.arguments_if<Operation::bias_forces>()) flip(*args);
    if (const auto* args = call.arguments_if<Operation::gravity_forces>()) flip(*args);
    return result;
  }

 private:
  template <class Args>
  void flip(const Args& args) {
    const std::vector<double> g = gravity(args.batch, args.q, args.tau.size());
    for (std::size_t k = 0; k < g.size(); ++k) args.tau[k] -= 2 * g[k];
  }
};

TEST(ConformanceSuite, FindsAFlippedGravity) {
  EXPECT_TRUE(finds(conformance::check_against_newton, offender<FlippedGravity>()));
  EXPECT_TRUE(finds(conformance::check_against_reference, offender<FlippedGravity>()));
}

/// Poses with the transposed rotation.
class TransposedRotation : public OffendsIn<Operation::link_kinematics> {
 protected:
  Result offend(const Args& args) noexcept override {
    const Result result = honest(args);
    for (std::size_t k = 0; k < args.poses.size(); ++k) {
      if (k % 7 >= 3 && k % 7 <= 5) args.poses[k] = -args.poses[k];
    }
    return result;
  }
};

TEST(ConformanceSuite, FindsATransposedRotation) {
  EXPECT_TRUE(finds(conformance::check_against_newton, offender<TransposedRotation>()));
}

/// Followers take the coordinate of their leader as it is: multiplier and offset are ignored.
class IgnoresMimic : public OffendsIn<Operation::gravity_forces> {
 protected:
  void do_configure(const Model& model, const BackendOptions& options) override {
    Honest::do_configure(model, options);
    view_ = delegate().model().view();
    bodies_.assign(view_.body, view_.body + view_.body_count);
    for (BodyView<double>& body : bodies_) {
      body.multiplier = 1;
      body.offset = 0;
    }
    view_.body = bodies_.data();
    const std::size_t bodies = bodies_.size(),
                      columns = static_cast<std::size_t>(view_.column_count);
    memory_.assign(Workspace<double>::bytes(bodies, columns) / sizeof(double) + 1, 0.0);
    workspace_ =
        Workspace<double>::in(reinterpret_cast<std::byte*>(memory_.data()), bodies, columns);
  }
  Result offend(const Args& args) noexcept override {
    for (std::size_t s = 0; s < args.batch; ++s) {
      rnea(view_, workspace_.rnea,
           Row<double>{args.q.data() + s * static_cast<std::size_t>(view_.nq)}, Zeros<double>{},
           Zeros<double>{}, NoForces{}, view_.gravity, false,
           OutRow<double>{args.tau.data() + s * static_cast<std::size_t>(view_.nv)});
      if (!args.status.empty()) args.status[s] = {};
    }
    return {};
  }

 private:
  ModelView<double> view_{};
  std::vector<BodyView<double>> bodies_;
  std::vector<double> memory_;
  Workspace<double> workspace_{};
};

TEST(ConformanceSuite, FindsAnIgnoredMimic) {
  const Violations violations = conformance::check_against_newton(offender<IgnoresMimic>());
  ASSERT_FALSE(violations.empty());
  for (const std::string& line : violations) {  // all other robots are served right
    EXPECT_EQ(line.rfind("mimic_hand, gravity_forces", 0), 0u) << line;
  }
}

/// Leaves the joint friction out.
class IgnoresFriction : public Honest {
 protected:
  void do_configure(const Model& model, const BackendOptions& options) override {
    BackendOptions without = options;
    without.friction = false;
    Honest::do_configure(model, without);
  }
};

TEST(ConformanceSuite, FindsAnIgnoredFriction) {
  EXPECT_TRUE(finds(conformance::check_friction, offender<IgnoresFriction>()));
  EXPECT_TRUE(finds(conformance::check_forward_dynamics, offender<IgnoresFriction>()));
}

/// Only the lower triangle of M, as some libraries have it.
class HalfMassMatrix : public OffendsIn<Operation::mass_matrix> {
 protected:
  Result offend(const Args& args) noexcept override {
    const Result result = honest(args);
    const std::size_t n = static_cast<std::size_t>(model().nv());
    for (std::size_t k = 0; k < args.mass_matrix.size(); ++k) {
      if (k % n > k / n % n) args.mass_matrix[k] = 0;
    }
    return result;
  }
};

TEST(ConformanceSuite, FindsHalfAMassMatrix) {
  EXPECT_TRUE(finds(conformance::check_mass_matrix_factors, offender<HalfMassMatrix>()));
}

// ---- batches and states
// ---------------------------------------------------------------------------------------------

/// Says that it has lanes, and reads them as rows.
class IgnoresTheLayout : public OffendsIn<Operation::gravity_forces> {
 protected:
  Capabilities do_capabilities() const noexcept override {
    Capabilities capabilities = Honest::do_capabilities();
    capabilities.lane_width = 4;
    return capabilities;
  }
  Result offend(const Args& args) noexcept override {
    Forces rows = args;
    rows.layout = Layout::rows;
    rows.batch = args.tau.size() / static_cast<std::size_t>(model().nv());
    rows.status = {};
    std::fill(args.status.begin(), args.status.end(), StateStatus{});
    return delegate().gravity_forces(rows);
  }
};

TEST(ConformanceSuite, FindsALayoutThatIsIgnored) {
  BackendUnderTest backend = offender<IgnoresTheLayout>();
  backend.not_offered = elements_of(OperationSet::all().without({Operation::gravity_forces}));
  EXPECT_TRUE(finds(conformance::check_layouts, backend));
  EXPECT_FALSE(finds(conformance::check_against_newton, backend)) << "rows are served right";
}

/// Every state but the first takes a little of the one before it.
class MixesNeighbours : public OffendsIn<Operation::inverse_dynamics> {
 protected:
  Result offend(const Args& args) noexcept override {
    const Result result = honest(args);
    const std::size_t n = args.tau.size() / args.batch;
    for (std::size_t k = args.tau.size(); k-- > n;) args.tau[k] += 1e-14 * args.tau[k - n];
    return result;
  }
};

TEST(ConformanceSuite, FindsALeakBetweenNeighbours) {
  EXPECT_FALSE(
      finds(conformance::check_against_newton, offender<MixesNeighbours>()));  // far too small
  EXPECT_TRUE(finds(conformance::check_batches, offender<MixesNeighbours>()));
}

/// The same, but without effect unless a neighbour is not finite: a sum over lanes multiplied by
/// zero.
class SpreadsNaN : public OffendsIn<Operation::forward_dynamics> {
 protected:
  Result offend(const Args& args) noexcept override {
    const Result result = honest(args);
    const std::size_t n = args.qdd.size() / args.batch;
    for (std::size_t k = args.qdd.size(); k-- > n;) args.qdd[k] += 0.0 * args.qdd[k - n];
    return result;
  }
};

TEST(ConformanceSuite, FindsNaNThatSpreads) {
  EXPECT_FALSE(finds(conformance::check_batches, offender<SpreadsNaN>()));
  EXPECT_TRUE(finds(conformance::check_not_finite_inputs, offender<SpreadsNaN>()));
}

/// Takes NaN for nothing to worry about.
class SilentAboutNaN : public OffendsIn<Operation::bias_forces> {
 protected:
  Result offend(const Args& args) noexcept override {
    const Result result = honest(args);
    std::fill(args.status.begin(), args.status.end(), StateStatus{});
    return result;
  }
};

TEST(ConformanceSuite, FindsAStatusThatIsAlwaysOk) {
  EXPECT_TRUE(finds(conformance::check_not_finite_inputs, offender<SilentAboutNaN>()));
}

/// Blames the first coordinate for every singular M.
class BlamesTheFirstJoint : public OffendsIn<Operation::forward_dynamics> {
 protected:
  Result offend(const Args& args) noexcept override {
    const Result result = honest(args);
    for (StateStatus& status : args.status) {
      if (status.code == StateStatus::Code::singular) status.dof = 0;
    }
    return result;
  }
};

TEST(ConformanceSuite, FindsASingularJointThatIsMisnamed) {
  EXPECT_TRUE(finds(conformance::check_singular, offender<BlamesTheFirstJoint>()));
}

/// Compares moments of inertia with masses.
class JudgesByMetres : public OffendsIn<Operation::forward_dynamics> {
 protected:
  Result offend(const Args& args) noexcept override {
    const ModelView<double>& view = delegate().model().view();
    for (std::int32_t i = 0; i < view.body_count; ++i) {
      const Inertia<double>& I = view.body[i].inertia;
      if (I.I.zz > 1e-5 * I.m) continue;
      for (double& x : args.qdd) x = std::numeric_limits<double>::quiet_NaN();
      for (StateStatus& status : args.status) status = {StateStatus::Code::singular, 0};
      return {};
    }
    return honest(args);
  }
};

TEST(ConformanceSuite, FindsUnitsThatMatter) {
  EXPECT_TRUE(finds(conformance::check_units, offender<JudgesByMetres>()));
}

/// Keeps a sum from call to call.
class RemembersCalls : public OffendsIn<Operation::energies> {
 protected:
  Result offend(const Args& args) noexcept override {
    const Result result = honest(args);
    for (double& x : args.kinetic) x += 1e-13 * calls_;
    calls_ += 1;
    return result;
  }

 private:
  double calls_ = 0;
};

TEST(ConformanceSuite, FindsAMemoryOfEarlierCalls) {
  EXPECT_TRUE(finds(conformance::check_memory_of_calls, offender<RemembersCalls>()));
}

/// Keeps the first model that it was given.
class KeepsItsFirstModel : public Honest {
 protected:
  void do_configure(const Model& model, const BackendOptions& options) override {
    if (!delegate().configured()) Honest::do_configure(model, options);
  }
};

TEST(ConformanceSuite, FindsAReconfigureWithoutEffect) {
  EXPECT_TRUE(finds(conformance::check_reconfigure, offender<KeepsItsFirstModel>()));
}

// ---- offers
// ---------------------------------------------------------------------------------------------------------

constexpr OperationSet just_inverse_dynamics{Operation::inverse_dynamics};

/// Only inverse dynamics, and says so.
class OnlyInverseDynamics : public Honest {
 protected:
  Capabilities do_capabilities() const noexcept override {
    Capabilities capabilities = Honest::do_capabilities();
    capabilities.operations = just_inverse_dynamics;
    return capabilities;
  }
};

TEST(ConformanceSuite, PassesABackendThatDeclaresWhatItDoesNotOffer) {
  BackendUnderTest backend = offender<OnlyInverseDynamics>();
  EXPECT_TRUE(finds(conformance::check_against_newton, backend)) << "not declared yet";
  backend.not_offered = elements_of(OperationSet::all().without(just_inverse_dynamics));
  for (const conformance::Check& check : conformance::every_check()) {
    EXPECT_EQ(text_of(check.run(backend)), "") << check.name;
  }
  backend.not_offered.insert(Operation::inverse_dynamics);
  EXPECT_TRUE(finds(conformance::check_not_offered, backend))
      << "it offers what it declares not to";
}

/// Says that it offers nothing.
class OffersNothing : public Honest {
 protected:
  Capabilities do_capabilities() const noexcept override { return {.operations = {}}; }
};

TEST(ConformanceSuite, PassesABackendThatOffersNothing) {
  BackendUnderTest backend = offender<OffersNothing>();
  backend.not_offered = elements_of(OperationSet::all());
  EXPECT_EQ(text_of(conformance::check_not_offered(backend)), "");
}

// ---- memory
// ---------------------------------------------------------------------------------------------------------

void* volatile sink;  ///< keeps the compiler from leaving out an allocation that nobody uses

enum class By { malloc, calloc, realloc, aligned_alloc, posix_memalign, operator_new, eigen };

void allocate(By way, std::size_t n) {
  switch (way) {
    case By::malloc:
      sink = std::malloc(n);
      break;
    case By::calloc:
      sink = std::calloc(n, 1);
      break;
    case By::realloc:
      sink = std::realloc(nullptr, n);
      break;
    case By::aligned_alloc:
      sink = std::aligned_alloc(64, 64 * n);
      break;
    case By::posix_memalign: {
      void* memory = nullptr;
      sink = posix_memalign(&memory, 64, n) == 0 ? memory : nullptr;
      break;
    }
    case By::operator_new: {
      const std::vector<double> local(n, 1.0);
      sink = const_cast<double*>(local.data());
      return;
    }
    case By::eigen: {
      const Eigen::VectorXd temporary = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(n));
      sink = const_cast<double*>(temporary.data());
      return;
    }
  }
  std::free(sink);
}

/// Allocates once in one operation.
template <By way>
class Allocating : public OffendsIn<Operation::coriolis_forces> {
 protected:
  Result offend(const Args& args) noexcept override {
    allocate(way, args.tau.size());
    return honest(args);
  }
};

template <By way>
void expect_to_be_caught() {
  const Violations violations = conformance::check_allocations(offender<Allocating<way>>());
  ASSERT_FALSE(violations.empty());
  for (const std::string& line : violations) {
    EXPECT_NE(line.find("coriolis_forces: "), line.npos) << line;
    EXPECT_NE(line.find("allocations"), line.npos) << line;
  }
}

TEST(AllocationGate, CatchesMalloc) { expect_to_be_caught<By::malloc>(); }
TEST(AllocationGate, CatchesCalloc) { expect_to_be_caught<By::calloc>(); }
TEST(AllocationGate, CatchesRealloc) { expect_to_be_caught<By::realloc>(); }
TEST(AllocationGate, CatchesAlignedAlloc) { expect_to_be_caught<By::aligned_alloc>(); }
TEST(AllocationGate, CatchesPosixMemalign) { expect_to_be_caught<By::posix_memalign>(); }
TEST(AllocationGate, CatchesOperatorNew) { expect_to_be_caught<By::operator_new>(); }
TEST(AllocationGate, CatchesAnEigenTemporary) { expect_to_be_caught<By::eigen>(); }

/// The interposer sees what happens inside of shared libraries, this one's own included.
TEST(AllocationGate, SeesAllocationsInTheLibrary) {
  EXPECT_GT(allocations_during([] { sink = make_backend("reference").get(); }), 0u);
  EXPECT_EQ(allocations_during([] {}), 0u);
}

/// A free is as much a visit to the allocator as a malloc.
TEST(AllocationGate, CountsReleases) {
  void* memory = std::malloc(100);
  sink = memory;
  EXPECT_EQ(allocations_during([&] { std::free(memory); }), 1u);
}

/// With several threads a call may wake them and yield, but not allocate: not in the first call,
/// nor in one whose batch is larger than those before.
TEST(AllocationGate, HoldsWithSeveralThreads) {
  const auto model = std::make_shared<const Model>(conformance::mixed_tree(Base::floating).model());
  constexpr std::size_t most = 5000;
  for (const auto& [name, threads] : {std::pair{"cpu", 2}, {"cpu", 3}, {"compiled", 2}}) {
    const auto backend = make_backend(name);
    backend->configure(model, {.max_batch = most, .threads = threads});
    for (const std::size_t size : {std::size_t{1}, std::size_t{900}, most}) {
      const conformance::Batch batch = conformance::random_batch(*model, size, 134);
      for (const conformance::Call& call : conformance::every_call()) {
        conformance::Outputs out = conformance::room_for(call, *model, batch);
        EXPECT_EQ(allocations_during([&] { out.result = call.run(*backend, batch, out); }), 0u)
            << name << ", " << call.name << ", " << size << " states, " << threads << " threads";
        EXPECT_TRUE(out.result.ok());
      }
    }
  }
}

/// Nor does it matter which thread calls.
TEST(AllocationGate, HoldsInTheFirstCallOfAnotherThread) {
  const auto model = std::make_shared<const Model>(conformance::mixed_tree(Base::floating).model());
  constexpr std::size_t size = 5000;
  const auto backend = make_backend("cpu");
  backend->configure(model, {.max_batch = size, .threads = 2});
  const conformance::Batch batch = conformance::random_batch(*model, size, 134);
  const conformance::Call& call = conformance::every_call().front();
  conformance::Outputs out = conformance::room_for(call, *model, batch);
  std::uint64_t count = 1;
  std::thread([&] {
    count = allocations_during([&] { out.result = call.run(*backend, batch, out); });
  }).join();
  EXPECT_EQ(count, 0u);
  EXPECT_TRUE(out.result.ok());
}

TEST(AllocationGate, PassesAnHonestWrapper) {
  EXPECT_EQ(text_of(conformance::check_allocations(offender<Honest>())), "");
}

}  // namespace
}  // namespace rbd_parallel_core
