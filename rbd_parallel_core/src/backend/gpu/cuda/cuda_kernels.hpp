// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/host/tree_dynamics.hpp"
#include "gpu/kernels/block_launch.hpp"
#include "gpu/kernels/mass_matrix_launch.hpp"
#include "rbd_parallel_core/gpu/kernels/derivative_entries.hpp"
#include "rbd_parallel_core/gpu/kernels/state_entries.hpp"

/// What nvcc compiles: a file each, once for double and once for float (RBD_REAL).
namespace rbd_parallel_core {

/// states.cu
template <class Real>
StateEntries<Real> cuda_state_entries();

/// derivatives.cu
template <class Real>
DerivativeEntries<Real> cuda_derivative_entries();

/// The scan forms; scans.cu.
template <class Real>
std::unique_ptr<TreeDynamics<Real>> make_cuda_scans(const GpuDevice& device,
                                                    const ScanRobot<Real>& robot, bool by_library);

/// Dynamics by blocks; blocks.cu.
template <class Real>
BlockOperations<Real> cuda_blocks();

/// The mass matrix by blocks; mass_matrix.cu.
template <class Real>
MassMatrixOperations<Real> cuda_mass_matrix();

}  // namespace rbd_parallel_core
