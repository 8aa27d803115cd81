// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/operation_arguments.hpp"

/// The arguments of the derivatives of dynamics. Derivatives by q are in the tangent space: along
/// the rates v with which `integrate` moves q, so that all of them have nv columns, whatever the
/// joints. A matrix d x / d y has a row for each x. External wrenches keep their numbers when q
/// changes: in the axes of their links they turn with these, in the axes of the world they do not.
/// With friction switched on, damping counts and the sign of a velocity is a constant.
namespace rbd_parallel_core {

template <class Real>
struct BasicInverseDynamicsDerivatives {
  std::size_t batch = 1;
  std::span<const Real> q;
  std::span<const Real> v;
  std::span<const Real> a;
  BasicExternalWrenches<Real> f_ext{};
  std::span<Real> dtau_dq = {};
  std::span<Real> dtau_dv = {};
  std::span<Real> mass_matrix = {};
  std::span<StateStatus> status = {};  ///< out: batch, or empty
  Layout layout = Layout::rows;

  static constexpr auto fields() {
    using Args = BasicInverseDynamicsDerivatives;
    return std::tuple(
        input(Argument::q, &Args::q, {Extent::nq}),
        optional_input(Argument::v, &Args::v, {Extent::nv}),
        optional_input(Argument::a, &Args::a, {Extent::nv}), wrenches_field(&Args::f_ext),
        optional_output(Argument::dtau_dq, &Args::dtau_dq, {Extent::nv, Extent::nv},
                        "d tau / d q, in the tangent space of q"),
        optional_output(Argument::dtau_dv, &Args::dtau_dv, {Extent::nv, Extent::nv}, "d tau / d v"),
        optional_output(Argument::mass_matrix, &Args::mass_matrix, {Extent::nv, Extent::nv},
                        "d tau / d a = M with armature, full and symmetric"));
  }
};

template <class Real>
struct BasicForwardDynamicsDerivatives {
  std::size_t batch = 1;
  std::span<const Real> q;
  std::span<const Real> v;
  std::span<const Real> tau;
  BasicExternalWrenches<Real> f_ext{};
  std::span<Real> dqdd_dq = {};
  std::span<Real> dqdd_dv = {};
  std::span<Real> dqdd_dtau = {};
  std::span<StateStatus> status = {};  ///< out: batch, or empty
  Layout layout = Layout::rows;

  static constexpr auto fields() {
    using Args = BasicForwardDynamicsDerivatives;
    return std::tuple(
        input(Argument::q, &Args::q, {Extent::nq}),
        optional_input(Argument::v, &Args::v, {Extent::nv}),
        optional_input(Argument::tau, &Args::tau, {Extent::nv}), wrenches_field(&Args::f_ext),
        optional_output(Argument::dqdd_dq, &Args::dqdd_dq, {Extent::nv, Extent::nv},
                        "d qdd / d q, in the tangent space of q"),
        optional_output(Argument::dqdd_dv, &Args::dqdd_dv, {Extent::nv, Extent::nv}, "d qdd / d v"),
        optional_output(Argument::dqdd_dtau, &Args::dqdd_dtau, {Extent::nv, Extent::nv},
                        "d qdd / d tau, the inverse of M, full and symmetric"));
  }
};

/// dtau = d tau / d q dq + d tau / d v dv + M da, without a matrix.
template <class Real>
struct BasicInverseDynamicsJvp {
  std::size_t batch = 1;
  std::span<const Real> q;
  std::span<const Real> v;
  std::span<const Real> a;
  std::span<const Real> dq;
  std::span<const Real> dv;
  std::span<const Real> da;
  BasicExternalWrenches<Real> f_ext{};
  std::span<Real> dtau;
  std::span<StateStatus> status = {};  ///< out: batch, or empty
  Layout layout = Layout::rows;

