// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace rbd_parallel_core {

/// What a Backend computes.
enum class Operation {
  inverse_dynamics,
  bias_forces,
  gravity_forces,
  coriolis_forces,
  mass_matrix,  ///< in full
  forward_dynamics,
  sparse_mass_matrix,  ///< the entries that can differ from zero
  energies,
  link_kinematics,
};

inline constexpr std::array all_operations{
    Operation::inverse_dynamics,   Operation::bias_forces, Operation::gravity_forces,
    Operation::coriolis_forces,    Operation::mass_matrix, Operation::forward_dynamics,
    Operation::sparse_mass_matrix, Operation::energies,    Operation::link_kinematics};

/// Its name as it stands above.
std::string name_of(Operation operation);
std::optional<Operation> operation_of(std::string_view name);

}  // namespace rbd_parallel_core
