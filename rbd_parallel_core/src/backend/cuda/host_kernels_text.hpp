// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blocks.hpp"
#include "host_kernels.hpp"
#include "mass_matrix.hpp"
#include "scans.hpp"

/// Included by the files that compile all kernels for a CPU.
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

template <class Real>
GpuKernels<Real> make_host_kernels() {
  return {host_state_entries<Real>(), make_host_scans<Real>,
          GpuBlocks<Real, HostEntries>::operations(),
          GpuMassMatrix<Real, HostEntries>::operations()};
}

}  // namespace rbd_parallel_core