  static constexpr auto fields() {
    using Args = BasicInverseDynamicsJvp;
    return std::tuple(input(Argument::q, &Args::q, {Extent::nq}),
                      optional_input(Argument::v, &Args::v, {Extent::nv}),
                      optional_input(Argument::a, &Args::a, {Extent::nv}),
                      optional_input(Argument::dq, &Args::dq, {Extent::nv}),
                      optional_input(Argument::dv, &Args::dv, {Extent::nv}),
                      optional_input(Argument::da, &Args::da, {Extent::nv}),
                      wrenches_field(&Args::f_ext),
                      output(Argument::dtau, &Args::dtau, {Extent::nv},
                             "change of the joint torques for changes dq, dv, da"));
  }
};

/// Gradients of weights . tau, without a matrix.
template <class Real>
struct BasicInverseDynamicsVjp {
  std::size_t batch = 1;
  std::span<const Real> q;
  std::span<const Real> v;
  std::span<const Real> a;
  std::span<const Real> weights;
  BasicExternalWrenches<Real> f_ext{};
  std::span<Real> grad_q = {};
  std::span<Real> grad_v = {};
  std::span<Real> grad_a = {};
  std::span<StateStatus> status = {};  ///< out: batch, or empty
  Layout layout = Layout::rows;

  static constexpr auto fields() {
    using Args = BasicInverseDynamicsVjp;
    return std::tuple(
        input(Argument::q, &Args::q, {Extent::nq}),
        input(Argument::weights, &Args::weights, {Extent::nv}),
        optional_input(Argument::v, &Args::v, {Extent::nv}),
        optional_input(Argument::a, &Args::a, {Extent::nv}), wrenches_field(&Args::f_ext),
        optional_output(Argument::grad_q, &Args::grad_q, {Extent::nv},
                        "weights^T d tau / d q, in the tangent space of q"),
        optional_output(Argument::grad_v, &Args::grad_v, {Extent::nv}, "weights^T d tau / d v"),
        optional_output(Argument::grad_a, &Args::grad_a, {Extent::nv},
                        "weights^T d tau / d a = M weights"));
  }
};

/// dqdd = d qdd / d q dq + d qdd / d v dv + M^-1 dtau, without a matrix.
template <class Real>
struct BasicForwardDynamicsJvp {
  std::size_t batch = 1;
  std::span<const Real> q;
  std::span<const Real> v;
  std::span<const Real> tau;
  std::span<const Real> dq;
  std::span<const Real> dv;
  std::span<const Real> dtau;
  BasicExternalWrenches<Real> f_ext{};
  std::span<Real> dqdd;
  std::span<StateStatus> status = {};  ///< out: batch, or empty
  Layout layout = Layout::rows;

  static constexpr auto fields() {
    using Args = BasicForwardDynamicsJvp;
    return std::tuple(input(Argument::q, &Args::q, {Extent::nq}),
                      optional_input(Argument::v, &Args::v, {Extent::nv}),
                      optional_input(Argument::tau, &Args::tau, {Extent::nv}),
                      optional_input(Argument::dq, &Args::dq, {Extent::nv}),
                      optional_input(Argument::dv, &Args::dv, {Extent::nv}),
                      optional_input(Argument::dtau, &Args::dtau, {Extent::nv}),
                      wrenches_field(&Args::f_ext),
                      output(Argument::dqdd, &Args::dqdd, {Extent::nv},
                             "change of the accelerations for changes dq, dv, dtau"));
  }
};

/// Gradients of weights . qdd, without a matrix.
template <class Real>
struct BasicForwardDynamicsVjp {
  std::size_t batch = 1;
  std::span<const Real> q;
  std::span<const Real> v;
  std::span<const Real> tau;
  std::span<const Real> weights;
  BasicExternalWrenches<Real> f_ext{};
  std::span<Real> grad_q = {};
  std::span<Real> grad_v = {};
  std::span<Real> grad_tau = {};
  std::span<StateStatus> status = {};  ///< out: batch, or empty
  Layout layout = Layout::rows;

