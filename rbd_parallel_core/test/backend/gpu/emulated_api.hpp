// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/host/gpu_api.hpp"

namespace rbd_parallel_core {

/// A device that is played by the CPU, for tests and for study: same buffers, same grids, same
/// order of launches, one thread after the other. Its memory is the program's, apart from that of
/// the caller and full of NaN at first. Entries are those of host_entry.
const GpuApi& host_api();

}  // namespace rbd_parallel_core
