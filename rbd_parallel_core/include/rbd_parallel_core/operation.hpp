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

#include "rbd_parallel_core/derivative_arguments.hpp"
#include "rbd_parallel_core/operation_arguments.hpp"

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
  inverse_dynamics_derivatives,
  forward_dynamics_derivatives,
  inverse_dynamics_jvp,
  inverse_dynamics_vjp,
  forward_dynamics_jvp,
  forward_dynamics_vjp,
  coriolis_matrix,
  centroidal_momentum,
  regressor,
};

/// In the order of Operation.
inline constexpr std::array<std::string_view, 19> operation_names{"inverse_dynamics",
                                                                  "bias_forces",
                                                                  "gravity_forces",
                                                                  "coriolis_forces",
                                                                  "mass_matrix",
                                                                  "forward_dynamics",
                                                                  "sparse_mass_matrix",
                                                                  "energies",
                                                                  "link_kinematics",
                                                                  "link_motion",
                                                                  "inverse_dynamics_derivatives",
                                                                  "forward_dynamics_derivatives",
                                                                  "inverse_dynamics_jvp",
                                                                  "inverse_dynamics_vjp",
                                                                  "forward_dynamics_jvp",
                                                                  "forward_dynamics_vjp",
                                                                  "coriolis_matrix",
                                                                  "centroidal_momentum",
                                                                  "regressor"};

inline constexpr std::size_t operation_count = operation_names.size();
static_assert(static_cast<std::size_t>(Operation::regressor) + 1 == operation_count);

inline constexpr auto all_operations = [] {
  std::array<Operation, operation_count> all{};
  for (std::size_t k = 0; k < operation_count; ++k) all[k] = static_cast<Operation>(k);
  return all;
}();

/// Its name as it stands above.
std::string name_of(Operation operation);
std::optional<Operation> operation_of(std::string_view name);

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
template <>
struct OperationTraits<Operation::inverse_dynamics_derivatives>
    : ArgumentsAre<BasicInverseDynamicsDerivatives> {};
template <>
struct OperationTraits<Operation::forward_dynamics_derivatives>
    : ArgumentsAre<BasicForwardDynamicsDerivatives> {};
template <>
struct OperationTraits<Operation::inverse_dynamics_jvp> : ArgumentsAre<BasicInverseDynamicsJvp> {};
template <>
struct OperationTraits<Operation::inverse_dynamics_vjp> : ArgumentsAre<BasicInverseDynamicsVjp> {};
template <>
struct OperationTraits<Operation::forward_dynamics_jvp> : ArgumentsAre<BasicForwardDynamicsJvp> {};
template <>
struct OperationTraits<Operation::forward_dynamics_vjp> : ArgumentsAre<BasicForwardDynamicsVjp> {};
template <>
struct OperationTraits<Operation::coriolis_matrix> : ArgumentsAre<BasicCoriolisMatrix> {};
template <>
struct OperationTraits<Operation::centroidal_momentum> : ArgumentsAre<BasicCentroidalMomentum> {};
template <>
struct OperationTraits<Operation::regressor> : ArgumentsAre<BasicRegressor> {};

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

/// Whether a call keeps matrices of nv x nv while it computes, whatever is asked for. M and the
/// methods of forward dynamics have rules of their own.
constexpr bool keeps_matrices(Operation operation) noexcept {
  switch (operation) {
    case Operation::inverse_dynamics_derivatives:
    case Operation::forward_dynamics_derivatives:
    case Operation::coriolis_matrix:
    case Operation::centroidal_momentum:
    case Operation::regressor:
      return true;
    default:
      return false;
  }
}

/// What a call gets that keeps larger matrices than the backend has room for.
constexpr Result too_large(Operation operation, std::int32_t largest_nv, std::int32_t nv) noexcept {
  return {Code::unsupported, Argument::none, (std::int64_t{largest_nv} << 32) + nv,
          static_cast<std::int64_t>(operation) + 1};
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