  static constexpr auto fields() {
    using Args = BasicForwardDynamicsVjp;
    return std::tuple(
        input(Argument::q, &Args::q, {Extent::nq}),
        input(Argument::weights, &Args::weights, {Extent::nv}),
        optional_input(Argument::v, &Args::v, {Extent::nv}),
        optional_input(Argument::tau, &Args::tau, {Extent::nv}), wrenches_field(&Args::f_ext),
        optional_output(Argument::grad_q, &Args::grad_q, {Extent::nv},
                        "weights^T d qdd / d q, in the tangent space of q"),
        optional_output(Argument::grad_v, &Args::grad_v, {Extent::nv}, "weights^T d qdd / d v"),
        optional_output(Argument::grad_tau, &Args::grad_tau, {Extent::nv},
                        "weights^T d qdd / d tau = M^-1 weights"));
  }
};

/// The matrix C of C v, the forces that velocities alone take, chosen such that dM/dt - 2 C is
/// skew-symmetric, or dM/dt = C + C^T. For joints of one coordinate each these are the Christoffel
/// symbols.
template <class Real>
struct BasicCoriolisMatrix {
  std::size_t batch = 1;
  std::span<const Real> q;
  std::span<const Real> v;
  std::span<Real> coriolis = {};
  std::span<Real> mass_matrix_rate = {};
  std::span<StateStatus> status = {};  ///< out: batch, or empty
  Layout layout = Layout::rows;

  static constexpr auto fields() {
    using Args = BasicCoriolisMatrix;
    return std::tuple(input(Argument::q, &Args::q, {Extent::nq}),
                      optional_input(Argument::v, &Args::v, {Extent::nv}),
                      optional_output(Argument::coriolis, &Args::coriolis, {Extent::nv, Extent::nv},
                                      "C with dM/dt = C + C^T; C v are the Coriolis forces"),
                      optional_output(Argument::mass_matrix_rate, &Args::mass_matrix_rate,
                                      {Extent::nv, Extent::nv}, "dM/dt, full and symmetric"));
  }
};

/// The momentum of all links, about their common centre of mass, along the axes of the world.
template <class Real>
struct BasicCentroidalMomentum {
  std::size_t batch = 1;
  std::span<const Real> q;
  std::span<const Real> v;
  std::span<Real> momentum_matrix = {};
  std::span<Real> momentum_matrix_rate = {};
  std::span<StateStatus> status = {};  ///< out: batch, or empty
  Layout layout = Layout::rows;

  static constexpr auto fields() {
    using Args = BasicCentroidalMomentum;
    return std::tuple(
        input(Argument::q, &Args::q, {Extent::nq}),
        optional_input(Argument::v, &Args::v, {Extent::nv}),
        optional_output(Argument::momentum_matrix, &Args::momentum_matrix, {6, Extent::nv},
                        "A with momentum (kg m/s), then angular momentum (kg m^2/s) = A v"),
        optional_output(Argument::momentum_matrix_rate, &Args::momentum_matrix_rate,
                        {6, Extent::nv}, "dA/dt"));
  }
};

/// tau = Y pi with the inertial parameters pi of all bodies: linear in them, whatever the state.
/// Armature and friction are not among them; external wrenches do not count. docs/conventions.md,
/// "Inertial parameters", has their order and frames, Model::inertial_parameters their values.
template <class Real>
struct BasicRegressor {
  std::size_t batch = 1;
  std::span<const Real> q;
  std::span<const Real> v;
  std::span<const Real> a;
  std::span<Real> regressor;
  std::span<StateStatus> status = {};  ///< out: batch, or empty
  Layout layout = Layout::rows;

  static constexpr auto fields() {
    using Args = BasicRegressor;
    return std::tuple(
        input(Argument::q, &Args::q, {Extent::nq}),
        optional_input(Argument::v, &Args::v, {Extent::nv}),
        optional_input(Argument::a, &Args::a, {Extent::nv}),
        output(Argument::regressor, &Args::regressor, {Extent::nv, Extent::parameters},
               "Y with tau = Y pi for the inertial parameters pi: m, m c, I of each body"));
  }
};

using InverseDynamicsDerivatives = BasicInverseDynamicsDerivatives<double>;
using ForwardDynamicsDerivatives = BasicForwardDynamicsDerivatives<double>;
using InverseDynamicsJvp = BasicInverseDynamicsJvp<double>;
using InverseDynamicsVjp = BasicInverseDynamicsVjp<double>;
using ForwardDynamicsJvp = BasicForwardDynamicsJvp<double>;
using ForwardDynamicsVjp = BasicForwardDynamicsVjp<double>;
using CoriolisMatrix = BasicCoriolisMatrix<double>;
using CentroidalMomentum = BasicCentroidalMomentum<double>;
using Regressor = BasicRegressor<double>;

}  // namespace rbd_parallel_core
