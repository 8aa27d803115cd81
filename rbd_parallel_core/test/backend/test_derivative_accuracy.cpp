// SPDX-License-Identifier: Apache-2.0
//
// Rounding of derivatives along chains, against differences of RNEA in long double.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <vector>

#include "algorithm/long_dynamics.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/testing/backend_calls.hpp"

namespace rbd_parallel_core {
namespace {

using conformance::Batch;
using conformance::index;

/// d tau / d q and d tau / d v in long double, nv x nv.
struct ExactDerivatives {
  Longs by_q, by_v;

  ExactDerivatives(const Model& model, const Batch& batch)
      : by_q(size_of(model)), by_v(size_of(model)) {
    const std::size_t n = index(model.nv());
    LongDynamics dynamics(model);
    const Longs q(batch.q.begin(), batch.q.end()), v(batch.v.begin(), batch.v.end());
    const Longs a(batch.a.begin(), batch.a.end());
    const auto torques = [&](const Longs& at_q, const Longs& at_v) {
      return dynamics.torques(at_q, at_v, a, {}, {}, Axes::link, false);
    };
    // Eight points: h^8 / 630 times a ninth derivative, that of a sine of twice the angle, which is
    // 3e-19 of it; rounding over h is 1e-17.
    constexpr Long h = 5e-3L, weights[4] = {4 / 5.L, -1 / 5.L, 4 / 105.L, -1 / 280.L};
    for (std::size_t j = 0; j < n; ++j) {
      for (int k = 0; k < 4; ++k) {
        const Longs after = torques(dynamics.moved(q, j, Long(k + 1) * h), v);
        const Longs before = torques(dynamics.moved(q, j, -Long(k + 1) * h), v);
        for (std::size_t i = 0; i < n; ++i) {
          by_q[i * n + j] += weights[k] / h * (after[i] - before[i]);
        }
      }
      Longs faster = v, slower = v;  // tau has the square of v and no higher power
      faster[j] += 0.5L;
      slower[j] -= 0.5L;
      const Longs more = torques(q, faster), less = torques(q, slower);
      for (std::size_t i = 0; i < n; ++i) by_v[i * n + j] = more[i] - less[i];
    }
  }

 private:
  static std::size_t size_of(const Model& model) { return index(model.nv()) * index(model.nv()); }
};

/// Relative to the largest entry.
template <class Real>
double error(const std::vector<Real>& actual, const Longs& exact) {
  Long largest = 0, worst = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    largest = std::max(largest, std::abs(exact[k]));
    worst = std::max(worst, std::abs(Long(actual[k]) - exact[k]));
  }
  return static_cast<double>(worst / largest);
}

struct Errors {
  double by_q = 0, by_v = 0;
};

/// The largest of those seen before and of those of this state.
template <class Real>
void take_errors(const std::shared_ptr<const Model>& model, const Batch& batch,
                 const ExactDerivatives& exact, Errors& errors) {
  const auto backend = make_backend<Real>("reference");
  backend->configure(model);
  const auto rounded = [](const std::vector<double>& x) {
    return std::vector<Real>(x.begin(), x.end());
  };
  const std::vector<Real> q = rounded(batch.q), v = rounded(batch.v), a = rounded(batch.a);
  std::vector<Real> dtau_dq(exact.by_q.size()), dtau_dv(exact.by_v.size());
  const Result result = backend->inverse_dynamics_derivatives(
      {.q = q, .v = v, .a = a, .dtau_dq = dtau_dq, .dtau_dv = dtau_dv});
  ASSERT_TRUE(result.ok()) << message(result);
  errors.by_q = std::max(errors.by_q, error(dtau_dq, exact.by_q));
  errors.by_v = std::max(errors.by_v, error(dtau_dv, exact.by_v));
}

/// Errors grow no faster than the number of bodies: each of n steps outward and n inward rounds.
/// States are those that float can hold, so that both precisions have the same.
TEST(DerivativeAccuracy, OfChainsGrowsWithTheirLength) {
  for (const int bodies : {10, 30, 100, 300}) {
    const auto model = std::make_shared<const Model>(conformance::chain(bodies).model());
    Errors of_double, of_float;
    for (const std::uint64_t seed : {150, 151, 152}) {
      Batch batch = conformance::random_batch(*model, 1, seed);
      for (const auto array : {&Batch::q, &Batch::v, &Batch::a}) {
        for (double& x : batch.*array) x = static_cast<float>(x);
      }
      const ExactDerivatives exact(*model, batch);
      take_errors<double>(model, batch, exact, of_double);
      take_errors<float>(model, batch, exact, of_float);
    }
    std::printf("%4d bodies: double %.1e by q, %.1e by v; float %.1e by q, %.1e by v\n", bodies,
                of_double.by_q, of_double.by_v, of_float.by_q, of_float.by_v);
    const double steps = 2 * bodies;
    EXPECT_LE(of_double.by_q, steps * std::numeric_limits<double>::epsilon());
    EXPECT_LE(of_double.by_v, steps * std::numeric_limits<double>::epsilon());
    EXPECT_LE(of_float.by_q, steps * std::numeric_limits<float>::epsilon());
    EXPECT_LE(of_float.by_v, steps * std::numeric_limits<float>::epsilon());
  }
}

}  // namespace
}  // namespace rbd_parallel_core
