// SPDX-License-Identifier: Apache-2.0
//
// Derivatives against finite differences of RNEA in long double, which share nothing with them but
// RNEA itself, and against each other: every joint type, wrenches in both axes, mimic joints.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <functional>
#include <limits>

#include "long_dynamics.hpp"
#include "rbd_parallel_core/algorithm/finite_sum.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/model/configuration.hpp"
#include "rbd_parallel_core/testing/backend_calls.hpp"

namespace rbd_parallel_core {
namespace {

using conformance::Batch;
using conformance::Robot;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::size_t index(int k) { return static_cast<std::size_t>(k); }

/// Entries are judged by their sum. That of large ones may overflow where none of them does.
TEST(TaintOfSum, LooksAtEachWhereTheSumIsNotFinite) {
  constexpr double largest = std::numeric_limits<double>::max();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto taint_of = [](double a, double b) {
    return taint_of_sum(0 * (a + b), [&] { return 0 * a + 0 * b; });
  };
  EXPECT_EQ(taint_of(1, -2), 0);
  EXPECT_EQ(taint_of(largest, largest), 0);
  EXPECT_EQ(taint_of(-largest, -largest), 0);
  EXPECT_TRUE(std::isnan(taint_of(infinity, 1)));
  EXPECT_TRUE(std::isnan(taint_of(infinity, -infinity)));
  EXPECT_TRUE(std::isnan(taint_of(1, std::nan(""))));
}

struct Case {
  Robot robot;
  bool wrenches;
  Axes axes;
  bool friction;

  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.robot.name; }
};

std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  return c.robot.name +
         (c.wrenches ? (c.axes == Axes::world ? "_wrenches_in_world" : "_wrenches_in_link") : "") +
         (c.friction ? "_friction" : "");
}

std::vector<Case> cases() {
  std::vector<Case> all;
  std::vector<Robot> robots = conformance::small_robots();
  robots.push_back(conformance::chain(40));
  for (const Robot& robot : robots) {
    all.push_back({robot, false, Axes::link, false});
    all.push_back({robot, true, Axes::link, true});
    all.push_back({robot, true, Axes::world, false});
  }
  return all;
}

class Derivatives : public testing::TestWithParam<Case> {
 protected:
  Derivatives()
      : model_(std::make_shared<const Model>(GetParam().robot.model())),
        batch_(conformance::random_batch(*model_, 1, 41)),
        exact_(*model_),
        nv_(model_->nv()) {
    backend_->configure(model_, {.max_batch = 1, .threads = 1, .friction = GetParam().friction});
  }

  ExternalWrenches wrenches() const {
    if (!GetParam().wrenches) return {};
    return {batch_.links, batch_.wrenches, GetParam().axes};
  }
  Longs torques(const Longs& q, const Longs& v, const Longs& a) {
    const std::vector<int> links = GetParam().wrenches ? batch_.links : std::vector<int>{};
    return exact_.torques(q, v, a, links, batch_.wrenches, GetParam().axes, GetParam().friction);
  }
  /// The central difference of fourth order of torques(t) at t = 0, for each coordinate.
  Matrix finite_difference(const std::function<Longs(std::size_t, Long)>& torques_at) const {
    Matrix result(nv_, nv_);
    constexpr Long h = 1e-4L;
    for (int j = 0; j < nv_; ++j) {
      const Longs a = torques_at(index(j), h), b = torques_at(index(j), -h);
      const Longs c = torques_at(index(j), 2 * h), d = torques_at(index(j), -2 * h);
      for (std::size_t i = 0; i < a.size(); ++i) {
        result(static_cast<Eigen::Index>(i), j) =
            static_cast<double>((8 * (a[i] - b[i]) - (c[i] - d[i])) / (12 * h));
      }
    }
    return result;
  }
  static Longs longs(const std::vector<double>& x) { return {x.begin(), x.end()}; }
  static Longs longs(const Vector& x) { return {x.data(), x.data() + x.size()}; }
  Longs with(std::vector<double> x, std::size_t k, Long h) const {
    Longs changed = longs(x);
    changed[k] += h;
    return changed;
  }
  Matrix expected_dq(const Longs& a) {
    return finite_difference([&](std::size_t k, Long h) {
      return torques(exact_.moved(longs(batch_.q), k, h), longs(batch_.v), a);
    });
  }
  Matrix expected_dv(const Longs& a) {
    return finite_difference(
        [&](std::size_t k, Long h) { return torques(longs(batch_.q), with(batch_.v, k, h), a); });
  }
  template <class T>
  static std::span<double> span(T& array) {
    return {array.data(), static_cast<std::size_t>(array.size())};
  }
  static void expect_near(const Matrix& actual, const Matrix& expected, double tolerance,
                          const char* what) {
    if (expected.size() == 0) return;
    const double scale = std::max(1.0, expected.cwiseAbs().maxCoeff());
    EXPECT_LE((actual - expected).cwiseAbs().maxCoeff(), tolerance * scale) << what;
  }
  void expect_ok(const Result& result) {
    EXPECT_TRUE(result.ok()) << message(result);
    EXPECT_TRUE(status_.ok()) << message(status_, *model_);
  }

