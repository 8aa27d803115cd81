// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/host/gpu_api.hpp"

namespace rbd_parallel_core {

/// CUDA's runtime. Entries are those of cuda_entry.
const GpuApi& cuda_api();

}  // namespace rbd_parallel_core
