// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/testing/allocation_count.hpp"
#include "rbd_parallel_core/testing/backend_calls.hpp"
#include "rbd_parallel_core/testing/newton_oracle.hpp"
#include "rbd_parallel_core/testing/robots.hpp"

/// The checks of the conformance suite, one function each: a backend in, what is wrong with it out.
/// They know no test framework, so that a deliberately wrong backend can be shown to fail them.
/// backend_conformance.hpp makes GoogleTest cases of them.
namespace rbd_parallel_core::conformance {

struct BackendUnderTest {
  std::string name;
  std::function<std::unique_ptr<Backend>()> make;  ///< a new, unconfigured backend
  std::set<Operation> not_offered = {};  ///< operations that it answers with Code::unsupported
  double tolerance =
      1e-12;  ///< largest error relative to the largest entry; 2e-5 suits single precision
  bool lanes_as_rows = true;  ///< batches in lanes have the bits of rows, not just their numbers
};

/// What a check found wrong, a line each; none: passed.
using Violations = std::vector<std::string>;

namespace detail {

inline std::string text(double x) {
  std::array<char, 32> buffer;
  std::snprintf(buffer.data(), buffer.size(), "%.3g", x);
  return buffer.data();
}

/// Collects violations, each with the robot and the call it happened at.
class Report {
 public:
  void at(const std::string& robot, const std::string& call = "") {
    where_ = robot + (call.empty() ? "" : ", " + call) + ": ";
  }
  void expect(bool right, const std::string& what) {
    if (!right) violations_.push_back(where_ + what);
  }
  void expect_near(const std::vector<double>& actual, const std::vector<double>& expected,
                   double tolerance, const std::string& what) {
    const double error = relative_error(actual, expected);
    if (!(error <= tolerance)) {
      violations_.push_back(where_ + what + " has a relative error of " + text(error) +
                            ", allowed is " + text(tolerance));
    }
  }
  void expect_ok(const Outputs& out) {
    expect(out.result.ok(), "refused: " + message(out.result));
    for (std::size_t s = 0; s < out.status.size(); ++s) {
      expect(out.status[s].ok(), "status of state " + std::to_string(s) + " is not ok");
    }
  }
  Violations take() { return std::move(violations_); }