  struct InverseMatrices {
    Matrix dq, dv, M;
  };
  InverseMatrices inverse_matrices(std::span<const double> a) {
    InverseMatrices out{Matrix(nv_, nv_), Matrix(nv_, nv_), Matrix(nv_, nv_)};
    expect_ok(backend_->inverse_dynamics_derivatives({.q = batch_.q,
                                                      .v = batch_.v,
                                                      .a = a,
                                                      .f_ext = wrenches(),
                                                      .dtau_dq = span(out.dq),
                                                      .dtau_dv = span(out.dv),
                                                      .mass_matrix = span(out.M),
                                                      .status = {&status_, 1}}));
    return out;
  }
  struct ForwardMatrices {
    Matrix dq, dv, dtau;
  };
  ForwardMatrices forward_matrices() {
    ForwardMatrices out{Matrix(nv_, nv_), Matrix(nv_, nv_), Matrix(nv_, nv_)};
    expect_ok(backend_->forward_dynamics_derivatives({.q = batch_.q,
                                                      .v = batch_.v,
                                                      .tau = batch_.tau,
                                                      .f_ext = wrenches(),
                                                      .dqdd_dq = span(out.dq),
                                                      .dqdd_dv = span(out.dv),
                                                      .dqdd_dtau = span(out.dtau),
                                                      .status = {&status_, 1}}));
    return out;
  }
  Vector accelerations() {
    Vector qdd(nv_);
    expect_ok(backend_->forward_dynamics({.q = batch_.q,
                                          .v = batch_.v,
                                          .tau = batch_.tau,
                                          .f_ext = wrenches(),
                                          .qdd = span(qdd),
                                          .status = {&status_, 1}}));
    return qdd;
  }
  static Vector vector(const std::vector<double>& x) {
    return Eigen::Map<const Vector>(x.data(), static_cast<Eigen::Index>(x.size()));
  }

  std::shared_ptr<const Model> model_;
  std::unique_ptr<Backend> backend_ = make_backend("reference");
  Batch batch_;
  LongDynamics exact_;
  int nv_;
  StateStatus status_;
};

/// d tau / d q and d tau / d v are what finite differences give; d tau / d a is M.
TEST_P(Derivatives, OfInverseDynamics) {
  const InverseMatrices found = inverse_matrices(batch_.a);
  expect_near(found.dq, expected_dq(longs(batch_.a)), 1e-11, "d tau / d q");
  expect_near(found.dv, expected_dv(longs(batch_.a)), 1e-11, "d tau / d v");
  Matrix M(nv_, nv_);
  expect_ok(backend_->mass_matrix({.q = batch_.q, .mass_matrix = span(M)}));
  expect_near(found.M, M, 1e-14, "M");
}

/// Coordinates of different branches, which M does not couple, have exact zeros.
TEST_P(Derivatives, OfOtherBranchesAreExactZeros) {
  const InverseMatrices found = inverse_matrices(batch_.a);
  Matrix M(nv_, nv_);
  expect_ok(backend_->mass_matrix({.q = batch_.q, .mass_matrix = span(M)}));
  for (int i = 0; i < nv_; ++i) {
    for (int j = 0; j < nv_; ++j) {
      if (M(i, j) != 0) continue;
      // An entry of M may vanish by chance, or since two directions are at right angles.
      const auto ancestor = [&](int a, int b) {
        while (b > a) b = model_->view().dof_parent[b];
        return a == b;
      };
      if (ancestor(i, j) || ancestor(j, i)) continue;
      EXPECT_EQ(found.dq(i, j), 0) << i << " " << j;
      EXPECT_EQ(found.dv(i, j), 0) << i << " " << j;
    }
  }
}

/// At a = qdd, M (d qdd / d q) = -d tau / d q and M (d qdd / d v) = -d tau / d v, by finite
/// differences; d qdd / d tau is the inverse of M.
TEST_P(Derivatives, OfForwardDynamics) {
  const ForwardMatrices found = forward_matrices();
  const Longs a = longs(accelerations());
  Matrix M(nv_, nv_);
  expect_ok(backend_->mass_matrix({.q = batch_.q, .mass_matrix = span(M)}));
  const double condition = nv_ == 0 ? 1 : M.norm() * found.dtau.norm();
  expect_near(-M * found.dq, expected_dq(a), 1e-14 * condition + 1e-11, "M d qdd / d q");
  expect_near(-M * found.dv, expected_dv(a), 1e-14 * condition + 1e-11, "M d qdd / d v");
  expect_near(M * found.dtau, Matrix::Identity(nv_, nv_), 1e-14 * condition, "M d qdd / d tau");
}

