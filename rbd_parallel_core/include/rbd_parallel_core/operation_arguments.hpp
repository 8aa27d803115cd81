// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>

#include "rbd_parallel_core/forward_method.hpp"
#include "rbd_parallel_core/operation_fields.hpp"
#include "rbd_parallel_core/status.hpp"

/// The arguments of the operations on dynamics and kinematics. derivative_arguments.hpp has those
/// of the derivatives, operation.hpp says which belong to which operation.
namespace rbd_parallel_core {

// ---- what several operations share --------------------------------------------------------------

/// How the numbers of a batch lie in memory.
enum class Layout : std::uint8_t {
  rows,  ///< one state after the other
  /// Ready for SIMD lanes: for W = Backend::lane_width() states at a time, the first number of all
  /// W, then the second, and so on; coordinate k of state s is at (s / W * n + k) * W + s % W where
  /// a state has n numbers. Arrays hold whole groups, so their sizes are those of the batch rounded
  /// up to a multiple of W; what stands in the lanes without a state does not matter. Only the
  /// status has one entry for each state in both layouts.
  lanes,
};

/// Along which axes a wrench or a twist at the origin of a link is given: the link's or the
/// world's.
enum class Axes : std::uint8_t { link, world };

/// Wrenches on named links, added to what the joints do. They act at the origins of the links.
template <class Real>
struct BasicExternalWrenches {
  using Axes = rbd_parallel_core::Axes;

  std::span<const int> links;  ///< k indices into Model::links(); one link may come several times
  std::span<const Real> wrenches;  ///< batch x k x 6: force (N), then torque (N m)
  Axes axes = Axes::link;
};

// ---- arguments ----------------------------------------------------------------------------------
// Each has the number of states, its arrays, the status of each state and the layout of all arrays
// but the status. fields() lists its arrays and choices in the order in which they are checked.

template <class Real>
struct BasicInverseDynamics {
  std::size_t batch = 1;
  std::span<const Real> q;
  std::span<const Real> v;
  std::span<const Real> a;
  BasicExternalWrenches<Real> f_ext{};
  std::span<Real> tau;
  std::span<StateStatus> status = {};  ///< out: batch, or empty
  Layout layout = Layout::rows;

  static constexpr auto fields() {
    using Args = BasicInverseDynamics;
    return std::tuple(input(Argument::q, &Args::q, {Extent::nq}),
                      optional_input(Argument::v, &Args::v, {Extent::nv}),
                      optional_input(Argument::a, &Args::a, {Extent::nv}),
                      wrenches_field(&Args::f_ext),
                      output(Argument::tau, &Args::tau, {Extent::nv}, "joint torques, N m or N"));
  }
};

/// Terms of the equation of motion that depend on q and v only. gravity_forces does not read v.
template <class Real>
struct BasicForces {
  std::size_t batch = 1;
  std::span<const Real> q;
  std::span<const Real> v;
  std::span<Real> tau;
  std::span<StateStatus> status = {};  ///< out: batch, or empty
  Layout layout = Layout::rows;

  static constexpr auto fields() {
    using Args = BasicForces;
    return std::tuple(input(Argument::q, &Args::q, {Extent::nq}),
                      optional_input(Argument::v, &Args::v, {Extent::nv}),
                      output(Argument::tau, &Args::tau, {Extent::nv}, "joint torques, N m or N"));
  }
};

template <class Real>
struct BasicMassMatrix {
  std::size_t batch = 1;
  std::span<const Real> q;
  std::span<Real> mass_matrix = {};
  std::span<Real> cholesky = {};
  std::span<Real> inverse = {};
  std::span<Real> sparse = {};
  std::span<Real> sparse_cholesky = {};
  std::span<StateStatus> status = {};  ///< out: batch, or empty
  Layout layout = Layout::rows;

  static constexpr auto fields() {
    using Args = BasicMassMatrix;
    return std::tuple(
        input(Argument::q, &Args::q, {Extent::nq}),
        optional_output(Argument::mass_matrix, &Args::mass_matrix, {Extent::nv, Extent::nv},
                        "M with armature, full and symmetric"),
        optional_output(Argument::cholesky, &Args::cholesky, {Extent::nv, Extent::nv},
                        "L, lower triangular, with M = L^T L: as sparse as the tree"),
        optional_output(Argument::inverse, &Args::inverse, {Extent::nv, Extent::nv},
                        "the inverse of M, full and symmetric"),
        optional_output(Argument::sparse, &Args::sparse, {Extent::nonzeros},
                        "the lower triangle of M with armature: the values of a MassMatrixPattern"),
        optional_output(Argument::sparse_cholesky, &Args::sparse_cholesky, {Extent::nonzeros},
                        "L in the same pattern"));
  }
};

template <class Real>
struct BasicForwardDynamics {
  std::size_t batch = 1;
  std::span<const Real> q;
  std::span<const Real> v;
  std::span<const Real> tau;
  BasicExternalWrenches<Real> f_ext{};  ///< not for the methods of the literature
  ForwardMethod method = ForwardMethod::automatic;
  std::span<Real> qdd;
  std::span<StateStatus> status = {};  ///< out: batch, or empty
  Layout layout = Layout::rows;