 private:
  std::string where_;
  Violations violations_;
};

inline std::unique_ptr<Backend> configured(const BackendUnderTest& under_test,
                                           const std::shared_ptr<const Model>& model,
                                           std::size_t max_batch, int threads = 1,
                                           bool friction = false) {
  std::unique_ptr<Backend> backend = under_test.make();
  backend->configure(model, {.max_batch = max_batch, .threads = threads, .friction = friction});
  return backend;
}

inline std::shared_ptr<const Model> shared(const Robot& robot) {
  return std::make_shared<const Model>(robot.model());
}

/// The calls that this backend offers for this model.
inline std::vector<Call> calls_for(const BackendUnderTest& under_test, const Model& model) {
  std::vector<Call> calls;
  for (const Call& call : every_call()) {
    if (!under_test.not_offered.contains(call.operation) && call.possible(model))
      calls.push_back(call);
  }
  return calls;
}

inline const Call& call_named(const std::string& name) {
  for (const Call& call : every_call()) {
    if (name == call.name) return call;
  }
  throw std::invalid_argument("no call is named " + name);
}

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
  if (std::string(call.reads).find('f') == std::string::npos) return {};
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
inline std::array<std::vector<double>, 3> expected_links(const NewtonOracle& oracle,
                                                         const Batch& batch, const Model& model,
                                                         std::size_t s, bool in_link_axes) {
  const State x = state_of(batch, model, s);
  const auto links = oracle.motion(x.q, x.v, x.a);
  std::array<std::vector<double>, 3> expected;
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

}  // namespace detail

// ---- right numbers
// --------------------------------------------------------------------------------------------------

/// Every result but forward dynamics against Newton and Euler in world coordinates
/// (newton_oracle.hpp).
inline Violations check_against_newton(const BackendUnderTest& under_test) {
  detail::Report report;
  for (const Robot& robot : small_robots()) {
    detail::check_forces(report, under_test, robot, false);
    detail::check_energies(report, under_test, robot);
    detail::check_links(report, under_test, robot, "link_kinematics in world axes", false);
    detail::check_links(report, under_test, robot, "link_kinematics in link axes", true);
  }
  return report.take();
}

/// Damping and friction act where they are asked for, and in inverse dynamics and bias alone.
inline Violations check_friction(const BackendUnderTest& under_test) {
  detail::Report report;
  for (const Robot& robot : {mixed_tree(Base::floating), mimic_hand()}) {
    detail::check_forces(report, under_test, robot, true);
  }
  return report.take();
}

/// ID(FD(tau)) = tau, inverse dynamics by the oracle: every method, with wrenches, without and with
/// friction.
inline Violations check_forward_dynamics(const BackendUnderTest& under_test) {
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
inline Violations check_mass_matrix_factors(const BackendUnderTest& under_test) {
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
inline Violations check_sparse_mass_matrix(const BackendUnderTest& under_test) {
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
inline Violations check_against_reference(const BackendUnderTest& under_test) {
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
      const bool solves = call.operation == Operation::forward_dynamics ||
                          call.operation == Operation::mass_matrix ||
                          call.operation == Operation::sparse_mass_matrix;
      const Outputs actual = run(call, *backend, batch), expected = run(call, *reference, batch);
      report.expect_ok(actual);
      for (std::size_t k = 0; k < 3; ++k) {
        report.expect_near(actual.numbers[k], expected.numbers[k],
                           (solves ? 1e4 : 1) * under_test.tolerance, "the result");
      }
    }
  }
  return report.take();
}

// ---- batches
// --------------------------------------------------------------------------------------------------------

/// A state's result is that of the state alone; in batches of two or more it has the same bits at
/// every position.
inline Violations check_batches(const BackendUnderTest& under_test) {
  detail::Report report;
  for (const Robot& robot : small_robots()) {
    const auto model = detail::shared(robot);
    const Batch batch = random_batch(*model, 11, 107);
    std::vector<std::size_t> order;
    for (std::size_t s = 0; s < batch.size; ++s) order.push_back((4 * s + 3) % batch.size);
    const Batch shuffled = reordered(batch, order);
    const auto backend = detail::configured(under_test, model, batch.size);
    for (const Call& call : detail::calls_for(under_test, *model)) {
      report.at(robot.name, call.name);
      const Outputs together = run(call, *backend, batch), moved = run(call, *backend, shuffled);
      report.expect_ok(together);
      for (std::size_t s = 0; s < batch.size; ++s) {
        const Outputs alone = run(call, *backend, reordered(batch, {order[s]}));
        for (std::size_t k = 0; k < 3; ++k) {
          report.expect(
              same_bits(row(moved, k, s), row(together, k, order[s])),
              "state " + std::to_string(order[s]) + " changes with its place in the batch");
          report.expect_near(row(together, k, order[s]), row(alone, k, 0),
                             1e3 * under_test.tolerance,
                             "a state of a batch, compared with the state alone,");
        }
      }
    }
  }
  return report.take();
}

/// Results depend on the arguments, not on what was called before.
inline Violations check_memory_of_calls(const BackendUnderTest& under_test) {
  detail::Report report;
  for (const Robot& robot : small_robots()) {
    const auto model = detail::shared(robot);
    const Batch batch = random_batch(*model, 3, 108), other = random_batch(*model, 4, 109);
    const auto backend = detail::configured(under_test, model, 4);
    const std::vector<Call> calls = detail::calls_for(under_test, *model);
    for (std::size_t c = 0; c < calls.size(); ++c) {
      report.at(robot.name, calls[c].name);
      const Outputs first = run(calls[c], *backend, batch);
      const Call& between = calls[(c + 1) % calls.size()];
      report.expect_ok(run(between, *backend, other));
      const Outputs second = run(calls[c], *backend, batch);
      for (std::size_t k = 0; k < 3; ++k) {
        report.expect(same_bits(first.numbers[k], second.numbers[k]),
                      std::string("the result changes after a call of ") + between.name);
      }
    }
  }
  return report.take();
}

/// Batches of none and of max_batch states are served, larger ones refused.
inline Violations check_batch_sizes(const BackendUnderTest& under_test) {
  detail::Report report;
  const Robot robot = mixed_tree(Base::fixed);
  const auto model = detail::shared(robot);
  const std::size_t most = 5;
  const auto backend = detail::configured(under_test, model, most);
  for (const Call& call : detail::calls_for(under_test, *model)) {
    report.at(robot.name, call.name);
    Batch none;
    none.links = {0};
    report.expect_ok(run(call, *backend, none));
    report.expect_ok(run(call, *backend, random_batch(*model, most, 110)));
    const Outputs out = run(call, *backend, random_batch(*model, most + 1, 110));
    const Result& r = out.result;
    report.expect(r.code == Code::batch_too_large && r.argument == Argument::batch &&
                      r.expected == 5 && r.actual == 6,
                  "a batch above max_batch gives: " + message(r));
    report.expect(message(r).find("batch is 6") != std::string::npos &&
                      message(r).find("at most 5") != std::string::npos,
                  "the message does not name both sizes: " + message(r));
    report.expect(
        out.numbers == room_for(call, *model, random_batch(*model, most + 1, 110)).numbers,
        "a refused call wrote to its outputs");
  }
  return report.take();
}

/// Lane-ready arrays give the bits that rows give, in every call, whether the last group is full or
/// not. One state alone may be computed another way where it is a row.
inline Violations check_layouts(const BackendUnderTest& under_test) {
  detail::Report report;
  for (const Robot& robot : small_robots()) {
    const auto model = detail::shared(robot);
    const auto probe = detail::configured(under_test, model, 1);
    const std::size_t width = probe->lane_width();
    const auto backend = detail::configured(under_test, model, 3 * width);
    for (const std::size_t size :
         {std::size_t{1}, std::size_t{2}, width + 1, 3 * width - 1, 3 * width}) {
      const Batch rows = random_batch(*model, size, 129), lanes = in_lanes(rows, width);
      for (const Call& call : detail::calls_for(under_test, *model)) {
        report.at(robot.name, call.name);
        const Outputs expected = run(call, *backend, rows), raw = run(call, *backend, lanes);
        report.expect_ok(raw);
        const Outputs actual = in_rows(raw, lanes, width);
        for (std::size_t k = 0; k < 3; ++k) {
          report.expect_near(actual.numbers[k], expected.numbers[k], 1e3 * under_test.tolerance,
                             "a batch in lanes, compared with rows,");
          report.expect(!under_test.lanes_as_rows || size == 1 ||
                            same_bits(actual.numbers[k], expected.numbers[k]),
                        "lanes and rows differ for " + std::to_string(size) + " states");
        }
      }
    }
  }
  return report.take();
}

/// Thread counts do not change a bit, in batches large enough to be shared out.
inline Violations check_thread_counts(const BackendUnderTest& under_test) {
  detail::Report report;
  for (const Robot& robot : {mixed_tree(Base::floating), mimic_hand()}) {
    const auto model = detail::shared(robot);
    const Batch batch = random_batch(*model, 1501, 111);
    const auto one = detail::configured(under_test, model, batch.size, 1);
    const auto three = detail::configured(under_test, model, batch.size, 3);
    for (const Call& call : detail::calls_for(under_test, *model)) {
      report.at(robot.name, call.name);
      const Outputs a = run(call, *one, batch), b = run(call, *three, batch);
      report.expect_ok(b);
      for (std::size_t k = 0; k < 3; ++k) {
        report.expect(same_bits(a.numbers[k], b.numbers[k]), "1 and 3 threads differ");
      }
    }
  }
  return report.take();
}

/// Several backends on one Model, each in a thread of its own, give what one gives alone.
inline Violations check_concurrent_backends(const BackendUnderTest& under_test) {
  detail::Report report;
  const Robot robot = mixed_tree(Base::floating);
  const auto model = detail::shared(robot);
  const Batch batch = random_batch(*model, 8, 112);
  const std::vector<Call> calls = detail::calls_for(under_test, *model);
  const auto run_all = [&] {
    const auto backend = detail::configured(under_test, model, batch.size);
    std::vector<Outputs> all;
    for (int repeat = 0; repeat < 5; ++repeat) {
      all.clear();
      for (const Call& call : calls) all.push_back(run(call, *backend, batch));
    }
    return all;
  };
  const std::vector<Outputs> expected = run_all();
  std::vector<std::vector<Outputs>> results(4);
  std::vector<std::thread> threads;
  for (std::vector<Outputs>& result : results) threads.emplace_back([&] { result = run_all(); });
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<Outputs>& result : results) {
    for (std::size_t c = 0; c < calls.size(); ++c) {
      report.at(robot.name, calls[c].name);
      for (std::size_t k = 0; k < 3; ++k) {
        report.expect(same_bits(result[c].numbers[k], expected[c].numbers[k]),
                      "a backend in another thread gives another result");
      }
    }
  }
  return report.take();
}

// ---- arguments
// ------------------------------------------------------------------------------------------------------

/// An empty v, a or tau stands for zeros, and gravity_forces does not read v.
inline Violations check_empty_inputs(const BackendUnderTest& under_test) {
  detail::Report report;
  for (const Robot& robot : small_robots()) {
    const auto model = detail::shared(robot);
    const Batch batch = random_batch(*model, 3, 113);
    const auto backend = detail::configured(under_test, model, batch.size, 1, true);
    for (const Call& call : detail::calls_for(under_test, *model)) {
      report.at(robot.name, call.name);
      for (std::vector<double> Batch::*input : {&Batch::v, &Batch::a, &Batch::tau}) {
        Batch zeros = batch, empty = batch;
        std::fill((zeros.*input).begin(), (zeros.*input).end(), 0.0);
        (empty.*input).clear();
        const Outputs expected = run(call, *backend, zeros), actual = run(call, *backend, empty);
        report.expect_ok(actual);
        for (std::size_t k = 0; k < 3; ++k) {
          report.expect_near(actual.numbers[k], expected.numbers[k], 1e3 * under_test.tolerance,
                             "the result with an empty input");
        }
      }
    }
  }
  return report.take();
}

/// Each output asked for alone, and without status, is what it is among the others.
inline Violations check_single_outputs(const BackendUnderTest& under_test) {
  detail::Report report;
  for (const Robot& robot : {mixed_tree(Base::floating), mimic_hand()}) {
    const auto model = detail::shared(robot);
    const Batch batch = random_batch(*model, 3, 114);
    const auto backend = detail::configured(under_test, model, batch.size);
    for (const Call& call : detail::calls_for(under_test, *model)) {
      report.at(robot.name, call.name);
      const bool may_leave_out = call.operation == Operation::mass_matrix ||
                                 call.operation == Operation::sparse_mass_matrix ||
                                 call.operation == Operation::energies ||
                                 call.operation == Operation::link_kinematics;
      const Outputs all = run(call, *backend, batch);
      for (std::size_t k = 0; k < 3; ++k) {
        Outputs one = room_for(call, *model, batch);
        for (std::size_t other = 0; may_leave_out && other < 3; ++other) {
          if (other != k) one.numbers[other].clear();
        }
        one.status.clear();
        const Result result = call.run(*backend, batch, one);
        report.expect(result.ok(), "one output alone is refused: " + message(result));
        report.expect_near(one.numbers[k], all.numbers[k], 1e3 * under_test.tolerance,
                           "output " + std::to_string(k) + " alone");
      }
    }
  }
  return report.take();
}

namespace detail {

/// Expects the call to be refused with that result, with a text that names the argument and both
/// numbers, and without a number being written.
inline void expect_refusal(Report& report, const Call& call, Backend& backend, const Batch& batch,
                           Outputs out, const Result& expected, const std::string& name) {
  const auto before = out.numbers;
  const Result r = call.run(backend, batch, out);
  const bool same = r.code == expected.code && r.argument == expected.argument &&
                    r.expected == expected.expected && r.actual == expected.actual;
  report.expect(same, "expected the refusal '" + message(expected) + "', got '" + message(r) + "'");
  const std::string text = message(r);
  report.expect(text.find(name) != std::string::npos,
                "the message does not name " + name + ": " + text);
  report.expect(before == out.numbers, "a refused call wrote to its outputs");
}

inline Result refusal(Code code, Argument argument, std::size_t expected, std::size_t actual) {
  return {code, argument, static_cast<std::int64_t>(expected), static_cast<std::int64_t>(actual)};
}

/// The inputs and outputs of a call that have a size of their own.
struct SizedInput {
  char reads;
  std::vector<double> Batch::*array;
  Argument argument;
  const char* name;
  bool required;
};
inline constexpr SizedInput sized_inputs[] = {
    {'q', &Batch::q, Argument::q, "q", true},
    {'v', &Batch::v, Argument::v, "v", false},
    {'a', &Batch::a, Argument::a, "a", false},
    {'t', &Batch::tau, Argument::tau, "tau", false},
    {'f', &Batch::wrenches, Argument::wrenches, "f_ext", true}};

struct SizedOutput {
  Argument argument;
  const char* name;
  bool required;
};
inline std::vector<SizedOutput> sized_outputs(Operation operation) {
  switch (operation) {
    case Operation::mass_matrix:
      return {{Argument::mass_matrix, "mass_matrix", false},
              {Argument::cholesky, "cholesky", false},
              {Argument::inverse, "inverse", false}};
    case Operation::sparse_mass_matrix:
      return {{Argument::sparse, "sparse", false},
              {Argument::sparse_cholesky, "sparse_cholesky", false}};
    case Operation::energies:
      return {{Argument::kinetic, "kinetic", false},
              {Argument::potential, "potential", false},
              {Argument::com, "com", false}};
    case Operation::link_kinematics:
      return {{Argument::poses, "poses", false}, {Argument::jacobian, "jacobian", false}};
    case Operation::forward_dynamics:
      return {{Argument::qdd, "qdd", true}};
    default:
      return {{Argument::tau, "tau", true}};
  }
}

}  // namespace detail

/// An array of a wrong size is refused; the result names the argument, the expected and the actual
/// size.
inline Violations check_wrong_sizes(const BackendUnderTest& under_test) {
  detail::Report report;
  const Robot robot = mixed_tree(Base::floating);
  const auto model = detail::shared(robot);
  const Batch batch = random_batch(*model, 3, 115);
  const auto backend = detail::configured(under_test, model, batch.size);
  const auto resized = [](const std::vector<double>& array, std::ptrdiff_t by) {
    std::vector<double> result = array;
    result.resize(index(static_cast<std::ptrdiff_t>(array.size()) + by), 0.0);
    return result;
  };
  for (const Call& call : detail::calls_for(under_test, *model)) {
    report.at(robot.name, call.name);
    const Outputs room = room_for(call, *model, batch);
    for (const detail::SizedInput& input : detail::sized_inputs) {
      if (std::string(call.reads).find(input.reads) == std::string::npos) continue;
      const std::size_t n = (batch.*input.array).size();
      for (const std::ptrdiff_t by : {-1, 1}) {
        Batch bad = batch;
        bad.*input.array = resized(bad.*input.array, by);
        detail::expect_refusal(
            report, call, *backend, bad, room,
            detail::refusal(Code::wrong_size, input.argument, n, (bad.*input.array).size()),
            input.name);
      }
      if (!input.required) continue;
      Batch bad = batch;
      (bad.*input.array).clear();
      detail::expect_refusal(report, call, *backend, bad, room,
                             detail::refusal(Code::missing, input.argument, n, 0), input.name);
    }
    const std::vector<detail::SizedOutput> outputs = detail::sized_outputs(call.operation);
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const std::size_t n = room.numbers[k].size();
      for (const std::ptrdiff_t by : {-1, 1}) {
        Outputs bad = room;
        bad.numbers[k] = resized(bad.numbers[k], by);
        const std::size_t actual = bad.numbers[k].size();
        detail::expect_refusal(report, call, *backend, batch, std::move(bad),
                               detail::refusal(Code::wrong_size, outputs[k].argument, n, actual),
                               outputs[k].name);
      }
      if (!outputs[k].required) continue;
      Outputs bad = room;
      bad.numbers[k].clear();
      detail::expect_refusal(report, call, *backend, batch, std::move(bad),
                             detail::refusal(Code::missing, outputs[k].argument, n, 0),
                             outputs[k].name);
    }
    for (const std::size_t size : {2, 4}) {
      Outputs bad = room;
      bad.status.resize(size);
      detail::expect_refusal(report, call, *backend, batch, std::move(bad),
                             detail::refusal(Code::wrong_size, Argument::status, 3, size),
                             "status");
    }
  }
  return report.take();
}

/// A link index out of range is refused, with the range in the text.
inline Violations check_unknown_links(const BackendUnderTest& under_test) {
  detail::Report report;
  const Robot robot = mixed_tree(Base::fixed);
  const auto model = detail::shared(robot);
  const int count = static_cast<int>(model->links().size());
  const auto backend = detail::configured(under_test, model, 2);
  for (const Call& call : detail::calls_for(under_test, *model)) {
    const bool links = std::string(call.reads).find('f') != std::string::npos ||
                       call.operation == Operation::link_kinematics;
    if (!links) continue;
    report.at(robot.name, call.name);
    for (const int bad :
         {-1, count, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
      Batch batch = random_batch(*model, 2, 116);
      batch.links[1] = bad;
      detail::expect_refusal(report, call, *backend, batch, room_for(call, *model, batch),
                             {Code::out_of_range, Argument::links, count, bad},
                             "0 to " + std::to_string(count - 1));
    }
  }
  return report.take();
}

/// Method aba is refused where joints mimic others, the other methods are not.
inline Violations check_aba_with_mimic(const BackendUnderTest& under_test) {
  detail::Report report;
  if (under_test.not_offered.contains(Operation::forward_dynamics)) return {};
  const Robot robot = mimic_hand();
  const auto model = detail::shared(robot);
  const Batch batch = random_batch(*model, 2, 117);
  const auto backend = detail::configured(under_test, model, 2);
  const Call& aba = detail::call_named("forward_dynamics by aba with wrenches in link axes");
  report.at(robot.name, aba.name);
  detail::expect_refusal(
      report, aba, *backend, batch, room_for(aba, *model, batch),
      {Code::unsupported, Argument::method, 0, static_cast<std::int64_t>(ForwardMethod::aba)},
      "mimic");
  report.expect_ok(run(detail::call_named("forward_dynamics by automatic"), *backend, batch));
  return report.take();
}

/// A robot that cannot move has empty vectors and matrices, energies and poses.
inline Violations check_no_coordinates(const BackendUnderTest& under_test) {
  detail::Report report;
  const Robot robot = rock();
  const auto model = detail::shared(robot);
  const auto backend = detail::configured(under_test, model, 2);
  const Batch batch = random_batch(*model, 2, 118);
  for (const Call& call : detail::calls_for(under_test, *model)) {
    report.at(robot.name, call.name);
    report.expect_ok(run(call, *backend, batch));
  }
  detail::check_energies(report, under_test, robot);
  detail::check_links(report, under_test, robot, "link_kinematics in world axes", false);
  return report.take();
}

/// What a backend declares not to offer it answers with `unsupported`, without touching the
/// outputs.
inline Violations check_not_offered(const BackendUnderTest& under_test) {
  detail::Report report;
  const Robot robot = mixed_tree(Base::fixed);
  const auto model = detail::shared(robot);
  const Batch batch = random_batch(*model, 2, 119);
  const auto backend = detail::configured(under_test, model, 2);
  for (const Call& call : every_call()) {
    if (!under_test.not_offered.contains(call.operation)) continue;
    report.at(robot.name, call.name);
    detail::expect_refusal(report, call, *backend, batch, room_for(call, *model, batch),
                           {Code::unsupported, Argument::none, 0, 0}, "does not offer");
  }
  return report.take();
}

// ---- bad states
// -----------------------------------------------------------------------------------------------------

namespace detail {

/// A batch of five whose state 2 has been spoilt: its own results must be NaN with that status, its
/// neighbours' the same bits as in the clean batch.
inline void check_spoilt(Report& report, const Call& call, Backend& backend, const Batch& clean,
                         const Batch& spoilt, const StateStatus& status, const std::string& what,
                         std::size_t first_spoilt_output = 0) {
  const Outputs expected = run(call, backend, clean), actual = run(call, backend, spoilt);
  report.expect(actual.result.ok(),
                what + ": the whole batch is refused: " + message(actual.result));
  for (std::size_t s = 0; s < clean.size; ++s) {
    const std::string state = what + ", state " + std::to_string(s);
    report.expect(
        actual.status[s] == (s == 2 ? status : StateStatus{}),
        state + ": unexpected status '" + message(actual.status[s], backend.model()) + "'");
    for (std::size_t k = s == 2 ? first_spoilt_output : 0; k < 3; ++k) {
      const std::vector<double> numbers = row(actual, k, s);
      if (s != 2) {
        report.expect(same_bits(numbers, row(expected, k, s)),
                      state + ": its neighbour changed it");
      } else {
        const bool all_nan =
            std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isnan(x); });
        report.expect(all_nan, state + ": has numbers in its results");
      }
    }
  }
}

inline constexpr StateStatus not_finite{StateStatus::Code::not_finite, -1};

}  // namespace detail

