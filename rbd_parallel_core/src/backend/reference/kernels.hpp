// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/workspace.hpp"
#include "rbd_parallel_core/backend.hpp"

namespace rbd_parallel_core {

/// What the kernels of the reference backend work on, as plain pointers: the files compiled for an
/// instruction set must not meet containers, whose inline functions the linker would share with the
/// rest.
struct ReferenceContext {
  ModelView<double> model;
  Workspace<double> workspace;
  double* matrix;  ///< nv x nv numbers
  bool friction;
};

/// The kernels, one table for each instruction set. Arguments are checked; there is memory for what
/// they ask.
struct ReferenceKernels {
  void (*inverse_dynamics)(const ReferenceContext&, const InverseDynamics&) noexcept;
  void (*coriolis_forces)(const ReferenceContext&, const Forces&) noexcept;
  void (*mass_matrix)(const ReferenceContext&, const MassMatrix&) noexcept;
  void (*forward_dynamics)(const ReferenceContext&, const ForwardDynamics&) noexcept;
  void (*energies)(const ReferenceContext&, const Energies&) noexcept;
  void (*link_kinematics)(const ReferenceContext&, const LinkKinematics&) noexcept;
};

namespace baseline {
extern const ReferenceKernels reference_kernels;
}
namespace avx2 {
extern const ReferenceKernels reference_kernels;
}

}  // namespace rbd_parallel_core
