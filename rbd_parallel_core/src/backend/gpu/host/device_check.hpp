// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_api.hpp"

/// Whether a device can be used.
namespace rbd_parallel_core {

/// How many devices there are; none without a driver that is new enough.
int usable_devices(const GpuApi& api) noexcept;

/// Throws std::runtime_error that says what is missing: a driver, a newer one, or a device.
void require_device(const GpuApi& api, int device);

/// Throws std::runtime_error unless the device, the current one, can run the kernel: a library has
/// kernels for the devices that it was compiled for, and for newer ones if it brings PTX.
void require_kernel(const GpuApi& api, int device, void (*entry)());

}  // namespace rbd_parallel_core