/// NaN or infinity in any input of one state: status not_finite and NaN there, not a bit changed
/// elsewhere.
inline Violations check_not_finite_inputs(const BackendUnderTest& under_test) {
  detail::Report report;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Robot& robot : small_robots()) {
    const auto model = detail::shared(robot);
    const Batch clean = random_batch(*model, 5, 120);
    const auto backend = detail::configured(under_test, model, clean.size);
    for (const Call& call : detail::calls_for(under_test, *model)) {
      report.at(robot.name, call.name);
      for (const detail::SizedInput& input : detail::sized_inputs) {
        if (std::string(call.reads).find(input.reads) == std::string::npos) continue;
        const std::size_t n = (clean.*input.array).size() / clean.size;
        for (const double bad : {nan, infinity, -infinity}) {
          for (const std::size_t at : {2 * n, 3 * n - 1}) {
            Batch spoilt = clean;
            (spoilt.*input.array)[at] = bad;
            detail::check_spoilt(report, call, *backend, clean, spoilt, detail::not_finite,
                                 detail::text(bad) + " in " + input.name);
          }
        }
      }
    }
  }
  return report.take();
}

/// Quaternions of any length mean the same rotation; a zero one is not finite. One so long or short
/// that its square leaves the range of numbers may be refused, but never taken for another
/// rotation.
inline Violations check_quaternions(const BackendUnderTest& under_test) {
  detail::Report report;
  for (const Robot& robot :
       {single_joint(JointKind::spherical), mixed_chain(), mixed_tree(Base::floating)}) {
    const auto model = detail::shared(robot);
    const std::size_t nq = index(model->nq());
    const Batch clean = random_batch(*model, 5, 121);
    const auto scaled = [&](double factor) {
      Batch batch = clean;
      for_each_quaternion(*model, [&](std::size_t first) {
        for (std::size_t k = 0; k < 4; ++k) batch.q[2 * nq + first + k] *= factor;
      });
      return batch;
    };
    const auto backend = detail::configured(under_test, model, clean.size);
    for (const Call& call : detail::calls_for(under_test, *model)) {
      report.at(robot.name, call.name);
      detail::check_spoilt(report, call, *backend, clean, scaled(0), detail::not_finite,
                           "zero quaternion");
      const Outputs expected = run(call, *backend, clean);
      for (const double factor :
           {1e-6, 0.5, 3.0, -2.0, 1e6, 1e-200, 1e200, 1e-160, 1e160, 9e-155}) {
        const Outputs actual = run(call, *backend, scaled(factor));
        const bool extreme = factor > 1e100 || (factor > 0 && factor < 1e-100);
        if (extreme && actual.status[2] == detail::not_finite) continue;
        report.expect_ok(actual);
        for (std::size_t k = 0; k < 3; ++k) {
          report.expect_near(row(actual, k, 2), row(expected, k, 2), 1e3 * under_test.tolerance,
                             "the result with quaternions of length " + detail::text(factor));
        }
      }
    }
  }
  return report.take();
}

