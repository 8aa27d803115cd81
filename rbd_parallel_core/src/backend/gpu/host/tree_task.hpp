// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "rbd_parallel_core/operation.hpp"
#include "rbd_parallel_core/spatial/motion_force.hpp"

namespace rbd_parallel_core {

/// What is to be computed of one state of one large tree, its bodies in parallel. All pointers are
/// the device's.
template <class Real>
struct TreeTask {
  /// inverse_dynamics, coriolis_forces, forward_dynamics, mass_matrix or sparse_mass_matrix
  Operation operation;
  const Real* q;
  const Real* v = nullptr;             ///< or null: zeros
  const Real* a = nullptr;             ///< or null: zeros; of forward dynamics the torques
  const Force<Real>* f_ext = nullptr;  ///< on each body, or null: none
  bool again = false;  ///< of the sparse mass matrix: the dense one of the same q came just before
  Real* out = nullptr;

  bool is_matrix() const noexcept {
    return operation == Operation::mass_matrix || operation == Operation::sparse_mass_matrix;
  }

  static constexpr std::size_t kinds_of_operation = 16;
  static constexpr std::size_t kinds = kinds_of_operation * all_operations.size();
  /// Tasks of one kind take the same launches, up to the pointers.
  std::size_t kind() const noexcept {
    const std::size_t given = (v != nullptr ? 1 : 0) + (a != nullptr ? 2 : 0) +
                              (f_ext != nullptr ? 4 : 0) + (again ? 8 : 0);
    return kinds_of_operation * static_cast<std::size_t>(operation) + given;
  }
};

}  // namespace rbd_parallel_core
