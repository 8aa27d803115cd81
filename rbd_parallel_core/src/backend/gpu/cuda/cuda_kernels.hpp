// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/host/tree_dynamics.hpp"
#include "gpu/kernels/block_launch.hpp"
#include "gpu/kernels/mass_matrix_launch.hpp"
#include "rbd_parallel_core/gpu/kernels/state_entries.hpp"

namespace rbd_parallel_core {

/// The kernels of a device.
template <class Real>
StateEntries<Real> device_state_entries();
template <>
StateEntries<double> device_state_entries<double>();
template <>
StateEntries<float> device_state_entries<float>();

/// The scan forms on a device.
template <class Real>
std::unique_ptr<TreeDynamics<Real>> make_device_scans(const GpuDevice& device,
                                                      const ScanRobot<Real>& robot,
                                                      bool by_library);
template <>
std::unique_ptr<TreeDynamics<double>> make_device_scans<double>(const GpuDevice& device,
                                                                const ScanRobot<double>& robot,
                                                                bool by_library);
template <>
std::unique_ptr<TreeDynamics<float>> make_device_scans<float>(const GpuDevice& device,
                                                              const ScanRobot<float>& robot,
                                                              bool by_library);

/// Dynamics by blocks on a device.
template <class Real>
BlockOperations<Real> device_blocks();
template <>
BlockOperations<double> device_blocks<double>();
template <>
BlockOperations<float> device_blocks<float>();

/// The mass matrix by blocks on a device.
template <class Real>
MassMatrixOperations<Real> device_mass_matrix();
template <>
MassMatrixOperations<double> device_mass_matrix<double>();
template <>
MassMatrixOperations<float> device_mass_matrix<float>();

}  // namespace rbd_parallel_core
