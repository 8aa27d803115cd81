// SPDX-License-Identifier: Apache-2.0
#include "blocks.hpp"
#include "device_entries.hpp"
#include "rbd_parallel_core/cuda/device_entry.cuh"

namespace rbd_parallel_core {

template <>
BlockOperations<double> device_blocks<double>() {
  return GpuBlocks<double, DeviceEntries>::operations();
}

}  // namespace rbd_parallel_core
