// SPDX-License-Identifier: Apache-2.0
//
// RNEA and CRBA by tree scans give what the recursions give, but for the rounding of root
// coordinates: every joint type, trees and forests, skewed gravity, every executor.

#include "rbd_parallel_core/study/scan_dynamics.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "algorithm/dynamics_rig.hpp"
#include "backend/allocation_counter.hpp"
#include "rbd_parallel_core/model/generators.hpp"
#include "rbd_parallel_core/study/crba_scan.hpp"
#include "rbd_parallel_core/study/rnea_scan.hpp"
#include "study/recursion.hpp"

namespace rbd_parallel_core {
namespace {

using conformance::Random;
using conformance::Robot;

template <class Real>
std::vector<Real> as(const std::vector<double>& numbers) {
  std::vector<Real> result;
  for (const double x : numbers) result.push_back(static_cast<Real>(x));
  return result;
}

template <class Real>
std::vector<Real> inverse_dynamics(ScanDynamics<Real>& dynamics, const ScanState& state,
                                   std::size_t nv) {
  const std::vector<Real> q = as<Real>(state.q), v = as<Real>(state.v), a = as<Real>(state.a);
  std::vector<Force<Real>> f_ext;
  for (const Force<double>& f : state.f_ext) {
    f_ext.push_back(
        {{static_cast<Real>(f.n.x), static_cast<Real>(f.n.y), static_cast<Real>(f.n.z)},
         {static_cast<Real>(f.f.x), static_cast<Real>(f.f.y), static_cast<Real>(f.f.z)}});
  }
  const Vec3<Real> gravity{static_cast<Real>(state.gravity.x), static_cast<Real>(state.gravity.y),
                           static_cast<Real>(state.gravity.z)};
  std::vector<Real> tau(nv, std::numeric_limits<Real>::quiet_NaN());
  const Result result = dynamics.inverse_dynamics(q, v, a, f_ext, gravity, tau);
  EXPECT_TRUE(result.ok()) << message(result);
  return tau;
}

template <class Real>
std::vector<Real> mass_matrix(ScanDynamics<Real>& dynamics, const ScanState& state,
                              std::size_t nv) {
  const std::vector<Real> q = as<Real>(state.q);
  std::vector<Real> M(nv * nv, std::numeric_limits<Real>::quiet_NaN());
  const Result result = dynamics.mass_matrix(q, M);
  EXPECT_TRUE(result.ok()) << message(result);
  return M;
}

std::vector<ScanOptions> every_option() {
  std::vector<ScanOptions> all;
  for (const bool recurrence : {false, true}) {
    for (const bool mapped : {false, true}) {
      all.push_back(
          {.variant = ScanVariant::sequential, .recurrence = recurrence, .mapped_sums = mapped});
      all.push_back(
          {.variant = ScanVariant::blelloch, .recurrence = recurrence, .mapped_sums = mapped});
      for (const std::int32_t block : {0, 3}) {
        all.push_back({.variant = ScanVariant::blocked,
                       .block = block,
                       .recurrence = recurrence,
                       .mapped_sums = mapped});
      }
    }
  }
  return all;
}

std::vector<Robot> robots() {
  std::vector<Robot> all = conformance::small_robots();
  all.push_back(conformance::rock());
  all.push_back(conformance::chain(60));
  return all;
}

class ScanForms : public testing::TestWithParam<Robot> {
 protected:
  std::shared_ptr<const Model> model_ = std::make_shared<const Model>(GetParam().model());
  std::size_t nv_ = static_cast<std::size_t>(model_->nv());
  Recursion recursion_{*model_};

