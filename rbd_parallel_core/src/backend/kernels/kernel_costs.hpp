// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "rbd_parallel_core/operation.hpp"

namespace rbd_parallel_core {

/// What one run of the kernels for packs takes, about: enough to judge whether a call is worth
/// several threads. It must not depend on the machine or on earlier calls.
struct KernelCost {
  double ns_per_body = 0;
  double ns_per_entry = 0;  ///< of the lower triangle of M that can differ from zero
};

/// In the order of Operation; measured with AVX2 on arms and humanoids.
inline constexpr std::array<KernelCost, operation_count> kernel_costs{{
    {45, 0},    // inverse_dynamics
    {42, 0},    // bias_forces
    {25, 0},    // gravity_forces
    {42, 0},    // coriolis_forces
    {20, 8},    // mass_matrix
    {85, 0},    // forward_dynamics
    {20, 8},    // sparse_mass_matrix
    {42, 0},    // energies
    {40, 0},    // link_kinematics
    {40, 0},    // link_motion
    {100, 28},  // inverse_dynamics_derivatives
    {200, 65},  // forward_dynamics_derivatives
    {100, 0},   // inverse_dynamics_jvp
    {140, 0},   // inverse_dynamics_vjp
    {280, 0},   // forward_dynamics_jvp
    {300, 0},   // forward_dynamics_vjp
    {90, 25},   // coriolis_matrix
    {60, 0},    // centroidal_momentum
    {50, 100},  // regressor
}};

/// Microseconds of `runs` runs for a robot.
inline double predicted_us(Operation operation, std::size_t bodies, std::size_t entries,
                           std::size_t runs) noexcept {
  const KernelCost& cost = kernel_costs[static_cast<std::size_t>(operation)];
  return 1e-3 * static_cast<double>(runs) *
         (cost.ns_per_body * static_cast<double>(bodies) +
          cost.ns_per_entry * static_cast<double>(entries));
}

}  // namespace rbd_parallel_core
