// SPDX-License-Identifier: Apache-2.0
#include "gpu/kernels/gpu_blocks.hpp"

#include "cuda_kernels.hpp"
#include "rbd_parallel_core/gpu/cuda_entry.cuh"

namespace rbd_parallel_core {

template <class Real>
BlockOperations<Real> cuda_blocks() {
  return GpuBlocks<Real, CudaEntries>::operations();
}
template BlockOperations<RBD_REAL> cuda_blocks<RBD_REAL>();

}  // namespace rbd_parallel_core
