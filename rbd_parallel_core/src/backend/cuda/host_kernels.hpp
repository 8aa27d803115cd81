// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blocks.hpp"
#include "gpu_backend.hpp"
#include "scans.hpp"

namespace rbd_parallel_core {

struct HostEntries {
  template <class Body>
  static BodyEntry<Body> of() {
    return host_entry<Body>();
  }
};

/// The scan forms with the CPU in the place of the device.
template <class Real>
std::unique_ptr<TreeDynamics<Real>> make_host_scans(const GpuApi& api, GpuApi::Stream stream,
                                                    const ScanRobot<Real>& robot) {
  return std::make_unique<GpuScans<Real, HostEntries>>(api, stream, robot);
}

/// All kernels with the CPU in the place of the device.
template <class Real>
GpuKernels<Real> host_kernels() {
  return {host_state_entries<Real>(), make_host_scans<Real>,
          GpuBlocks<Real, HostEntries>::operations()};
}

}  // namespace rbd_parallel_core
