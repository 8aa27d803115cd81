// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/model/configuration.hpp"
#include "rbd_parallel_core/testing/robots.hpp"

namespace rbd_parallel_core {

/// One robot on the backend "reference", one state a call, Eigen in and out.
class DynamicsRig {
 public:
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Axes = ExternalWrenches::Axes;

  explicit DynamicsRig(const conformance::Robot& robot, bool friction = false)
      : model_(std::make_shared<const Model>(robot.model())) {
    backend_->configure(model_, {.max_batch = 1, .threads = 1, .friction = friction});
  }

  const Model& model() const { return *model_; }
  int nv() const { return model_->nv(); }

  Vector inverse_dynamics(const Vector& q, const Vector& v, const Vector& a,
                          const ExternalWrenches& f_ext = {}) const {
    Vector tau(nv());
    StateStatus status;
    expect_ok(backend_->inverse_dynamics({.q = span(q),
                                          .v = span(v),
                                          .a = span(a),
                                          .f_ext = f_ext,
                                          .tau = span(tau),
                                          .status = {&status, 1}}));
    EXPECT_TRUE(status.ok());
    return tau;
  }
  Vector forward_dynamics(const Vector& q, const Vector& v, const Vector& tau,
                          ForwardMethod method = ForwardMethod::automatic,
                          const ExternalWrenches& f_ext = {}) const {
    Vector qdd(nv());
    StateStatus status;
    expect_ok(backend_->forward_dynamics({.q = span(q),
                                          .v = span(v),
                                          .tau = span(tau),
                                          .f_ext = f_ext,
                                          .method = method,
                                          .qdd = span(qdd),
                                          .status = {&status, 1}}));
    EXPECT_TRUE(status.ok()) << message(status, model());
    return qdd;
  }
  Vector bias(const Vector& q, const Vector& v) const {
    Vector tau(nv());
    expect_ok(backend_->bias_forces({.q = span(q), .v = span(v), .tau = span(tau)}));
    return tau;
  }
  Vector gravity(const Vector& q) const {
    Vector tau(nv());
    expect_ok(backend_->gravity_forces({.q = span(q), .v = {}, .tau = span(tau)}));
    return tau;
  }
  Vector coriolis(const Vector& q, const Vector& v) const {
    Vector tau(nv());
    expect_ok(backend_->coriolis_forces({.q = span(q), .v = span(v), .tau = span(tau)}));
    return tau;
  }
  Matrix mass_matrix(const Vector& q) const {
    Matrix M(nv(), nv());
    expect_ok(backend_->mass_matrix({.q = span(q), .mass_matrix = span(M)}));
    return M;
  }
  Matrix cholesky(const Vector& q) const {
    Matrix L(nv(), nv());
    expect_ok(backend_->mass_matrix({.q = span(q), .cholesky = span(L)}));
    return L;
  }
  Matrix inverse(const Vector& q) const {
    Matrix M_inverse(nv(), nv());
    expect_ok(backend_->mass_matrix({.q = span(q), .inverse = span(M_inverse)}));
    return M_inverse;
  }
  double kinetic(const Vector& q, const Vector& v) const {
    double energy = 0;
    expect_ok(backend_->energies({.q = span(q), .v = span(v), .kinetic = {&energy, 1}}));
    return energy;
  }
  double potential(const Vector& q) const {
    double energy = 0;
    expect_ok(backend_->energies({.q = span(q), .v = {}, .potential = {&energy, 1}}));
    return energy;
  }
  Eigen::Vector3d com(const Vector& q) const {
    Vector c(3);
    expect_ok(backend_->energies({.q = span(q), .v = {}, .com = span(c)}));
    return c;
  }
  /// x y z, quaternion x y z w
  Vector pose(const Vector& q, int link) const {
    Vector result(7);
    expect_ok(
        backend_->link_kinematics({.q = span(q), .links = {&link, 1}, .poses = span(result)}));
    return result;
  }
  Matrix jacobian(const Vector& q, int link, Axes axes = Axes::world) const {
    Matrix J(6, nv());
    expect_ok(backend_->link_kinematics(
        {.q = span(q), .links = {&link, 1}, .jacobian = span(J), .axes = axes}));
    return J;
  }

  /// Where q gets to in the time dt with the rates v.
  Vector integrate(const Vector& q, const Vector& v, double dt) const {
    Vector next(q.size());
    expect_ok(rbd_parallel_core::integrate<double>(
        *model_, {.q = span(q), .v = span(v), .dt = dt, .next = span(next)}));
    return next;
  }

  static Vector vector(const std::vector<double>& numbers) {
    return Eigen::Map<const Vector>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
  }

 private:
  template <class T>
  static std::span<const double> span(const T& array) {
    return {array.data(), static_cast<std::size_t>(array.size())};
  }
  template <class T>
  static std::span<double> span(T& array) {
    return {array.data(), static_cast<std::size_t>(array.size())};
  }
  static void expect_ok(const Result& result) { EXPECT_TRUE(result.ok()) << message(result); }

  std::shared_ptr<const Model> model_;
  std::unique_ptr<Backend> backend_ = make_backend("reference");
};

}  // namespace rbd_parallel_core
