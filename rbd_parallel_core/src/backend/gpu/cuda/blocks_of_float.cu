// SPDX-License-Identifier: Apache-2.0
#include "cuda_kernels.hpp"
#include "gpu/kernels/gpu_blocks.hpp"
#include "rbd_parallel_core/gpu/cuda_entry.cuh"

namespace rbd_parallel_core {

template <>
BlockOperations<float> device_blocks<float>() {
  return GpuBlocks<float, DeviceEntries>::operations();
}

}  // namespace rbd_parallel_core
