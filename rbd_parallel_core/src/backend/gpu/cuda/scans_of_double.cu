// SPDX-License-Identifier: Apache-2.0
#include "cuda_kernels.hpp"
#include "cuda_scan_entries.cuh"
#include "gpu/kernels/gpu_scans.hpp"

namespace rbd_parallel_core {

template <>
std::unique_ptr<TreeDynamics<double>> make_device_scans<double>(const GpuDevice& device,
                                                                const ScanRobot<double>& robot,
                                                                bool by_library) {
  return std::make_unique<GpuScans<double, DeviceScanEntries>>(device, robot, by_library);
}

}  // namespace rbd_parallel_core
