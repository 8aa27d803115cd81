// SPDX-License-Identifier: Apache-2.0
#include "device_entries.hpp"
#include "mass_matrix.hpp"
#include "rbd_parallel_core/cuda/device_entry.cuh"

namespace rbd_parallel_core {

template <>
MassMatrixOperations<double> device_mass_matrix<double>() {
  return GpuMassMatrix<double, DeviceEntries>::operations();
}

}  // namespace rbd_parallel_core
