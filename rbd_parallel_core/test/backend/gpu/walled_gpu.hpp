// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/host/gpu_api.hpp"

namespace rbd_parallel_core {

/// A device with a memory of its own, as far as a CPU can play it. The memory of the device is out
/// of the host's reach: who reads or writes it other than by a copy gets a signal. A launch runs in
/// a child process in which heap and stack of the host are out of reach: a kernel that follows a
/// pointer there fails with the error of an illegal address, as on a device. It records nothing.
struct WalledGpu {
  static const GpuApi& api();
};

}  // namespace rbd_parallel_core
