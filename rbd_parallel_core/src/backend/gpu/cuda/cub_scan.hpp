// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/host/gpu_api.hpp"

namespace rbd_parallel_core {

/// The exclusive scan of CUB (cub::DeviceScan), in place. It goes through the data once, but in
/// which order it combines them is left to the threads: the bits of a result can differ from run to
/// run. For the groups of the scan forms, in a file of its own (cub_scans.cu).
///
/// memory: of the device, for its own use. Null: nothing is queued, and `bytes` becomes how much of
/// it n elements take. Returns 0, or the number of an error of CUDA.
template <class T, class Op>
int cub_exclusive_scan(void* memory, std::size_t& bytes, T* data, std::int32_t n, const Op& op,
                       const T& neutral, GpuApi::Stream stream) noexcept;

}  // namespace rbd_parallel_core
