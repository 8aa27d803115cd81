// SPDX-License-Identifier: Apache-2.0
//
// One text over Scalar: the algorithms run in float and long double, and long double tells how
// exact double is.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "algorithm/scalar_model.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/testing/robots.hpp"

namespace rbd_parallel_core {
namespace {

using conformance::Random;
using conformance::Robot;

/// max |a - b| / max(|b|, 1)
template <class A, class B>
double error(const std::vector<A>& a, const std::vector<B>& b) {
  long double difference = 0, scale = 1;
  for (std::size_t k = 0; k < b.size(); ++k) {
    difference = std::max(
        difference, std::abs(static_cast<long double>(a[k]) - static_cast<long double>(b[k])));
    scale = std::max(scale, std::abs(static_cast<long double>(b[k])));
  }
  return static_cast<double>(difference / scale);
}

struct State {
  std::vector<double> q, v, a, tau;
};

State random_state(const Model& model, Random& random) {
  const auto nv = static_cast<std::size_t>(model.nv());
  return {conformance::random_configuration(model, random), random.numbers(nv, 2),
          random.numbers(nv, 5), random.numbers(nv, 10)};
}

class Scalars : public testing::TestWithParam<Robot> {};

INSTANTIATE_TEST_SUITE_P(Robots, Scalars, testing::ValuesIn(conformance::small_robots()),
                         [](const testing::TestParamInfo<Robot>& robot) {
                           return robot.param.name;
                         });

/// The backend "reference" against the same text in long double: rounding and sines, nothing else.
TEST_P(Scalars, DoubleIsExactToAFewUnitsOfItsLastPlace) {
  const auto model = std::make_shared<const Model>(GetParam().model());
  ScalarModel<long double> exact(*model);
  const auto backend = make_backend("reference");
  backend->configure(model);
  Random random(17);
  for (int i = 0; i < 5; ++i) {
    const State x = random_state(*model, random);
    std::vector<double> out(x.v.size()), M(x.v.size() * x.v.size());
    ASSERT_TRUE(backend->inverse_dynamics({.q = x.q, .v = x.v, .a = x.a, .tau = out}).ok());
    EXPECT_LE(error(out, exact.inverse_dynamics(x.q, x.v, x.a)), 1e-14);
    ASSERT_TRUE(backend->mass_matrix({.q = x.q, .mass_matrix = M}).ok());
    EXPECT_LE(error(M, exact.mass_matrix(x.q)), 1e-14);
    ASSERT_TRUE(backend->forward_dynamics({.q = x.q, .v = x.v, .tau = x.tau, .qdd = out}).ok());
    EXPECT_LE(error(out, exact.forward_dynamics_by_crba(x.q, x.v, x.tau)), 1e-11);
  }
}

/// The bounds that hold for single precision: 2e-5 for inverse dynamics and M, 1e-3 for the
/// residual of forward dynamics.
TEST_P(Scalars, FloatKeepsItsBounds) {
  const Model model = GetParam().model();
  ScalarModel<long double> exact(model);
  ScalarModel<float> single(model);
  Random random(18);
  for (int i = 0; i < 5; ++i) {
    const State x = random_state(model, random);
    EXPECT_LE(error(single.inverse_dynamics(x.q, x.v, x.a), exact.inverse_dynamics(x.q, x.v, x.a)),
              2e-5);
    EXPECT_LE(error(single.mass_matrix(x.q), exact.mass_matrix(x.q)), 2e-5);
    const auto residual = [&](const std::vector<float>& qdd) {
      const std::vector<double> a(qdd.begin(), qdd.end());
      return error(exact.inverse_dynamics(x.q, x.v, a), x.tau);
    };
    if (!model.has_mimic()) {
      EXPECT_LE(residual(single.forward_dynamics_by_aba(x.q, x.v, x.tau)), 1e-3);
    }
    EXPECT_LE(residual(single.forward_dynamics_by_crba(x.q, x.v, x.tau)), 1e-3);
  }
}

/// A chain of 1000 bodies: what double loses against long double.
TEST(LongChainInDouble, StaysCloseToLongDouble) {
  const auto model = std::make_shared<const Model>(conformance::chain(1000).model());
  ScalarModel<long double> exact(*model);
  const auto backend = make_backend("reference");
  backend->configure(model);
  Random random(20);
  const State x = random_state(*model, random);
  std::vector<double> out(1000), M(1000 * 1000);
  ASSERT_TRUE(backend->inverse_dynamics({.q = x.q, .v = x.v, .a = x.a, .tau = out}).ok());
  EXPECT_LE(error(out, exact.inverse_dynamics(x.q, x.v, x.a)), 1e-13);
  ASSERT_TRUE(backend->mass_matrix({.q = x.q, .mass_matrix = M}).ok());
  EXPECT_LE(error(M, exact.mass_matrix(x.q)), 1e-13);
  const std::vector<long double> qdd = exact.forward_dynamics_by_aba(x.q, x.v, x.tau);
  // The mass matrix has a condition number near 1e10; ABA never forms it and keeps two digits more.
  const std::pair<ForwardMethod, double> bounds[] = {{ForwardMethod::aba, 1e-9},
                                                     {ForwardMethod::crba, 1e-7}};
  for (const auto& [method, bound] : bounds) {
    ASSERT_TRUE(
        backend->forward_dynamics({.q = x.q, .v = x.v, .tau = x.tau, .method = method, .qdd = out})
            .ok());
    EXPECT_LE(error(out, qdd), bound);
  }
}

/// Sine and cosine of many angles at once are within 5e-16 of the true values, near and far from
/// zero, around the ends of the quadrants too.
TEST(SincosAll, IsWithin5em16) {
  Random random(21);
  std::vector<double> angles = {0.0, -0.0, 1e-300, 1e-8, -1e-3};
  for (const double size : {1.0, 4.0, 1e3, 9e4, 2e5, 1e9, 1e300}) {
    for (const double x : random.numbers(301, size)) angles.push_back(x);
  }
  for (int k = -40; k <= 40; ++k) {
    const double end = k * std::acos(-1.0) / 4;
    for (const double x : {end, std::nextafter(end, 1e3), std::nextafter(end, -1e3)})
      angles.push_back(x);
  }
  const auto count = static_cast<std::int32_t>(angles.size());
  angles.resize(static_cast<std::size_t>(padded_turns(count)));
  std::vector<double> sine(angles.size()), cosine(angles.size());
  sincos_all(Column<double>{angles.data()}, Column<double>{sine.data()},
             Column<double>{cosine.data()}, count);
  for (std::size_t k = 0; k < angles.size(); ++k) {
    const long double x = angles[k];
    EXPECT_LE(std::abs(sine[k] - std::sin(x)), 5e-16L) << "x = " << angles[k];
    EXPECT_LE(std::abs(cosine[k] - std::cos(x)), 5e-16L) << "x = " << angles[k];
  }
}

}  // namespace
}  // namespace rbd_parallel_core
