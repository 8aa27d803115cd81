// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/host/gpu_backend.hpp"

namespace rbd_parallel_core {

/// All kernels with the CPU in the place of the device.
template <class Real>
GpuKernels<Real> host_kernels();
template <>
GpuKernels<double> host_kernels<double>();
template <>
GpuKernels<float> host_kernels<float>();

}  // namespace rbd_parallel_core
