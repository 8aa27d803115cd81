// SPDX-License-Identifier: Apache-2.0
#include "cuda_kernels.hpp"
#include "gpu/kernels/gpu_mass_matrix.hpp"
#include "rbd_parallel_core/gpu/cuda_entry.cuh"

namespace rbd_parallel_core {

template <class Real>
MassMatrixOperations<Real> cuda_mass_matrix() {
  return GpuMassMatrix<Real, CudaEntries>::operations();
}
template MassMatrixOperations<RBD_REAL> cuda_mass_matrix<RBD_REAL>();

}  // namespace rbd_parallel_core
