// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "rbd_parallel_core/forward_method.hpp"
#include "rbd_parallel_core/operation_fields.hpp"
#include "rbd_parallel_core/status.hpp"

/// What a Backend computes: every operation with its name, its arrays, their sizes and which of
/// them may be left out. This is the only place that says so. The checks of arguments, the
/// conformance suite, the Python module and `cuda` read the fields() below; plugins and `auto` hand
/// whole calls on.
///
/// Arrays are row-major with one state contiguous; units are SI. A new operation needs its name in
/// Operation and operation_names, its arguments with their fields, an OperationTraits, and a public
/// call in BasicBackend.
namespace rbd_parallel_core {

enum class Operation : std::uint8_t {
  inverse_dynamics,
  bias_forces,
  gravity_forces,
  coriolis_forces,
  mass_matrix,  ///< in full, or anything that BasicMassMatrix has
  forward_dynamics,
  /// BasicMassMatrix where only sparse arrays are asked for. The costs differ; the call is
  /// Operation::mass_matrix.
  sparse_mass_matrix,
  energies,
  link_kinematics,
  link_motion,
};

/// In the order of Operation.
inline constexpr std::array<std::string_view, 10> operation_names{
    "inverse_dynamics", "bias_forces",        "gravity_forces", "coriolis_forces", "mass_matrix",
    "forward_dynamics", "sparse_mass_matrix", "energies",       "link_kinematics", "link_motion"};

inline constexpr std::size_t operation_count = operation_names.size();
static_assert(static_cast<std::size_t>(Operation::link_motion) + 1 == operation_count);

inline constexpr auto all_operations = [] {
  std::array<Operation, operation_count> all{};
  for (std::size_t k = 0; k < operation_count; ++k) all[k] = static_cast<Operation>(k);
  return all;
}();

/// Its name as it stands above.
std::string name_of(Operation operation);
std::optional<Operation> operation_of(std::string_view name);

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
                        "the part of `acceleration` that does not depend on a: dJ/dt v"));
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

// ---- which arguments belong to which operation --------------------------------------------------

/// The arguments of a call of `operation`. Operation::sparse_mass_matrix is no call of its own.
template <Operation operation>
struct OperationTraits;
template <template <class> class Args>
struct ArgumentsAre {
  template <class Real>
  using Arguments = Args<Real>;
};
template <>
struct OperationTraits<Operation::inverse_dynamics> : ArgumentsAre<BasicInverseDynamics> {};
template <>
struct OperationTraits<Operation::bias_forces> : ArgumentsAre<BasicForces> {};
template <>
struct OperationTraits<Operation::gravity_forces> : ArgumentsAre<BasicForces> {};
template <>
struct OperationTraits<Operation::coriolis_forces> : ArgumentsAre<BasicForces> {};
template <>
struct OperationTraits<Operation::mass_matrix> : ArgumentsAre<BasicMassMatrix> {};
template <>
struct OperationTraits<Operation::forward_dynamics> : ArgumentsAre<BasicForwardDynamics> {};
template <>
struct OperationTraits<Operation::energies> : ArgumentsAre<BasicEnergies> {};
template <>
struct OperationTraits<Operation::link_kinematics> : ArgumentsAre<BasicLinkKinematics> {};
template <>
struct OperationTraits<Operation::link_motion> : ArgumentsAre<BasicLinkMotion> {};

template <Operation operation, class Real>
using ArgumentsOf = typename OperationTraits<operation>::template Arguments<Real>;

/// An Operation as a type, for overloads.
template <Operation operation>
using OperationTag = std::integral_constant<Operation, operation>;

/// Whether a Backend is called with it; all but Operation::sparse_mass_matrix.
template <Operation operation>
inline constexpr bool is_called = operation != Operation::sparse_mass_matrix;

/// Calls visit(OperationTag) for an operation that a Backend is called with.
template <class Visit>
constexpr void visit_operation(Operation operation, const Visit& visit) {
  const auto visit_if = [&]<Operation candidate>(OperationTag<candidate> tag) {
    if constexpr (is_called<candidate>) {
      if (operation != candidate) return false;
      visit(tag);
      return true;
    } else {
      return false;
    }
  };
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    static_cast<void>((visit_if(OperationTag<static_cast<Operation>(k)>{}) || ...));
  }
  (std::make_index_sequence<operation_count>());
}

/// What a call gets from a backend that does not offer the operation.
constexpr Result not_offered(Operation operation) noexcept {
  return {Code::unsupported, Argument::none, 0, static_cast<std::int64_t>(operation) + 1};
}

// ---- sets of operations -------------------------------------------------------------------------

/// Some of the operations.
class OperationSet {
 public:
  constexpr OperationSet() noexcept = default;
  constexpr OperationSet(std::initializer_list<Operation> operations) noexcept {
    for (const Operation operation : operations) insert(operation);
  }
  static constexpr OperationSet all() noexcept {
    OperationSet set;
    for (const Operation operation : all_operations) set.insert(operation);
    return set;
  }

  constexpr void insert(Operation operation) noexcept { bits_ |= bit(operation); }
  constexpr void erase(Operation operation) noexcept { bits_ &= ~bit(operation); }
  constexpr bool contains(Operation operation) const noexcept {
    return (bits_ & bit(operation)) != 0;
  }
  constexpr OperationSet without(const OperationSet& others) const noexcept {
    OperationSet set = *this;
    set.bits_ &= ~others.bits_;
    return set;
  }
  friend constexpr bool operator==(const OperationSet&, const OperationSet&) = default;

 private:
  static constexpr std::uint64_t bit(Operation operation) noexcept {
    return std::uint64_t{1} << static_cast<unsigned>(operation);
  }
  std::uint64_t bits_ = 0;
};

}  // namespace rbd_parallel_core