/// Products without matrices are products with the matrices.
TEST_P(Derivatives, AsProducts) {
  const Vector dq = vector(batch_.dq), dv = vector(batch_.dv), da = vector(batch_.da);
  const Vector dtau = vector(batch_.dtau), weights = vector(batch_.weights);
  const InverseMatrices inverse = inverse_matrices(batch_.a);
  Vector jvp(nv_), by_q(nv_), by_v(nv_), by_a(nv_);
  expect_ok(backend_->inverse_dynamics_jvp({.q = batch_.q,
                                            .v = batch_.v,
                                            .a = batch_.a,
                                            .dq = batch_.dq,
                                            .dv = batch_.dv,
                                            .da = batch_.da,
                                            .f_ext = wrenches(),
                                            .dtau = span(jvp),
                                            .status = {&status_, 1}}));
  expect_near(jvp, inverse.dq * dq + inverse.dv * dv + inverse.M * da, 1e-12, "jvp");
  expect_ok(backend_->inverse_dynamics_vjp({.q = batch_.q,
                                            .v = batch_.v,
                                            .a = batch_.a,
                                            .weights = batch_.weights,
                                            .f_ext = wrenches(),
                                            .grad_q = span(by_q),
                                            .grad_v = span(by_v),
                                            .grad_a = span(by_a),
                                            .status = {&status_, 1}}));
  expect_near(by_q, inverse.dq.transpose() * weights, 1e-12, "vjp by q");
  expect_near(by_v, inverse.dv.transpose() * weights, 1e-12, "vjp by v");
  expect_near(by_a, inverse.M * weights, 1e-12, "vjp by a");

  const ForwardMatrices forward = forward_matrices();
  const double condition = nv_ == 0 ? 1 : inverse.M.norm() * forward.dtau.norm();
  const double tolerance = 1e-14 * condition + 1e-12;
  expect_ok(backend_->forward_dynamics_jvp({.q = batch_.q,
                                            .v = batch_.v,
                                            .tau = batch_.tau,
                                            .dq = batch_.dq,
                                            .dv = batch_.dv,
                                            .dtau = batch_.dtau,
                                            .f_ext = wrenches(),
                                            .dqdd = span(jvp),
                                            .status = {&status_, 1}}));
  expect_near(jvp, forward.dq * dq + forward.dv * dv + forward.dtau * dtau, tolerance, "FD jvp");
  expect_ok(backend_->forward_dynamics_vjp({.q = batch_.q,
                                            .v = batch_.v,
                                            .tau = batch_.tau,
                                            .weights = batch_.weights,
                                            .f_ext = wrenches(),
                                            .grad_q = span(by_q),
                                            .grad_v = span(by_v),
                                            .grad_tau = span(by_a),
                                            .status = {&status_, 1}}));
  expect_near(by_q, forward.dq.transpose() * weights, tolerance, "FD vjp by q");
  expect_near(by_v, forward.dv.transpose() * weights, tolerance, "FD vjp by v");
  expect_near(by_a, forward.dtau * weights, tolerance, "FD vjp by tau");
}

/// C v are the Coriolis forces, and dM/dt = C + C^T.
TEST_P(Derivatives, CoriolisMatrix) {
  Matrix C(nv_, nv_), rate(nv_, nv_);
  Vector forces(nv_);
  expect_ok(backend_->coriolis_matrix({.q = batch_.q,
                                       .v = batch_.v,
                                       .coriolis = span(C),
                                       .mass_matrix_rate = span(rate),
                                       .status = {&status_, 1}}));
  expect_ok(backend_->coriolis_forces({.q = batch_.q, .v = batch_.v, .tau = span(forces)}));
  expect_near(C * vector(batch_.v), forces, 1e-13, "C v");
  expect_near(C + C.transpose(), rate, 1e-15, "C + C^T");
  const auto mass_matrix_after = [&](double t) {
    std::vector<double> q(batch_.q.size());
    expect_ok(integrate<double>(*model_, {.q = batch_.q, .v = batch_.v, .dt = t, .next = q}));
    Matrix M(nv_, nv_);
    expect_ok(backend_->mass_matrix({.q = q, .mass_matrix = span(M)}));
    return M;
  };
  constexpr double h = 1e-3;
  const Matrix numeric = (8 * (mass_matrix_after(h) - mass_matrix_after(-h)) -
                          (mass_matrix_after(2 * h) - mass_matrix_after(-2 * h))) /
                         (12 * h);
  expect_near(rate, numeric, 1e-8, "dM/dt");
}

