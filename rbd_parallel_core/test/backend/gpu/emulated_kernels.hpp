// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/host/gpu_kernels.hpp"

namespace rbd_parallel_core {

/// All kernels for a CPU in the place of the device; double and float.
template <class Real>
GpuKernels<Real> emulated_kernels();

/// Those of derivatives, compiled by themselves.
template <class Real>
DerivativeEntries<Real> emulated_derivative_entries();

}  // namespace rbd_parallel_core
