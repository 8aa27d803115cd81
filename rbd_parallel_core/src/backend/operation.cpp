// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/operation.hpp"

namespace rbd_parallel_core {

std::string name_of(Operation operation) {
  switch (operation) {
    case Operation::inverse_dynamics:
      return "inverse_dynamics";
    case Operation::bias_forces:
      return "bias_forces";
    case Operation::gravity_forces:
      return "gravity_forces";
    case Operation::coriolis_forces:
      return "coriolis_forces";
    case Operation::mass_matrix:
      return "mass_matrix";
    case Operation::forward_dynamics:
      return "forward_dynamics";
    case Operation::sparse_mass_matrix:
      return "sparse_mass_matrix";
    case Operation::energies:
      return "energies";
    default:
      return "link_kinematics";
  }
}

std::optional<Operation> operation_of(std::string_view name) {
  for (const Operation operation : all_operations) {
    if (name_of(operation) == name) return operation;
  }
  return std::nullopt;
}

}  // namespace rbd_parallel_core