/// tau = Y pi + (armature and friction), for the parameters of the model.
TEST_P(Derivatives, Regressor) {
  const std::vector<double> parameters = model_->inertial_parameters();
  const auto count = static_cast<Eigen::Index>(parameters.size());
  ASSERT_EQ(count, 10 * model_->body_count());
  Matrix Y(nv_, count);
  expect_ok(backend_->regressor({.q = batch_.q,
                                 .v = batch_.v,
                                 .a = batch_.a,
                                 .regressor = span(Y),
                                 .status = {&status_, 1}}));
  Vector tau(nv_), friction = Vector::Zero(nv_);
  expect_ok(backend_->inverse_dynamics(
      {.q = batch_.q, .v = batch_.v, .a = batch_.a, .tau = span(tau), .status = {&status_, 1}}));
  for (int k = 0; k < nv_; ++k) {
    const ModelView<double>& view = model_->view();
    const double v = batch_.v[index(k)];
    friction(k) = view.armature[k] * batch_.a[index(k)];
    if (GetParam().friction) {
      friction(k) += view.damping[k] * v + view.friction[k] * (v > 0 ? 1 : -1);
    }
  }
  expect_near(Y * vector(parameters) + friction, tau, 1e-13, "Y pi");
}

/// A v is the momentum of all links: linear as m times the velocity of the centre of mass. A's rate
/// is what finite differences give.
TEST_P(Derivatives, CentroidalMomentum) {
  const auto matrices = [&](const std::vector<double>& q) {
    std::pair<Matrix, Matrix> out{Matrix(6, nv_), Matrix(6, nv_)};
    expect_ok(backend_->centroidal_momentum({.q = q,
                                             .v = batch_.v,
                                             .momentum_matrix = span(out.first),
                                             .momentum_matrix_rate = span(out.second),
                                             .status = {&status_, 1}}));
    return out;
  };
  const auto later = [&](double t) {
    std::vector<double> q(batch_.q.size());
    expect_ok(integrate<double>(*model_, {.q = batch_.q, .v = batch_.v, .dt = t, .next = q}));
    return q;
  };
  const auto centre = [&](double t) {
    Eigen::Vector3d c;
    expect_ok(backend_->energies({.q = later(t), .v = {}, .com = span(c)}));
    return c;
  };
  if (nv_ == 0) return;
  constexpr double h = 1e-3;
  const auto slope = [&](const auto& f) {
    return ((8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)).eval();
  };
  const auto [A, rate] = matrices(batch_.q);
  const Vector momentum = A * vector(batch_.v);
  expect_near(momentum.head(3), model_->total_mass() * slope(centre), 1e-8, "momentum");
  expect_near(rate, slope([&](double t) { return Matrix(matrices(later(t)).first); }), 1e-8,
              "dA/dt");
}

/// dJ/dt is what finite differences of J give, and dJ/dt v the velocity product.
TEST_P(Derivatives, JacobianRate) {
  for (const Axes axes : {Axes::world, Axes::link}) {
    const int link = static_cast<int>(model_->links().size()) - 1;
    Matrix rate(6, nv_);
    Vector product(6);
    expect_ok(backend_->link_motion({.q = batch_.q,
                                     .v = batch_.v,
                                     .a = {},
                                     .links = {&link, 1},
                                     .velocity_product = span(product),
                                     .jacobian_rate = span(rate),
                                     .axes = axes}));
    expect_near(rate * vector(batch_.v), product, 1e-12, "dJ/dt v");
    if (axes == Axes::link) continue;
    const auto jacobian_after = [&](double t) {
      std::vector<double> q(batch_.q.size());
      expect_ok(integrate<double>(*model_, {.q = batch_.q, .v = batch_.v, .dt = t, .next = q}));
      Matrix J(6, nv_);
      expect_ok(backend_->link_kinematics({.q = q, .links = {&link, 1}, .jacobian = span(J)}));
      return J;
    };
    constexpr double h = 1e-3;
    expect_near(rate,
                (8 * (jacobian_after(h) - jacobian_after(-h)) -
                 (jacobian_after(2 * h) - jacobian_after(-2 * h))) /
                    (12 * h),
                1e-8, "dJ/dt");
  }
}

INSTANTIATE_TEST_SUITE_P(Robots, Derivatives, testing::ValuesIn(cases()), name_of_case);

}  // namespace
}  // namespace rbd_parallel_core