  template <class Real>
  void expect_the_recursions() {
    Random random(71);
    for (const ScanOptions& options : every_option()) {
      ScanDynamics<Real> dynamics;
      dynamics.configure(model_, 2, options);
      const ScanState state = random_scan_state(*model_, random);
      const double reach = recursion_.reach(state);
      EXPECT_LE(relative_error(inverse_dynamics(dynamics, state, nv_),
                               recursion_.inverse_dynamics(state, false)),
                rounding<Real>(*model_, reach, 1));
      EXPECT_LE(relative_error(mass_matrix(dynamics, state, nv_), recursion_.mass_matrix(state)),
                rounding<Real>(*model_, reach, 2));
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Robots, ScanForms, testing::ValuesIn(robots()),
                         [](const auto& robot) { return robot.param.name; });

TEST_P(ScanForms, GiveWhatTheRecursionsGive) { expect_the_recursions<double>(); }

TEST_P(ScanForms, GiveItInFloat) { expect_the_recursions<float>(); }

/// Empty arrays are zeros, whose scans are left out.
TEST_P(ScanForms, LeaveOutWhatIsZero) {
  for (const bool recurrence : {false, true}) {
    ScanDynamics<double> dynamics;
    dynamics.configure(model_, 1, {.recurrence = recurrence, .friction = true});
    Random random(72);
    const ScanState full = random_scan_state(*model_, random);
    const std::vector<double> zeros(nv_, 0.0);
    for (const int given : {0, 1, 2, 3, 4, 7}) {  // bits: v, a, f_ext
      ScanState state = full, filled = full;
      if ((given & 1) == 0) state.v.clear(), filled.v = zeros;
      if ((given & 2) == 0) state.a.clear(), filled.a = zeros;
      if ((given & 4) == 0) state.f_ext.clear(), filled.f_ext.clear();
      EXPECT_LE(relative_error(inverse_dynamics(dynamics, state, nv_),
                               recursion_.inverse_dynamics(filled, true)),
                rounding<double>(*model_, recursion_.reach(state), 1))
          << given;
    }
  }
}

/// The backend that users have agrees, with the model's own gravity.
TEST_P(ScanForms, AgreeWithTheReferenceBackend) {
  const DynamicsRig rig(GetParam());
  ScanDynamics<double> dynamics;
  dynamics.configure(model_, 2);
  Random random(73);
  ScanState state = random_scan_state(*model_, random);
  state.f_ext.clear();
  state.gravity = model_->gravity();
  const auto reference = rig.inverse_dynamics(
      DynamicsRig::vector(state.q), DynamicsRig::vector(state.v), DynamicsRig::vector(state.a));
  EXPECT_LE(relative_error(inverse_dynamics(dynamics, state, nv_),
                           std::vector<double>(reference.begin(), reference.end())),
            rounding<double>(*model_, recursion_.reach(state), 1));
}

TEST_P(ScanForms, MassMatrixIsSymmetric) {
  ScanDynamics<double> dynamics;
  dynamics.configure(model_, 2);
  Random random(74);
  const auto M = mass_matrix(dynamics, random_scan_state(*model_, random), nv_);
  for (std::size_t i = 0; i < nv_; ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(M[i * nv_ + j], M[j * nv_ + i]);
  }
}

/// The text over Scalar: in long double, with the writer that keeps a lower triangle only. The
/// rotations of a Model are orthogonal to the precision of double, so that their transposes are
/// inverses to no more than that.
void expect_lower_triangle_in_long_double(const Robot& without_mimic) {
  using S = long double;
  const Model model = without_mimic.model();
  Recursion recursion(model);
  const auto nv = static_cast<std::size_t>(model.nv());
  const ConvertedModel<S> converted(model.view());
  const ModelView<S>& view = converted.view();
  std::vector<std::int32_t> parents, first, column, body;
  for (std::int32_t i = 0; i < view.body_count; ++i) {
    parents.push_back(view.body[i].parent);
    body.insert(body.end(), static_cast<std::size_t>(nv_of(view.body[i].type)), i);
  }
  for (std::int32_t k = 0; k <= view.nv; ++k) first.push_back(k);
  column = first;
  const VTree tree(parents);
  const ScanRobot<S> robot{view, tree.view(), {first.data(), column.data(), body.data()}};
  std::vector<Transform<S>> X0(parents.size());
  std::vector<Motion<S>> axis(nv);
  std::vector<Force<S>> F(nv);
  std::vector<S> steps(12 * static_cast<std::size_t>(tree.view().step_count()));
  const CrbaScanWorkspace<S, Column> ws{
      {{X0.data()}, {axis.data()}}, {F.data()}, {steps.data(), nullptr, tree.view().step_count()}};
  Random random(75);
  const ScanState state = random_scan_state(model, random);
  const std::vector<S> q(state.q.begin(), state.q.end());
  std::vector<S> M(nv * nv, S(0));
  crba_scan(SequentialExecutor{}, robot, ws, Row<S>{q.data()}, OutLower<S>{{M.data(), view.nv}});
  std::vector<S> expected = recursion.mass_matrix(state);
  for (std::size_t i = 0; i < nv; ++i) {
    for (std::size_t j = i + 1; j < nv; ++j) expected[i * nv + j] = 0;  // not written
  }
  EXPECT_LE(relative_error(M, expected), rounding<double>(model, recursion.reach(state), 2));
}

TEST(ScanTexts, RunInLongDoubleAndIntoALowerTriangle) {
  expect_lower_triangle_in_long_double(conformance::mixed_tree(Base::fixed));
  expect_lower_triangle_in_long_double(conformance::mixed_chain());
  expect_lower_triangle_in_long_double(conformance::branching_tree());
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

TEST(ScanDynamics, BitsDoNotDependOnThreads) {
  const auto model = std::make_shared<const Model>(
      auto_tree({.bodies = 900, .branching = 1.3, .skew = 0.4, .taper = 0.99}));
  Random random(76);
  const ScanState state = random_scan_state(*model, random);
  for (const ScanVariant variant : {ScanVariant::blocked, ScanVariant::blelloch}) {
    for (const bool recurrence : {false, true}) {
      std::vector<double> tau, M;
      for (const int threads : {1, 2, 3}) {
        ScanDynamics<double> dynamics;
        dynamics.configure(model, threads, {.variant = variant, .recurrence = recurrence});
        const auto tau_here = inverse_dynamics(dynamics, state, 900);
        const auto M_here = mass_matrix(dynamics, state, 900);
        if (threads > 1) {
          EXPECT_TRUE(same_bits(tau, tau_here));
          EXPECT_TRUE(same_bits(M, M_here));
        }
        tau = tau_here;
        M = M_here;
      }
    }
  }
}

/// A second configuration replaces the first, and one state leaves nothing behind for the next.
TEST(ScanDynamics, CallsAreIndependent) {
  const auto tree = std::make_shared<const Model>(conformance::mixed_tree(Base::fixed).model());
  const auto chain = std::make_shared<const Model>(conformance::mixed_chain().model());
  Random random(77);
  const ScanState x = random_scan_state(*tree, random), y = random_scan_state(*tree, random);
  const ScanState z = random_scan_state(*chain, random);
  const auto nv = static_cast<std::size_t>(tree->nv());
  ScanDynamics<double> dynamics;
  dynamics.configure(tree, 2);
  const auto tau = inverse_dynamics(dynamics, x, nv);
  const auto M = mass_matrix(dynamics, x, nv);
  inverse_dynamics(dynamics, y, nv);
  mass_matrix(dynamics, y, nv);
  EXPECT_TRUE(same_bits(tau, inverse_dynamics(dynamics, x, nv)));
  EXPECT_TRUE(same_bits(M, mass_matrix(dynamics, x, nv)));
  dynamics.configure(chain, 1);
  inverse_dynamics(dynamics, z, static_cast<std::size_t>(chain->nv()));
  dynamics.configure(tree, 1);
  EXPECT_TRUE(same_bits(tau, inverse_dynamics(dynamics, x, nv)));
}

/// The largest |found - expected| / |expected| on the diagonal of M.
double diagonal_error(const std::vector<double>& found, const std::vector<long double>& expected,
                      std::size_t nv) {
  long double largest = 0;
  for (std::size_t k = 0; k < nv * nv; k += nv + 1) {
    largest = std::max(largest, std::abs((found[k] - expected[k]) / expected[k]));
  }
  return static_cast<double>(largest);
}

/// What docs/vtree.md says of small numbers far from the root: the scans lose about eight digits,
/// the recursion none to speak of.
TEST(ScanAccuracy, RootCoordinatesLoseDigitsOnAStraightChain) {
  constexpr std::size_t n = 1000;
  const Robot straight{"straight", describe_auto_tree({.bodies = n}), {}};
  const auto model = std::make_shared<const Model>(straight.model());
  ScanState state;
  state.q = Random(79).numbers(n, 1e-3);
  const auto exact = Recursion(*model).mass_matrix(state);
  ScanDynamics<double> dynamics;
  dynamics.configure(model, 1);
  const std::vector<double> found = mass_matrix(dynamics, state, n);
  EXPECT_LT(relative_error(found, exact), 1e-13) << "relative to the largest entry";
  const double by_scan = diagonal_error(found, exact, n);
  EXPECT_GT(by_scan, 1e-10);
  EXPECT_LT(by_scan, 1e-6);
  const auto M = DynamicsRig(straight).mass_matrix(DynamicsRig::vector(state.q));
  EXPECT_LT(diagonal_error({M.data(), M.data() + M.size()}, exact, n), 1e-13);
}

TEST(ScanDynamics, RefusesWhatDoesNotFit) {
  ScanDynamics<double> dynamics;
  std::vector<double> q(3, 0.0), tau(3, 7.0), two(2, 0.0), M(9);
  const std::vector<Force<double>> two_forces(2, Force<double>::zero());
  const Vec3<double> gravity{0, 0, -9.81};
  EXPECT_EQ(dynamics.inverse_dynamics(q, {}, {}, {}, gravity, tau).code, Code::not_configured);
  EXPECT_EQ(dynamics.mass_matrix(q, M).code, Code::not_configured);
  EXPECT_THROW(dynamics.configure(nullptr, 1), std::invalid_argument);
  const auto model = std::make_shared<const Model>(serial_chain(3));
  EXPECT_THROW(dynamics.configure(model, 0), std::invalid_argument);
  EXPECT_THROW(dynamics.configure(model, 1, {.block = -1}), std::invalid_argument);
  dynamics.configure(model, 1);
  const auto expect = [](const Result& result, Argument argument, int expected, int actual) {
    EXPECT_EQ(result.code, Code::wrong_size);
    EXPECT_EQ(result.argument, argument);
    EXPECT_EQ(result.expected, expected);
    EXPECT_EQ(result.actual, actual);
  };
  expect(dynamics.inverse_dynamics(two, {}, {}, {}, gravity, tau), Argument::q, 3, 2);
  expect(dynamics.inverse_dynamics(q, two, {}, {}, gravity, tau), Argument::v, 3, 2);
  expect(dynamics.inverse_dynamics(q, {}, two, {}, gravity, tau), Argument::a, 3, 2);
  expect(dynamics.inverse_dynamics(q, {}, {}, two_forces, gravity, tau), Argument::wrenches, 3, 2);
  expect(dynamics.inverse_dynamics(q, {}, {}, {}, gravity, two), Argument::tau, 3, 2);
  expect(dynamics.mass_matrix(two, M), Argument::q, 3, 2);
  expect(dynamics.mass_matrix(q, tau), Argument::mass_matrix, 9, 3);
  EXPECT_EQ(tau, std::vector<double>(3, 7.0)) << "a refused call writes nothing";
}

TEST(AllocationGate, ScansTakeNoMemory) {
  const auto model = std::make_shared<const Model>(
      auto_tree({.bodies = 1500, .branching = 1.3, .skew = 0.4, .taper = 0.99}));
  Random random(78);
  const ScanState state = random_scan_state(*model, random);
  std::vector<double> tau(1500), M(1500 * 1500);
  for (const ScanOptions& options : every_option()) {
    ScanDynamics<double> dynamics;
    dynamics.configure(model, 2, options);
    EXPECT_EQ(
        allocations_during([&] {
          EXPECT_TRUE(
              dynamics.inverse_dynamics(state.q, state.v, state.a, state.f_ext, state.gravity, tau)
                  .ok());
          EXPECT_TRUE(dynamics.mass_matrix(state.q, M).ok());
        }),
        0u);
  }
}

}  // namespace
}  // namespace rbd_parallel_core