/// Where a result overflows, the status says so: it is ok exactly when every number of the result
/// is finite.
inline Violations check_overflow(const BackendUnderTest& under_test) {
  detail::Report report;
  for (const Robot& robot :
       {mixed_tree(Base::fixed), branching_tree(), single_joint(JointKind::prismatic)}) {
    const auto model = detail::shared(robot);
    const auto backend = detail::configured(under_test, model, 3);
    for (const double huge : {1e150, 1e160, 1e307, 1e308}) {
      Batch batch = random_batch(*model, 3, 122);
      const bool far_away = huge == 1e307;  // the other cases are fast and strong
      for (double& x : far_away ? batch.q : batch.v) x *= huge;
      for (double& x : batch.tau) x *= far_away ? 1 : huge / 10;
      for (const Call& call : detail::calls_for(under_test, *model)) {
        report.at(robot.name, call.name);
        const Outputs out = run(call, *backend, batch);
        for (std::size_t s = 0; s < 3; ++s) {
          bool finite = true;
          for (std::size_t k = 0; k < 3; ++k) {
            for (const double x : row(out, k, s)) finite = finite && std::isfinite(x);
          }
          report.expect(finite == out.status[s].ok(), "status and results disagree on an overflow");
        }
      }
    }
  }
  return report.take();
}

