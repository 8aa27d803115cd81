// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cub_scan.hpp"
#include "rbd_parallel_core/gpu/cuda_entry.cuh"

namespace rbd_parallel_core {

/// CudaEntries with the scans of a library, CUB.
struct CudaScanEntries : CudaEntries {
  template <class T, class Op>
  static int scan(const GpuApi&, GpuApi::Stream stream, void* memory, std::size_t& bytes, T* data,
                  std::int32_t n, const Op& op, const T& neutral) noexcept {
    return cub_exclusive_scan(memory, bytes, data, n, op, neutral, stream);
  }
};

}  // namespace rbd_parallel_core
