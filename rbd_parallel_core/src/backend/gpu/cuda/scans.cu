// SPDX-License-Identifier: Apache-2.0
#include "cuda_kernels.hpp"
#include "cuda_scan_entries.cuh"
#include "gpu/kernels/gpu_scans.hpp"

namespace rbd_parallel_core {

template <class Real>
std::unique_ptr<TreeDynamics<Real>> make_cuda_scans(const GpuDevice& device,
                                                    const ScanRobot<Real>& robot, bool by_library) {
  return std::make_unique<GpuScans<Real, CudaScanEntries>>(device, robot, by_library);
}
template std::unique_ptr<TreeDynamics<RBD_REAL>> make_cuda_scans(const GpuDevice& device,
                                                                 const ScanRobot<RBD_REAL>& robot,
                                                                 bool by_library);

}  // namespace rbd_parallel_core