namespace detail {

/// A turn, then a slide away from its axis that carries a point mass: M(0, 0) = m q1^2.
inline Robot turntable() {
  Robot robot;
  robot.name = "turntable";
  robot.description.name = robot.name;
  LinkInertial point;
  point.mass = 2;
  robot.description.links = {{"base", std::nullopt}, {"table", std::nullopt}, {"slider", point}};
  JointDescription turn, slide;
  turn.name = "turn";
  turn.kind = JointKind::revolute;
  turn.parent = "base";
  turn.child = "table";
  turn.axis = {0, 0, 1};
  slide.name = "slide";
  slide.kind = JointKind::prismatic;
  slide.parent = "table";
  slide.child = "slider";
  slide.axis = {1, 0, 0};
  robot.description.joints = {turn, slide};
  return robot;
}

}  // namespace detail

/// A singular mass matrix is the status of its state, with the coordinate, and its text names the
/// joint.
inline Violations check_singular(const BackendUnderTest& under_test) {
  detail::Report report;
  Robot massless = arm();
  massless.name = "arm with a massless hand";
  massless.description.links.back().inertial.reset();
  const Robot turntable = detail::turntable();
  for (const Robot& robot : {massless, turntable}) {
    const auto model = detail::shared(robot);
    const auto backend = detail::configured(under_test, model, 5);
    const bool turns = robot.name == turntable.name;
    const int dof = turns ? 0 : model->nv() - 1;
    const StateStatus singular{StateStatus::Code::singular, dof};
    const Batch clean = random_batch(*model, 5, 123);
    Batch spoilt = clean;
    if (turns) spoilt.q[2 * 2 + 1] = 0;
    for (const Call& call : detail::calls_for(under_test, *model)) {
      const bool factors = call.operation == Operation::mass_matrix ||
                           call.operation == Operation::sparse_mass_matrix;
      if (call.operation != Operation::forward_dynamics && !factors) continue;
      report.at(robot.name, call.name);
      // The mass matrix itself is a right answer; its factors are not.
      const std::size_t first_spoilt = factors ? 1 : 0;
      if (turns) {
        detail::check_spoilt(report, call, *backend, clean, spoilt, singular, "singular M",
                             first_spoilt);
      } else {
        const Outputs out = run(call, *backend, clean);
        for (const StateStatus& status : out.status)
          report.expect(status == singular, "not singular at the hand");
      }
    }
    report.at(robot.name, "message");
    const std::string joint = turns ? "'turn'" : "'joint_k'";
    const std::string text = message(singular, *model);
    report.expect(text.find(joint) != std::string::npos, "the joint is not named: " + text);
  }
  return report.take();
}

