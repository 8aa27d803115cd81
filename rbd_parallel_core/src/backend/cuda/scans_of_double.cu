// SPDX-License-Identifier: Apache-2.0
#include "device_entries.hpp"
#include "rbd_parallel_core/cuda/device_entry.cuh"
#include "scans.hpp"

namespace rbd_parallel_core {
namespace {

struct DeviceEntries {
  template <class Body>
  static BodyEntry<Body> of() {
    return device_entry<Body>();
  }
};

}  // namespace

template <>
std::unique_ptr<TreeDynamics<double>> make_device_scans<double>(const GpuApi& api,
                                                                GpuApi::Stream stream,
                                                                const ScanRobot<double>& robot) {
  return std::make_unique<GpuScans<double, DeviceEntries>>(api, stream, robot);
}

}  // namespace rbd_parallel_core
