// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/mass_matrix_launch.hpp"
#include "rbd_parallel_core/gpu/kernels/derivative_entries.hpp"
#include "rbd_parallel_core/gpu/kernels/state_entries.hpp"
#include "tree_dynamics.hpp"

namespace rbd_parallel_core {

/// All kernels, of a device or of an emulated one.
template <class Real>
struct GpuKernels {
  StateEntries<Real> states;
  DerivativeEntries<Real> derivatives;
  MakeTreeDynamics<Real> make_scans;
  BlockOperations<Real> blocks;
  MassMatrixOperations<Real> mass_matrix;
};

}  // namespace rbd_parallel_core