namespace detail {

/// The robot in another unit of length: what was l metres long is `scale` times as long. It has no
/// armature, which is of both units where a joint has coordinates of both.
inline Robot resized(Robot robot, double scale) {
  const double square = scale * scale;
  const auto resize = [&](Vec3<double>& a) { a = scale * a; };
  resize(robot.options.gravity);
  for (LinkDescription& link : robot.description.links) {
    if (!link.inertial) continue;
    resize(link.inertial->origin.position);
    SymMat3<double>& I = link.inertial->rotational;
    I = {square * I.xx, square * I.xy, square * I.xz, square * I.yy, square * I.yz, square * I.zz};
  }
  for (JointDescription& joint : robot.description.joints) {
    resize(joint.origin.position);
    joint.pitch *= scale;
  }
  return robot;
}

/// For the k-th coordinate of v whether it is a length and not an angle.
inline std::vector<bool> linear_coordinates(const Model& model) {
  std::vector<bool> linear;
  for (int k = 0; k < model.nv(); ++k) {
    const Joint& joint = model.joints()[index(model.joint_of_dof(k))];
    const int lengths = joint.kind == JointKind::prismatic  ? 1
                        : joint.kind == JointKind::planar   ? 2
                        : joint.kind == JointKind::floating ? 3
                                                            : 0;
    linear.push_back(k - joint.v_index < lengths);
  }
  return linear;
}

/// The states of a batch in another unit of length.
inline Batch resized(Batch batch, const Model& model, double scale) {
  const std::vector<bool> linear = linear_coordinates(model);
  const std::size_t nq = index(model.nq()), nv = index(model.nv());
  for (std::size_t k = 0; k < batch.v.size(); ++k) {
    const double factor = linear[k % nv] ? scale : 1;
    batch.v[k] *= factor;
    batch.a[k] *= factor;
    batch.tau[k] *= scale * (linear[k % nv] ? 1 : scale);
  }
  for (std::size_t k = 0; k < batch.wrenches.size(); ++k) {
    batch.wrenches[k] *= scale * (k % 6 < 3 ? 1 : scale);
  }
  // In q as in v lengths come first, but quaternions have a number more than rates.
  for (const Joint& joint : model.joints()) {
    if (joint.mimic) continue;
    for (std::size_t s = 0; s < batch.size; ++s) {
      for (std::size_t k = 0; k < index(joint.nv) && linear[index(joint.v_index) + k]; ++k) {
        batch.q[s * nq + index(joint.q_index) + k] *= scale;
      }
    }
  }
  return batch;
}

}  // namespace detail

