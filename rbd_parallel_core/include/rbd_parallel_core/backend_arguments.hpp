// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rbd_parallel_core/forward_method.hpp"
#include "rbd_parallel_core/status.hpp"

/// The arguments of the operations of a Backend (backend.hpp says what they mean), apart from it:
/// the kernels read them and know no Backend.
namespace rbd_parallel_core {

/// How the numbers of a batch lie in memory.
enum class Layout : std::uint8_t {
  rows,  ///< one state after the other
  /// Ready for SIMD lanes: for W = Backend::lane_width() states at a time, the first number of all
  /// W, then the second, and so on; coordinate k of state s is at (s / W * n + k) * W + s % W where
  /// a state has n numbers. Arrays hold whole groups, so their sizes are those of the batch rounded
  /// up to a multiple of W; what stands in the lanes without a state does not matter. Only the
  /// status is one for each state as ever.
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

template <class Real>
struct BasicInverseDynamics {
  std::size_t batch = 1;
  std::span<const Real> q;  ///< batch x nq
  std::span<const Real> v;  ///< batch x nv, or empty: zero
  std::span<const Real> a;  ///< batch x nv, or empty: zero
  BasicExternalWrenches<Real> f_ext{};
  std::span<Real> tau;                 ///< out: batch x nv
  std::span<StateStatus> status = {};  ///< out: batch, or empty
  Layout layout = Layout::rows;        ///< of all arrays but the status
};

/// Terms of the equation of motion that depend on q and v only.
template <class Real>
struct BasicForces {
  std::size_t batch = 1;
  std::span<const Real> q;             ///< batch x nq
  std::span<const Real> v;             ///< batch x nv, or empty: zero; not read by gravity_forces
  std::span<Real> tau;                 ///< out: batch x nv
  std::span<StateStatus> status = {};  ///< out: batch, or empty
  Layout layout = Layout::rows;        ///< of all arrays but the status
};

template <class Real>
struct BasicMassMatrix {
  std::size_t batch = 1;
  std::span<const Real> q;  ///< batch x nq
  std::span<Real> mass_matrix =
      {};                         ///< out: batch x nv x nv, full and symmetric, armature included
  std::span<Real> cholesky = {};  ///< out: batch x nv x nv, lower L with M = L^T L
  std::span<Real> inverse = {};   ///< out: batch x nv x nv, full and symmetric
  /// out: batch x nonzeros, the lower triangle of M, armature included: the values of a
  /// MassMatrixPattern
  std::span<Real> sparse = {};
  std::span<Real> sparse_cholesky = {};  ///< out: batch x nonzeros, L in the same pattern
  std::span<StateStatus> status = {};    ///< out: batch, or empty
  Layout layout = Layout::rows;          ///< of all arrays but the status
};

template <class Real>
struct BasicForwardDynamics {
  std::size_t batch = 1;
  std::span<const Real> q;              ///< batch x nq
  std::span<const Real> v;              ///< batch x nv, or empty: zero
  std::span<const Real> tau;            ///< batch x nv, or empty: zero
  BasicExternalWrenches<Real> f_ext{};  ///< not for the methods of the literature
  ForwardMethod method = ForwardMethod::automatic;
  std::span<Real> qdd;                 ///< out: batch x nv
  std::span<StateStatus> status = {};  ///< out: batch, or empty
  Layout layout = Layout::rows;        ///< of all arrays but the status
};

template <class Real>
struct BasicEnergies {
  std::size_t batch = 1;
  std::span<const Real> q;             ///< batch x nq
  std::span<const Real> v;             ///< batch x nv, or empty: zero
  std::span<Real> kinetic = {};        ///< out: batch, J; armature included
  std::span<Real> potential = {};      ///< out: batch, J; zero at the world's origin
  std::span<Real> com = {};            ///< out: batch x 3, m, world frame, of all links
  std::span<StateStatus> status = {};  ///< out: batch, or empty
  Layout layout = Layout::rows;        ///< of all arrays but the status
};

template <class Real>
struct BasicLinkKinematics {
  std::size_t batch = 1;
  std::span<const Real> q;     ///< batch x nq
  std::span<const int> links;  ///< k indices into Model::links()
  std::span<Real> poses = {};  ///< out: batch x k x 7: x y z, quaternion x y z w, in the world
  /// out: batch x k x 6 x nv: twist of the link at its origin = J v, linear rows first
  std::span<Real> jacobian = {};
  /// axes of the twists in `jacobian`, tau = J^T wrench
  Axes axes = Axes::world;
  std::span<StateStatus> status = {};  ///< out: batch, or empty
  Layout layout = Layout::rows;        ///< of all arrays but the status
};

using ExternalWrenches = BasicExternalWrenches<double>;
using InverseDynamics = BasicInverseDynamics<double>;
using Forces = BasicForces<double>;
using MassMatrix = BasicMassMatrix<double>;
using ForwardDynamics = BasicForwardDynamics<double>;
using Energies = BasicEnergies<double>;
using LinkKinematics = BasicLinkKinematics<double>;

}  // namespace rbd_parallel_core
