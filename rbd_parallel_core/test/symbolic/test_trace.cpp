// SPDX-License-Identifier: Apache-2.0
// The functions of a robot, evaluated node by node, against the backend "reference"; and that base
// parameters change nothing.
#include "rbd_parallel_core/symbolic/trace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "backend/random_trees.hpp"
#include "rbd_parallel_core/algorithm/workspace.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/model/load_urdf.hpp"
#include "rbd_parallel_core/symbolic/traced_model.hpp"

namespace rbd_parallel_core::symbolic {
namespace {

std::vector<SharedModel> robots() {
  std::vector<SharedModel> models;
  for (const Base base : {Base::fixed, Base::floating}) {
    models.push_back(random_tree(9, 3, every_kind, base));
    models.push_back(random_tree(7, 1, {JointKind::revolute}, base));
  }
  models.push_back(std::make_shared<const Model>(auto_tree({.bodies = 8, .branching = 1.5})));
  return models;
}

struct State {
  std::vector<double> q, v, a;
};
State random_state(const Model& model, std::uint64_t seed) {
  conformance::Random random(seed);
  const auto nv = static_cast<std::size_t>(model.nv());
  return {conformance::random_configuration(model, random), random.numbers(nv, 2),
          random.numbers(nv, 3)};
}

std::vector<double> joined(std::initializer_list<const std::vector<double>*> arrays) {
  std::vector<double> all;
  for (const auto* array : arrays) all.insert(all.end(), array->begin(), array->end());
  return all;
}

void expect_near(const std::vector<double>& expected, const double* actual, double tolerance,
                 const std::string& what) {
  double largest = 0;
  for (const double x : expected) largest = std::max(largest, std::abs(x));
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_NEAR(actual[k], expected[k], tolerance * std::max(largest, 1.0)) << what << " " << k;
  }
}

class Traced : public ::testing::TestWithParam<bool> {};

TEST_P(Traced, InverseDynamics) {
  const bool friction = GetParam();
  for (const SharedModel& model : robots()) {
    const auto backend = make_backend("reference");
    backend->configure(model, {.friction = friction});
    const State s = random_state(*model, 3);
    std::vector<double> tau(s.v.size());
    const TraceOptions options{.friction = friction};
    ASSERT_TRUE(backend->inverse_dynamics({.q = s.q, .v = s.v, .a = s.a, .tau = tau}));
    const auto all =
        trace_inverse_dynamics(model->view(), Rates::velocities_and_accelerations, options);
    expect_near(tau, evaluate(all, joined({&s.q, &s.v, &s.a})).data(), 1e-13, "tau");
    ASSERT_TRUE(backend->bias_forces({.q = s.q, .v = s.v, .tau = tau}));
    const auto bias = trace_inverse_dynamics(model->view(), Rates::velocities, options);
    expect_near(tau, evaluate(bias, joined({&s.q, &s.v})).data(), 1e-13, "bias");
    ASSERT_TRUE(backend->gravity_forces({.q = s.q, .v = {}, .tau = tau}));
    const auto rest = trace_inverse_dynamics(model->view(), Rates::none, options);
    expect_near(tau, evaluate(rest, s.q).data(), 1e-13, "gravity");
    ASSERT_TRUE(backend->coriolis_forces({.q = s.q, .v = s.v, .tau = tau}));
    const auto coriolis = trace_coriolis_forces(model->view(), options);
    expect_near(tau, evaluate(coriolis, joined({&s.q, &s.v})).data(), 1e-13, "coriolis");
  }
}

TEST_P(Traced, ForwardDynamics) {
  const bool friction = GetParam();
  for (const SharedModel& model : robots()) {
    const auto backend = make_backend("reference");
    backend->configure(model, {.friction = friction});
    const State s = random_state(*model, 4);
    std::vector<double> qdd(s.v.size());
    ASSERT_TRUE(backend->forward_dynamics({.q = s.q, .v = s.v, .tau = s.a, .qdd = qdd}));
    const auto function =
        trace_forward_dynamics(model->view(), ForwardMethod::aba, {.friction = friction});
    const std::vector<double> actual = evaluate(function, joined({&s.q, &s.v, &s.a}));
    expect_near(qdd, actual.data(), 1e-10, "qdd");
    EXPECT_EQ(actual.back(), 0);  // not singular
  }
}

TEST_P(Traced, Derivatives) {
  const bool friction = GetParam();
  for (const SharedModel& model : robots()) {
    const auto backend = make_backend("reference");
    backend->configure(model, {.friction = friction});
    const State s = random_state(*model, 5);
    const std::size_t n = s.v.size() * s.v.size();
    std::vector<double> by_q(n), by_v(n), by_tau(n);
    const TraceOptions options{.friction = friction};
    ASSERT_TRUE(backend->inverse_dynamics_derivatives(
        {.q = s.q, .v = s.v, .a = s.a, .dtau_dq = by_q, .dtau_dv = by_v}));
    for (const bool with_mass : {false, true}) {
      const auto function = trace_inverse_dynamics_derivatives(model->view(), with_mass, options);
      const std::vector<double> actual = evaluate(function, joined({&s.q, &s.v, &s.a}));
      expect_near(by_q, actual.data(), 1e-12, "dtau_dq");
      expect_near(by_v, actual.data() + n, 1e-12, "dtau_dv");
    }
    ASSERT_TRUE(backend->forward_dynamics_derivatives(
        {.q = s.q, .v = s.v, .tau = s.a, .dqdd_dq = by_q, .dqdd_dv = by_v, .dqdd_dtau = by_tau}));
    const auto function = trace_forward_dynamics_derivatives(model->view(), options);
    const std::vector<double> actual = evaluate(function, joined({&s.q, &s.v, &s.a}));
    expect_near(by_q, actual.data(), 1e-9, "dqdd_dq");
    expect_near(by_v, actual.data() + n, 1e-9, "dqdd_dv");
  }
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutFriction, Traced, ::testing::Bool());

TEST(TracedMassMatrix, IsTheLowerTriangle) {
  for (const SharedModel& model : robots()) {
    const auto backend = make_backend("reference");
    backend->configure(model);
    const State s = random_state(*model, 6);
    const std::size_t nv = s.v.size();
    std::vector<double> M(nv * nv);
    ASSERT_TRUE(backend->mass_matrix({.q = s.q, .mass_matrix = M}));
    const std::vector<double> actual = evaluate(trace_mass_matrix(model->view()), s.q);
    for (std::size_t i = 0; i < nv; ++i) {
      for (std::size_t j = 0; j < nv; ++j) {
        EXPECT_NEAR(actual[i * nv + j], j > i ? 0 : M[i * nv + j], 1e-12) << i << ", " << j;
      }
    }
  }
}

/// What a joint cannot tell from its parent's inertia is gone from the body, and nothing else
/// changed: torques of the regrouped robot are those of the robot.
TEST(TracedModelTest, BaseParametersGiveTheSameTorques) {
  for (const SharedModel& model : robots()) {
    const TracedModel traced(model->view(), true);
    const ModelView<double> robot = model->view(), regrouped = traced.view();
    int moved = 0;
    for (std::int32_t i = 0; i < regrouped.body_count; ++i) {
      const BodyView<double>& body = regrouped.body[i];
      if (body.type == JointType::revolute) {
        EXPECT_EQ(body.inertia.h.z, 0);
        EXPECT_EQ(body.inertia.I.yy, 0);
        ++moved;
      }
    }
    EXPECT_GT(moved, 0);
    const State s = random_state(*model, 7);
    std::vector<double> expected(s.v.size()), actual(s.v.size());
    const auto compute = [&](const ModelView<double>& view, std::vector<double>& tau) {
      const auto bodies = static_cast<std::size_t>(view.body_count);
      const auto columns = static_cast<std::size_t>(view.column_count);
      std::vector<double> memory(Workspace<double>::bytes(bodies, columns) / sizeof(double) + 1);
      const auto ws =
          Workspace<double>::in(reinterpret_cast<std::byte*>(memory.data()), bodies, columns);
      rnea(view, ws.rnea, Row<double>{s.q.data()}, Row<double>{s.v.data()}, Row<double>{s.a.data()},
           NoForces{}, view.gravity, false, OutRow<double>{tau.data()});
    };
    compute(robot, expected);
    compute(regrouped, actual);
    expect_near(expected, actual.data(), 1e-13, "tau");
  }
}

/// Counts of an arm whose axes are parallel or at right angles. They may fall, and must not rise.
TEST(TracedCounts, OfTheArmDoNotGrow) {
  const Model arm = load_urdf_file(RBD_ROBOTS_DIR "/arm7.urdf");
  const auto total = [](const Function& f) { return count_operations(f).total(); };
  EXPECT_LE(total(trace_inverse_dynamics(arm.view(), Rates::none)), 111);
  EXPECT_LE(total(trace_inverse_dynamics(arm.view(), Rates::velocities_and_accelerations)), 621);
  EXPECT_LE(total(trace_mass_matrix(arm.view())), 635);
  EXPECT_LE(total(trace_forward_dynamics(arm.view(), ForwardMethod::aba)), 1604);
  EXPECT_LE(total(trace_inverse_dynamics_derivatives(arm.view(), false)), 4787);
  EXPECT_LE(total(trace_forward_dynamics_derivatives(arm.view())), 8135);
}

}  // namespace
}  // namespace rbd_parallel_core::symbolic