/// Physics knows no metre: a robot of millimetres moves as one of metres does, if gravity, torques
/// and forces are as large beside it. What is compared with zero must be compared with its like.
inline Violations check_units(const BackendUnderTest& under_test) {
  detail::Report report;
  for (Robot robot : {arm(), mixed_chain(), mixed_tree(Base::floating)}) {
    for (JointDescription& joint : robot.description.joints) joint.armature = 0;
    const auto model = detail::shared(robot);
    const std::vector<bool> linear = detail::linear_coordinates(*model);
    const Batch batch = random_batch(*model, 3, 124);
    const auto backend = detail::configured(under_test, model, batch.size);
    for (const double scale : {0x1p-10, 0x1p10}) {
      const auto other = detail::shared(detail::resized(robot, scale));
      const Batch resized = detail::resized(batch, *model, scale);
      const auto there = detail::configured(under_test, other, batch.size);
      for (const Call& call : detail::calls_for(under_test, *model)) {
        if (call.operation != Operation::forward_dynamics) continue;
        report.at(robot.name, std::string(call.name) + ", lengths x " + detail::text(scale));
        const Outputs expected = run(call, *backend, batch);
        Outputs out = run(call, *there, resized);
        report.expect_ok(out);
        for (std::size_t k = 0; k < out.numbers[0].size(); ++k) {
          if (linear[k % linear.size()]) out.numbers[0][k] /= scale;
        }
        report.expect_near(out.numbers[0], expected.numbers[0], 1e3 * under_test.tolerance,
                           "the acceleration");
      }
    }
  }
  return report.take();
}

// ---- configure
// ------------------------------------------------------------------------------------------------------

/// Before configure every call is refused.
inline Violations check_not_configured(const BackendUnderTest& under_test) {
  detail::Report report;
  const auto model = detail::shared(mixed_tree(Base::fixed));
  const auto backend = under_test.make();
  report.at("no robot");
  report.expect(!backend->configured(), "a new backend says that it is configured");
  report.expect(!backend->name().empty(), "the backend has no name");
  const Batch batch = random_batch(*model, 2, 124);
  for (const Call& call : every_call()) {
    report.at("no robot", call.name);
    detail::expect_refusal(report, call, *backend, batch, room_for(call, *model, batch),
                           {Code::not_configured, Argument::none, 0, 0}, "not configured");
  }
  return report.take();
}

/// Impossible options are refused with std::invalid_argument, and leave the backend unconfigured
/// but usable.
inline Violations check_configure_faults(const BackendUnderTest& under_test) {
  detail::Report report;
  const Robot robot = mixed_tree(Base::fixed);
  const auto model = detail::shared(robot);
  const std::vector<std::pair<std::shared_ptr<const Model>, BackendOptions>> faults = {
      {nullptr, {}},
      {model, {.max_batch = 0}},
      {model, {.max_batch = std::size_t{1} << 41}},
      {model, {.max_batch = 1, .threads = 0}},
      {model, {.max_batch = 1, .threads = -3}}};
  const auto backend = under_test.make();
  const Batch batch = random_batch(*model, 1, 125);
  report.at(robot.name, "configure");
  for (const auto& [given, options] : faults) {
    backend->configure(model);
    bool thrown = false;
    try {
      backend->configure(given, options);
    } catch (const std::invalid_argument& error) {
      thrown = std::string(error.what()).size() > 10;
    }
    report.expect(thrown, "impossible options are taken, or refused without a reason");
    report.expect(!backend->configured(), "configured() after a configure that failed");
    for (const Call& call : every_call()) {
      Outputs out = room_for(call, *model, batch);
      const Result result = call.run(*backend, batch, out);
      report.expect(result.code == Code::not_configured,
                    "a call is served after a configure that failed");
    }
  }
  backend->configure(model);
  for (const Call& call : detail::calls_for(under_test, *model))
    report.expect_ok(run(call, *backend, batch));
  return report.take();
}