  static constexpr auto fields() {
    using Args = BasicForwardDynamics;
    return std::tuple(
        input(Argument::q, &Args::q, {Extent::nq}),
        optional_input(Argument::v, &Args::v, {Extent::nv}),
        optional_input(Argument::tau, &Args::tau, {Extent::nv}), wrenches_field(&Args::f_ext),
        choice_field(&Args::method),
        output(Argument::qdd, &Args::qdd, {Extent::nv}, "accelerations, rad/s^2 or m/s^2"));
  }
};

template <class Real>
struct BasicEnergies {
  std::size_t batch = 1;
  std::span<const Real> q;
  std::span<const Real> v;
  std::span<Real> kinetic = {};
  std::span<Real> potential = {};
  std::span<Real> com = {};
  std::span<StateStatus> status = {};  ///< out: batch, or empty
  Layout layout = Layout::rows;

  static constexpr auto fields() {
    using Args = BasicEnergies;
    return std::tuple(
        input(Argument::q, &Args::q, {Extent::nq}),
        optional_input(Argument::v, &Args::v, {Extent::nv}),
        optional_output(Argument::kinetic, &Args::kinetic, {}, "kinetic energy with armature, J"),
        optional_output(Argument::potential, &Args::potential, {},
                        "potential energy, J, zero at the world's origin"),
        optional_output(Argument::com, &Args::com, {3},
                        "centre of mass of all links, m, in the world"));
  }
};

template <class Real>
struct BasicLinkKinematics {
  std::size_t batch = 1;
  std::span<const Real> q;
  std::span<const int> links;  ///< k indices into Model::links()
  std::span<Real> poses = {};
  std::span<Real> jacobian = {};
  Axes axes = Axes::world;             ///< of the twists in `jacobian`, tau = J^T wrench
  std::span<StateStatus> status = {};  ///< out: batch, or empty
  Layout layout = Layout::rows;

  static constexpr auto fields() {
    using Args = BasicLinkKinematics;
    return std::tuple(
        input(Argument::q, &Args::q, {Extent::nq}), links_field(&Args::links),
        choice_field(&Args::axes),
        optional_output(Argument::poses, &Args::poses, {Extent::links, 7},
                        "x y z (m), quaternion x y z w of the link frames in the world"),
        optional_output(Argument::jacobian, &Args::jacobian, {Extent::links, 6, Extent::nv},
                        "J with twist of the link at its origin = J v, linear rows first"));
  }
};

/// How links move. Accelerations are classical: of the link's origin, without gravity.
///   acceleration = J a + velocity_product
/// with J of BasicLinkKinematics along the same axes. Along the world's axes velocity_product is
/// dJ/dt v; along the link's it is that vector in other coordinates.
template <class Real>
struct BasicLinkMotion {
  std::size_t batch = 1;
  std::span<const Real> q;
  std::span<const Real> v;
  std::span<const Real> a;     ///< counts for `acceleration` only, but must be finite
  std::span<const int> links;  ///< k indices into Model::links()
  std::span<Real> twist = {};
  std::span<Real> acceleration = {};
  std::span<Real> velocity_product = {};
  std::span<Real> jacobian_rate = {};
  Axes axes = Axes::world;             ///< of all results
  std::span<StateStatus> status = {};  ///< out: batch, or empty
  Layout layout = Layout::rows;

  static constexpr auto fields() {
    using Args = BasicLinkMotion;
    return std::tuple(
        input(Argument::q, &Args::q, {Extent::nq}),
        optional_input(Argument::v, &Args::v, {Extent::nv}),
        optional_input(Argument::a, &Args::a, {Extent::nv}), links_field(&Args::links),
        choice_field(&Args::axes),
        optional_output(Argument::twist, &Args::twist, {Extent::links, 6},
                        "velocity of the link's origin (m/s), angular velocity (rad/s)"),
        optional_output(Argument::acceleration, &Args::acceleration, {Extent::links, 6},
                        "acceleration of the link's origin without gravity (m/s^2), angular "
                        "acceleration (rad/s^2)"),
        optional_output(Argument::velocity_product, &Args::velocity_product, {Extent::links, 6},
                        "the part of `acceleration` that does not depend on a: dJ/dt v"),
        optional_output(Argument::jacobian_rate, &Args::jacobian_rate,
                        {Extent::links, 6, Extent::nv}, "dJ/dt, velocity_product = dJ/dt v"));
  }
};

using ExternalWrenches = BasicExternalWrenches<double>;
using InverseDynamics = BasicInverseDynamics<double>;
using Forces = BasicForces<double>;
using MassMatrix = BasicMassMatrix<double>;
using ForwardDynamics = BasicForwardDynamics<double>;
using Energies = BasicEnergies<double>;
using LinkKinematics = BasicLinkKinematics<double>;
using LinkMotion = BasicLinkMotion<double>;

}  // namespace rbd_parallel_core
