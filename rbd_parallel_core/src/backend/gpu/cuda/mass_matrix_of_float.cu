// SPDX-License-Identifier: Apache-2.0
#include "cuda_kernels.hpp"
#include "gpu/kernels/gpu_mass_matrix.hpp"
#include "rbd_parallel_core/gpu/cuda_entry.cuh"

namespace rbd_parallel_core {

template <>
MassMatrixOperations<float> device_mass_matrix<float>() {
  return GpuMassMatrix<float, DeviceEntries>::operations();
}

}  // namespace rbd_parallel_core