/// A backend that served another model before gives the same bits as a new one.
inline Violations check_reconfigure(const BackendUnderTest& under_test) {
  detail::Report report;
  const auto used = under_test.make();
  std::vector<Robot> robots = {mixed_tree(Base::floating),
                               single_joint(JointKind::prismatic),
                               mimic_hand(),
                               mixed_chain(),
                               rock(),
                               mixed_tree(Base::fixed)};
  for (const Robot& robot : robots) {
    const auto model = detail::shared(robot);
    const Batch batch = random_batch(*model, 4, 126);
    used->configure(model, {.max_batch = 4});
    report.expect(&used->model() == model.get(), "model() is not the configured one");
    const auto fresh = detail::configured(under_test, model, 4);
    for (const Call& call : detail::calls_for(under_test, *model)) {
      report.at(robot.name, call.name);
      const Outputs a = run(call, *used, batch), b = run(call, *fresh, batch);
      report.expect_ok(a);
      for (std::size_t k = 0; k < 3; ++k) {
        report.expect(same_bits(a.numbers[k], b.numbers[k]), "differs from a new backend");
      }
    }
  }
  return report.take();
}

/// The backend keeps its Model alive.
inline Violations check_model_lifetime(const BackendUnderTest& under_test) {
  detail::Report report;
  const Robot robot = mixed_tree(Base::floating);
  auto model = detail::shared(robot);
  const Batch batch = random_batch(*model, 2, 127);
  const auto backend = detail::configured(under_test, model, 2);
  std::vector<Outputs> before;
  for (const Call& call : detail::calls_for(under_test, *model))
    before.push_back(run(call, *backend, batch));
  model.reset();
  std::size_t c = 0;
  for (const Call& call : detail::calls_for(under_test, backend->model())) {
    report.at(robot.name, call.name);
    const Outputs after = run(call, *backend, batch);
    report.expect(same_bits(after.numbers[0], before[c++].numbers[0]),
                  "changes when the caller drops the model");
  }
  return report.take();
}

// ---- memory
// ---------------------------------------------------------------------------------------------------------

/// After configure no call allocates or frees: the first one neither, nor one with bad states, nor
/// a refused one. Needs an interposer, see allocation_count.hpp.
inline Violations check_allocations(const BackendUnderTest& under_test) {
  detail::Report report;
  if (!can_count_allocations()) return {"no interposer of malloc is linked into this executable"};
  for (const Robot& robot : small_robots()) {
    const auto model = detail::shared(robot);
    const Batch clean = random_batch(*model, 5, 128);
    Batch spoilt = clean, short_q = clean;
    spoilt.q[1] = std::numeric_limits<double>::quiet_NaN();
    short_q.q.pop_back();
    for (const bool friction : {false, true}) {
      const auto backend = detail::configured(under_test, model, clean.size, 1, friction);
      for (const Call& call : detail::calls_for(under_test, *model)) {
        report.at(robot.name, call.name);
        Outputs out = room_for(call, *model, clean);
        for (const Batch* batch : {&clean, &std::as_const(spoilt), &std::as_const(short_q)}) {
          const std::uint64_t before = rbd_allocation_count();
          const Result result = call.run(*backend, *batch, out);
          const std::uint64_t after = rbd_allocation_count();
          report.expect(result.ok() == (batch != &short_q),
                        "unexpected result: " + message(result));
          report.expect(after == before,
                        std::to_string(after - before) + " allocations or releases");
        }
      }
    }
  }
  return report.take();
}

struct Check {
  const char* name;
  Violations (*run)(const BackendUnderTest&);
};

/// All of them.
inline const std::vector<Check>& every_check() {
  static const std::vector<Check> checks = {
      {"AgreesWithNewton", check_against_newton},
      {"Friction", check_friction},
      {"ForwardDynamicsIsUndoneByInverseDynamics", check_forward_dynamics},
      {"FactorsOfTheMassMatrix", check_mass_matrix_factors},
      {"SparseMassMatrix", check_sparse_mass_matrix},
      {"AgreesWithReference", check_against_reference},
      {"StatesOfABatchAreIndependent", check_batches},
      {"CallsLeaveNothingBehind", check_memory_of_calls},
      {"BatchSizes", check_batch_sizes},
      {"LanesEqualRows", check_layouts},
      {"ThreadCountsChangeNothing", check_thread_counts},
      {"SeveralBackendsOnOneModel", check_concurrent_backends},
      {"EmptyInputsAreZero", check_empty_inputs},
      {"SingleOutputs", check_single_outputs},
      {"RefusesWrongSizes", check_wrong_sizes},
      {"RefusesUnknownLinks", check_unknown_links},
      {"RefusesAbaWithMimicJoints", check_aba_with_mimic},
      {"RobotWithoutCoordinates", check_no_coordinates},
      {"ReportsWhatItDoesNotOffer", check_not_offered},
      {"NotFiniteInputsStayInTheirState", check_not_finite_inputs},
      {"Quaternions", check_quaternions},
      {"OverflowIsReported", check_overflow},
      {"SingularMassMatrixNamesTheJoint", check_singular},
      {"UnitsOfLengthDoNotMatter", check_units},
      {"RefusesWhenNotConfigured", check_not_configured},
      {"ConfigureFaults", check_configure_faults},
      {"Reconfigure", check_reconfigure},
      {"KeepsItsModelAlive", check_model_lifetime},
      {"AllocatesNothing", check_allocations},
  };
  return checks;
}

}  // namespace rbd_parallel_core::conformance
