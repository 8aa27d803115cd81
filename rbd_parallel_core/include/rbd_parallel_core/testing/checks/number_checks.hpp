// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "rbd_parallel_core/model/mass_matrix_pattern.hpp"
#include "rbd_parallel_core/testing/checks/check_report.hpp"
#include "rbd_parallel_core/testing/newton_oracle.hpp"

/// Right numbers: against an oracle that shares no code with the library, and against the backend
/// "reference".
namespace rbd_parallel_core::conformance {

namespace detail {

/// One state of a batch.
struct State {
  const double *q, *v, *a, *tau, *wrenches;
};
inline State state_of(const Batch& batch, const Model& model, std::size_t s) {
  const std::size_t nq = index(model.nq()), nv = index(model.nv()), k = 6 * batch.links.size();
  return {batch.q.data() + s * nq, batch.v.data() + s * nv, batch.a.data() + s * nv,
          batch.tau.data() + s * nv, batch.wrenches.data() + s * k};
}

inline std::vector<OracleWrench> oracle_wrenches(const Batch& batch, const Model& model,
                                                 const State& state, bool in_world_axes) {
  std::vector<OracleWrench> wrenches;
  for (std::size_t k = 0; k < batch.links.size(); ++k) {
    const double* w = state.wrenches + 6 * k;
    wrenches.push_back({model.links()[index(batch.links[k])].name,
                        {w[0], w[1], w[2]},
                        {w[3], w[4], w[5]},
                        in_world_axes});
  }
  return wrenches;
}

inline std::vector<OracleWrench> wrenches_of(const Call& call, const Batch& batch,
                                             const Model& model, const State& state) {
  const std::string name = call.name;
  if (!call.with_wrenches) return {};
  return oracle_wrenches(batch, model, state, name.find("world axes") != std::string::npos);
}

inline std::vector<double> numbers(const Vec3<double>& a) { return {a.x, a.y, a.z}; }
inline void append(std::vector<double>& to, const Mat3<double>& a) {
  to.insert(to.end(), {a.x.x, a.x.y, a.x.z, a.y.x, a.y.y, a.y.z, a.z.x, a.z.y, a.z.z});
}

/// What a call that gives one vector should give, by the oracle; forward dynamics is judged
/// elsewhere.
inline std::vector<double> expected_vector(const NewtonOracle& oracle, const Call& call,
                                           const Batch& batch, const Model& model, std::size_t s,
                                           bool friction) {
  const State x = state_of(batch, model, s);
  const std::vector<double> zeros(index(model.nv()), 0.0);
  switch (call.operation) {
    case Operation::inverse_dynamics:
      return oracle.inverse_dynamics(x.q, x.v, x.a, wrenches_of(call, batch, model, x), true,
                                     friction);
    case Operation::bias_forces:
      return oracle.inverse_dynamics(x.q, x.v, zeros.data(), {}, true, friction);
    case Operation::gravity_forces:
      return oracle.inverse_dynamics(x.q, zeros.data(), zeros.data());
    case Operation::coriolis_forces:
      return oracle.inverse_dynamics(x.q, x.v, zeros.data(), {}, false);
    default:
      return oracle.mass_matrix(x.q);
  }
}

inline void check_forces(Report& report, const BackendUnderTest& under_test, const Robot& robot,
                         bool friction) {
  const NewtonOracle oracle(robot);
  const auto model = shared(robot);
  const Batch batch = random_batch(*model, 3, 101);
  const auto backend = configured(under_test, model, batch.size, 1, friction);
  for (const Call& call : calls_for(under_test, *model)) {
    if (call.operation > Operation::mass_matrix) continue;
    report.at(robot.name, call.name);
    const Outputs out = run(call, *backend, batch);
    report.expect_ok(out);
    for (std::size_t s = 0; s < batch.size; ++s) {
      report.expect_near(row(out, 0, s), expected_vector(oracle, call, batch, *model, s, friction),
                         under_test.tolerance, "the result");
    }
  }
}

inline void check_energies(Report& report, const BackendUnderTest& under_test, const Robot& robot) {
  if (under_test.not_offered.contains(Operation::energies)) return;
  const NewtonOracle oracle(robot);
  const auto model = shared(robot);
  const Batch batch = random_batch(*model, 3, 102);
  const auto backend = configured(under_test, model, batch.size);
  report.at(robot.name, "energies");
  const Outputs out = run(call_named("energies"), *backend, batch);
  report.expect_ok(out);
  for (std::size_t s = 0; s < batch.size; ++s) {
    const State x = state_of(batch, *model, s);
    const std::vector<double> M = oracle.mass_matrix(x.q);
    const std::size_t nv = index(model->nv());
    double kinetic = 0, mass = 0;
    for (std::size_t i = 0; i < nv; ++i) {
      for (std::size_t j = 0; j < nv; ++j) kinetic += 0.5 * x.v[i] * M[i * nv + j] * x.v[j];
    }
    const Vec3<double> com = oracle.centre_of_mass(x.q, &mass);
    const double potential = -mass * dot(robot.options.gravity, com);
    report.expect_near(row(out, 0, s), {kinetic}, under_test.tolerance, "kinetic energy");
    report.expect_near(row(out, 1, s), {potential}, under_test.tolerance, "potential energy");
    report.expect_near(row(out, 2, s), numbers(com), under_test.tolerance, "centre of mass");
  }
}

/// Position, rotation matrix and Jacobian of the links of a batch, one after the other, as the
/// oracle has them.
inline std::array<std::vector<double>, Outputs::most> expected_links(const NewtonOracle& oracle,
                                                                     const Batch& batch,
                                                                     const Model& model,
                                                                     std::size_t s,
                                                                     bool in_link_axes) {
  const State x = state_of(batch, model, s);
  const auto links = oracle.motion(x.q, x.v, x.a);
  std::array<std::vector<double>, Outputs::most> expected;
  for (const int l : batch.links) {
    const OracleLink& link = links.at(model.links()[index(l)].name);
    expected[0].insert(expected[0].end(), {link.p.x, link.p.y, link.p.z});
    append(expected[1], link.R);
    const std::size_t nv = link.columns.size();
    std::vector<double> J(6 * nv);
    for (std::size_t k = 0; k < nv; ++k) {
      const OracleColumn& column = link.columns[k];
      const bool turn = in_link_axes;
      const Vec3<double> v = turn ? transpose_times(link.R, column.slide) : column.slide;
      const Vec3<double> w = turn ? transpose_times(link.R, column.turn) : column.turn;
      const double rows[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
      for (std::size_t r = 0; r < 6; ++r) J[r * nv + k] = rows[r];
    }
    expected[2].insert(expected[2].end(), J.begin(), J.end());
  }
  return expected;
}

inline void check_links(Report& report, const BackendUnderTest& under_test, const Robot& robot,
                        const char* name, bool in_link_axes) {
  if (under_test.not_offered.contains(Operation::link_kinematics)) return;
  const NewtonOracle oracle(robot);
  const auto model = shared(robot);
  const Batch batch = random_batch(*model, 3, 103);
  const auto backend = configured(under_test, model, batch.size);
  report.at(robot.name, name);
  const Outputs out = run(call_named(name), *backend, batch);
  report.expect_ok(out);
  for (std::size_t s = 0; s < batch.size; ++s) {
    const std::vector<double> poses = row(out, 0, s);
    std::vector<double> positions, rotations;
    for (std::size_t k = 0; k < batch.links.size(); ++k) {
      positions.insert(positions.end(), &poses[7 * k], &poses[7 * k] + 3);
      append(rotations, quaternion_matrix(&poses[7 * k + 3]));
    }
    const auto expected = expected_links(oracle, batch, *model, s, in_link_axes);
    report.expect_near(positions, expected[0], under_test.tolerance, "positions");
    report.expect_near(rotations, expected[1], under_test.tolerance, "rotations");
    report.expect_near(row(out, 1, s), expected[2], under_test.tolerance, "Jacobians");
  }
}

/// Twist, acceleration and velocity product of the links of a batch, as the oracle has them.
inline std::array<std::vector<double>, Outputs::most> expected_motion(const NewtonOracle& oracle,
                                                                      const Batch& batch,
                                                                      const Model& model,
                                                                      std::size_t s,
                                                                      bool in_link_axes) {
  const State x = state_of(batch, model, s);
  const std::vector<double> zeros(index(model.nv()), 0.0);
  const auto links = oracle.motion(x.q, x.v, x.a), coasting = oracle.motion(x.q, x.v, zeros.data());
  std::array<std::vector<double>, Outputs::most> expected;
  for (const int l : batch.links) {
    const std::string& name = model.links()[index(l)].name;
    const OracleLink &link = links.at(name), &coasts = coasting.at(name);
    const auto add = [&](std::size_t k, const Vec3<double>& linear, const Vec3<double>& angular) {
      for (const Vec3<double>& vector : {linear, angular}) {
        const std::vector<double> three =
            numbers(in_link_axes ? transpose_times(link.R, vector) : vector);
        expected[k].insert(expected[k].end(), three.begin(), three.end());
      }
    };
    add(0, link.v, link.w);
    add(1, link.a, link.alpha);
    add(2, coasts.a, coasts.alpha);
  }
  return expected;
}

inline void check_link_motion(Report& report, const BackendUnderTest& under_test,
                              const Robot& robot, const char* name, bool in_link_axes) {
  if (under_test.not_offered.contains(Operation::link_motion)) return;
  const NewtonOracle oracle(robot);
  const auto model = shared(robot);
  const Batch batch = random_batch(*model, 3, 105);
  const auto backend = configured(under_test, model, batch.size);
  report.at(robot.name, name);
  const Outputs out = run(offered_part(under_test, call_named(name)), *backend, batch);
  report.expect_ok(out);
  for (std::size_t s = 0; s < batch.size; ++s) {
    const auto expected = expected_motion(oracle, batch, *model, s, in_link_axes);
    report.expect_near(row(out, 0, s), expected[0], under_test.tolerance, "twists");
    report.expect_near(row(out, 1, s), expected[1], under_test.tolerance, "accelerations");
    report.expect_near(row(out, 2, s), expected[2], under_test.tolerance, "velocity products");
  }
}

}  // namespace detail

/// Every result but forward dynamics against Newton and Euler in world coordinates
/// (newton_oracle.hpp).
RBD_CONFORMANCE_FUNCTION Violations check_against_newton(const BackendUnderTest& under_test) {
  detail::Report report;
  for (const Robot& robot : small_robots()) {
    detail::check_forces(report, under_test, robot, false);
    detail::check_energies(report, under_test, robot);
    detail::check_links(report, under_test, robot, "link_kinematics in world axes", false);
    detail::check_links(report, under_test, robot, "link_kinematics in link axes", true);
    detail::check_link_motion(report, under_test, robot, "link_motion in world axes", false);
    detail::check_link_motion(report, under_test, robot, "link_motion in link axes", true);
  }
  return report.take();
}

/// Damping and friction act where they are asked for, and in inverse dynamics and bias alone.
RBD_CONFORMANCE_FUNCTION Violations check_friction(const BackendUnderTest& under_test) {
  detail::Report report;
  for (const Robot& robot : {mixed_tree(Base::floating), mimic_hand()}) {
    detail::check_forces(report, under_test, robot, true);
  }
  return report.take();
}

/// ID(FD(tau)) = tau, inverse dynamics by the oracle: every method, with wrenches, without and with
/// friction.
RBD_CONFORMANCE_FUNCTION Violations check_forward_dynamics(const BackendUnderTest& under_test) {
  detail::Report report;
  for (const Robot& robot : small_robots()) {
    const NewtonOracle oracle(robot);
    const auto model = detail::shared(robot);
    const Batch batch = random_batch(*model, 3, 104);
    for (const bool friction : {false, true}) {
      const auto backend = detail::configured(under_test, model, batch.size, 1, friction);
      for (const Call& call : detail::calls_for(under_test, *model)) {
        if (call.operation != Operation::forward_dynamics) continue;
        report.at(robot.name, call.name);
        const Outputs out = run(call, *backend, batch);
        report.expect_ok(out);
        for (std::size_t s = 0; s < batch.size; ++s) {
          const detail::State x = detail::state_of(batch, *model, s);
          const std::vector<double> qdd = row(out, 0, s);
          const std::vector<double> tau = oracle.inverse_dynamics(
              x.q, x.v, qdd.data(), detail::wrenches_of(call, batch, *model, x), true, friction);
          report.expect_near(tau, {x.tau, x.tau + model->nv()}, 1e3 * under_test.tolerance,
                             "ID(FD(tau)) - tau");
        }
      }
    }
  }
  return report.take();
}

/// M = M^T in every bit, M = L^T L with L lower, M M^-1 = 1 and M^-1 symmetric in every bit.
RBD_CONFORMANCE_FUNCTION Violations check_mass_matrix_factors(const BackendUnderTest& under_test) {
  detail::Report report;
  if (under_test.not_offered.contains(Operation::mass_matrix)) return {};
  for (const Robot& robot : small_robots()) {
    const auto model = detail::shared(robot);
    const std::size_t n = index(model->nv());
    const Batch batch = random_batch(*model, 2, 105);
    const auto backend = detail::configured(under_test, model, batch.size);
    report.at(robot.name, "mass_matrix");
    const Outputs out = run(detail::call_named("mass_matrix"), *backend, batch);
    report.expect_ok(out);
    for (std::size_t s = 0; s < batch.size; ++s) {
      const std::vector<double> M = row(out, 0, s), L = row(out, 1, s), inverse = row(out, 2, s);
      std::vector<double> product(n * n, 0.0), one(n * n, 0.0), unit(n * n, 0.0);
      bool symmetric = true, lower = true;
      for (std::size_t i = 0; i < n; ++i) {
        unit[i * n + i] = 1;
        for (std::size_t j = 0; j < n; ++j) {
          symmetric =
              symmetric && M[i * n + j] == M[j * n + i] && inverse[i * n + j] == inverse[j * n + i];
          lower = lower && (j <= i || L[i * n + j] == 0);
          for (std::size_t k = 0; k < n; ++k) {
            product[i * n + j] += L[k * n + i] * L[k * n + j];
            one[i * n + j] += M[i * n + k] * inverse[k * n + j];
          }
        }
      }
      report.expect(symmetric, "M or its inverse is not symmetric");
      report.expect(lower, "L has numbers above its diagonal");
      report.expect_near(product, M, under_test.tolerance, "L^T L - M");
      report.expect_near(one, unit, 1e3 * under_test.tolerance, "M M^-1 - 1");
    }
  }
  return report.take();
}

/// The sparse M is the lower triangle of the dense one, and M = L^T L for the sparse L.
RBD_CONFORMANCE_FUNCTION Violations check_sparse_mass_matrix(const BackendUnderTest& under_test) {
  detail::Report report;
  if (under_test.not_offered.contains(Operation::sparse_mass_matrix)) return {};
  std::vector<Robot> robots = small_robots();
  robots.push_back(chain(40));
  for (const Robot& robot : robots) {
    const auto model = detail::shared(robot);
    const MassMatrixPattern pattern(*model);
    const std::size_t n = index(model->nv());
    const Batch batch = random_batch(*model, 3, 129);
    const auto backend = detail::configured(under_test, model, batch.size);
    const auto reference = make_backend("reference");
    reference->configure(model, {.max_batch = batch.size});
    const Outputs dense = run(detail::call_named("mass_matrix"), *reference, batch);
    report.at(robot.name, "sparse_mass_matrix");
    const Outputs out = run(detail::call_named("sparse_mass_matrix"), *backend, batch);
    report.expect_ok(out);
    for (std::size_t s = 0; s < batch.size; ++s) {
      const std::vector<double> values = row(out, 0, s), L = row(out, 1, s);
      std::vector<double> M(n * n, 0.0), product(n * n, 0.0);
      for (std::size_t k = 0; k < n; ++k) {
        const std::size_t begin = index(pattern.row_start()[k]),
                          end = index(pattern.row_start()[k + 1]);
        for (std::size_t e = begin; e < end; ++e) {
          const std::size_t i = index(pattern.column()[e]);
          M[k * n + i] = M[i * n + k] = values[e];
          for (std::size_t f = begin; f < end; ++f) {
            product[i * n + index(pattern.column()[f])] += L[e] * L[f];
          }
        }
      }
      report.expect_near(M, row(dense, 0, s), under_test.tolerance, "the sparse M");
      report.expect_near(product, M, under_test.tolerance, "L^T L - M");
    }
  }
  return report.take();
}

/// The backend "reference" of this library gives the same.
RBD_CONFORMANCE_FUNCTION Violations check_against_reference(const BackendUnderTest& under_test) {
  detail::Report report;
  std::vector<Robot> robots = small_robots();
  robots.push_back(chain(60));
  for (const Robot& robot : robots) {
    const auto model = detail::shared(robot);
    const Batch batch = random_batch(*model, 3, 106);
    const auto backend = detail::configured(under_test, model, batch.size);
    const auto reference = make_backend("reference");
    reference->configure(model, {.max_batch = batch.size});
    for (const Call& call : detail::calls_for(under_test, *model)) {
      report.at(robot.name, call.name);
      const bool divides_by_M = solves(call) || call.operation == Operation::mass_matrix ||
                                call.operation == Operation::sparse_mass_matrix;
      const Outputs actual = run(call, *backend, batch), expected = run(call, *reference, batch);
      report.expect_ok(actual);
      for (std::size_t k = 0; k < Outputs::most; ++k) {
        report.expect_near(actual.numbers[k], expected.numbers[k],
                           (divides_by_M ? 1e4 : 1) * under_test.tolerance, "the result");
      }
    }
  }
  return report.take();
}

}  // namespace rbd_parallel_core::conformance
