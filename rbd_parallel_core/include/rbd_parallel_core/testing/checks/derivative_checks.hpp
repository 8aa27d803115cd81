// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "rbd_parallel_core/testing/checks/derivative_oracle.hpp"

/// Right derivatives: against differences of the oracle.
namespace rbd_parallel_core::conformance {

namespace detail {

/// Compares with differences, which have an error of their own.
struct DerivativeReport {
  Report& report;
  double tolerance;

  void near(const std::vector<double>& actual, const std::vector<double>& expected,
            const std::string& what, double factor = 1) const {
    report.expect_near(actual, expected, factor * (tolerance + error_of_differences), what);
  }
};

inline std::vector<double> negative(std::vector<double> a) {
  for (double& x : a) x = -x;
  return a;
}

/// A state of a call, and what the oracle says of it.
struct DerivativeCase {
  const DerivativeOracle& oracle;
  const Batch& batch;
  const Outputs& out;
  std::size_t s, nv;

  std::vector<double> numbers(std::size_t output) const { return row(out, output, s); }
  std::vector<double> input(std::vector<double> Batch::*array) const {
    const auto first = (batch.*array).begin() + static_cast<std::ptrdiff_t>(s * nv);
    return {first, first + static_cast<std::ptrdiff_t>(nv)};
  }
  std::vector<double> times(const std::vector<double>& A, const std::vector<double>& x) const {
    return product(A, x, nv);
  }
  std::vector<double> transposed_times(const std::vector<double>& A,
                                       const std::vector<double>& x) const {
    return product(x, A, nv);
  }
};

/// Solving with M may lose three digits, as in check_forward_dynamics.
inline constexpr double of_solving = 1e3;

inline void compare_inverse(const DerivativeReport& report, const Call& call,
                            const DerivativeCase& c) {
  const std::vector<double> a = c.input(&Batch::a), M = c.oracle.mass_matrix();
  const std::vector<double> by_q = c.oracle.dtau_dq(a.data()), by_v = c.oracle.dtau_dv(a.data());
  switch (call.operation) {
    case Operation::inverse_dynamics_derivatives:
      report.near(c.numbers(0), by_q, "d tau / d q");
      report.near(c.numbers(1), by_v, "d tau / d v");
      report.near(c.numbers(2), M, "d tau / d a");
      report.report.expect(transposed(c.numbers(2), c.nv) == c.numbers(2), "M is not symmetric");
      break;
    case Operation::inverse_dynamics_jvp:
      report.near(c.numbers(0),
                  sum(c.times(M, c.input(&Batch::da)),
                      sum(c.times(by_q, c.input(&Batch::dq)), c.times(by_v, c.input(&Batch::dv)))),
                  "the change of tau");
      break;
    default: {
      const std::vector<double> weights = c.input(&Batch::weights);
      report.near(c.numbers(0), c.transposed_times(by_q, weights), "the gradient by q");
      report.near(c.numbers(1), c.transposed_times(by_v, weights), "the gradient by v");
      report.near(c.numbers(2), c.transposed_times(M, weights), "the gradient by a");
    }
  }
}

/// At a = qdd, M d qdd = d tau - d ID.
inline void compare_forward(const DerivativeReport& report, const Call& call,
                            const DerivativeCase& c) {
  const std::vector<double> qdd = c.oracle.accelerations(), M = c.oracle.mass_matrix();
  const std::vector<double> by_q = c.oracle.dtau_dq(qdd.data()),
                            by_v = c.oracle.dtau_dv(qdd.data());
  switch (call.operation) {
    case Operation::forward_dynamics_derivatives: {
      report.near(c.times(M, c.numbers(0)), negative(by_q), "M d qdd / d q", of_solving);
      report.near(c.times(M, c.numbers(1)), negative(by_v), "M d qdd / d v", of_solving);
      const std::vector<double> one =
          matrix_of_columns(c.nv, c.nv, [&](std::size_t k) { return unit(c.nv, k); });
      report.near(c.times(M, c.numbers(2)), one, "M d qdd / d tau", of_solving);
      report.report.expect(transposed(c.numbers(2), c.nv) == c.numbers(2),
                           "the inverse of M is not symmetric");
      break;
    }
    case Operation::forward_dynamics_jvp: {
      const std::vector<double> change =
          sum(c.times(by_q, c.input(&Batch::dq)), c.times(by_v, c.input(&Batch::dv)));
      report.near(c.times(M, c.numbers(0)), sum(c.input(&Batch::dtau), change, -1),
                  "M times the change of qdd", of_solving);
      break;
    }
    default: {
      const std::vector<double> weights = c.input(&Batch::weights), x = solved(M, weights);
      report.near(c.numbers(0), negative(c.transposed_times(by_q, x)), "the gradient by q",
                  of_solving);
      report.near(c.numbers(1), negative(c.transposed_times(by_v, x)), "the gradient by v",
                  of_solving);
      report.near(c.times(M, c.numbers(2)), weights, "M times the gradient by tau", of_solving);
    }
  }
}

inline void compare_coriolis(const DerivativeReport& report, const Model& model,
                             const DerivativeCase& c) {
  const std::vector<double> C = c.numbers(0), rate = c.numbers(1);
  report.near(c.times(C, c.input(&Batch::v)), c.oracle.coriolis_forces(), "C v");
  const std::vector<double> expected_rate = c.oracle.mass_matrix_rate();
  report.near(rate, expected_rate, "dM/dt");
  report.near(sum(C, transposed(C, c.nv)), expected_rate, "C + C^T");
  const auto& joints = model.joints();
  const bool plain =
      std::all_of(joints.begin(), joints.end(), [](const Joint& joint) { return joint.nv <= 1; });
  if (plain) report.near(C, c.oracle.christoffel_matrix(), "C by Christoffel symbols");
}

inline void compare_derivative(const DerivativeReport& report, const Call& call, const Model& model,
                               const DerivativeCase& c) {
  switch (call.operation) {
    case Operation::inverse_dynamics_derivatives:
    case Operation::inverse_dynamics_jvp:
    case Operation::inverse_dynamics_vjp:
      return compare_inverse(report, call, c);
    case Operation::forward_dynamics_derivatives:
    case Operation::forward_dynamics_jvp:
    case Operation::forward_dynamics_vjp:
      return compare_forward(report, call, c);
    case Operation::coriolis_matrix:
      return compare_coriolis(report, model, c);
    case Operation::centroidal_momentum:
      report.near(c.numbers(0), c.oracle.momentum_matrix(), "A");
      report.near(c.numbers(1), c.oracle.momentum_matrix_rate(), "dA/dt");
      return;
    default:
      return;
  }
}

/// dJ/dt of the links of a batch, along the axes of the world or those that the links have now.
inline std::vector<double> expected_jacobian_rates(const DerivativeOracle& oracle,
                                                   const NewtonOracle& newton, const Batch& batch,
                                                   const Model& model, std::size_t s,
                                                   bool in_link_axes) {
  const State x = state_of(batch, model, s);
  const std::size_t nv = index(model.nv());
  std::vector<double> rates;
  for (const int l : batch.links) {
    const std::string& name = model.links()[index(l)].name;
    const Mat3<double> R = newton.motion(x.q, x.v, x.a).at(name).R;
    const std::vector<double> rate = oracle.along_the_motion([&](const std::vector<double>& q) {
      const OracleLink link = newton.motion(q.data(), x.v, x.a).at(name);
      return matrix_of_columns(6, nv, [&](std::size_t k) {
        const OracleColumn& column = link.columns[k];
        std::vector<double> numbers;
        for (const Vec3<double>& vector : {column.slide, column.turn}) {
          const Vec3<double> seen = in_link_axes ? transpose_times(R, vector) : vector;
          numbers.insert(numbers.end(), {seen.x, seen.y, seen.z});
        }
        return numbers;
      });
    });
    rates.insert(rates.end(), rate.begin(), rate.end());
  }
  return rates;
}

/// The robot with other masses and inertias, and without armature, which are no inertial
/// parameters.
inline Robot with_other_inertias(Robot robot, std::uint64_t seed) {
  Random random(seed);
  for (LinkDescription& link : robot.description.links) {
    if (link.inertial) link.inertial = random.inertial();
  }
  for (JointDescription& joint : robot.description.joints) joint.armature = 0;
  return robot;
}

}  // namespace detail

/// Derivatives, products with them, the Coriolis matrix, centroidal momentum and the rates of
/// Jacobians are the slopes of what Newton and Euler give; without and with friction.
RBD_CONFORMANCE_FUNCTION Violations check_derivatives(const BackendUnderTest& under_test) {
  detail::Report report;
  const detail::DerivativeReport slopes{report, under_test.tolerance};
  for (const Robot& robot : small_robots()) {
    const auto model = detail::shared(robot);
    const Batch batch = random_batch(*model, 2, 130);
    for (const bool friction : {false, true}) {
      const auto backend = detail::configured(under_test, model, batch.size, 1, friction);
      for (const Call& call : detail::calls_for(under_test, *model)) {
        const bool rates = call.operation == Operation::link_motion && !friction &&
                           detail::among(Argument::jacobian_rate, outputs_of(call));
        if (call.operation <= Operation::link_motion && !rates) continue;
        report.at(robot.name, call.name + (friction ? " with friction" : ""));
        const Outputs out = run(call, *backend, batch);
        report.expect_ok(out);
        for (std::size_t s = 0; s < batch.size; ++s) {
          const detail::State x = detail::state_of(batch, *model, s);
          const detail::DerivativeOracle oracle(
              robot, *model, x, detail::wrenches_of(call, batch, *model, x), friction);
          detail::compare_derivative(slopes, call, *model,
                                     {oracle, batch, out, s, index(model->nv())});
          if (!rates) continue;
          slopes.near(row(out, 3, s),
                      detail::expected_jacobian_rates(oracle, NewtonOracle(robot), batch, *model, s,
                                                      call.axes == Axes::link),
                      "dJ/dt");
        }
      }
    }
  }
  return report.take();
}

/// tau = Y pi, tau by the oracle: Y is the same for all inertias, so that it must hold for others
/// than those of the model too.
RBD_CONFORMANCE_FUNCTION Violations check_regressor(const BackendUnderTest& under_test) {
  detail::Report report;
  if (under_test.not_offered.contains(Operation::regressor)) return {};
  for (const Robot& robot : small_robots()) {
    const auto model = detail::shared(robot);
    const Batch batch = random_batch(*model, 3, 131);
    const auto backend = detail::configured(under_test, model, batch.size, 1, true);
    const Outputs out = run(detail::call_named("regressor"), *backend, batch);
    report.at(robot.name, "regressor");
    report.expect_ok(out);
    for (const std::uint64_t seed : {1, 2, 3}) {
      const Robot other = detail::with_other_inertias(robot, seed);
      const NewtonOracle oracle(other);
      const std::vector<double> parameters = other.model().inertial_parameters();
      for (std::size_t s = 0; s < batch.size; ++s) {
        const detail::State x = detail::state_of(batch, *model, s);
        report.expect_near(detail::product(row(out, 0, s), parameters, parameters.size()),
                           oracle.inverse_dynamics(x.q, x.v, x.a), 10 * under_test.tolerance,
                           "Y pi");
      }
    }
  }
  return report.take();
}

}  // namespace rbd_parallel_core::conformance
