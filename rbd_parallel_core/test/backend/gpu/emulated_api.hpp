// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "emulated_launch.hpp"
#include "gpu/host/gpu_api.hpp"

namespace rbd_parallel_core {

/// The emulated device: a CPU with the same buffers, the same grids and the same order of launches,
/// one thread after the other. Its memory is the program's, apart from that of the caller and full
/// of NaN at first. Entries are those of emulated_entry.
const GpuApi& emulated_api();

}  // namespace rbd_parallel_core
