// SPDX-License-Identifier: Apache-2.0
#include <cub/device/device_scan.cuh>

#include "cub_scan.hpp"
#include "rbd_parallel_core/study/root_coordinates.hpp"

namespace rbd_parallel_core {

template <class T, class Op>
int cub_exclusive_scan(void* memory, std::size_t& bytes, T* data, std::int32_t n, const Op& op,
                       const T& neutral, GpuApi::Stream stream) noexcept {
  const cudaError_t error = cub::DeviceScan::ExclusiveScan(memory, bytes, data, data, op, neutral,
                                                           n, static_cast<cudaStream_t>(stream));
  // As in cuda_api.cpp: whoever calls next shall not be blamed for it.
  if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
  return static_cast<int>(error);
}

/// Has it compiled for scans of T with the group.
#define RBD_CUB_SCAN(T, Group)                                                                  \
  template int cub_exclusive_scan(void*, std::size_t&, T*, std::int32_t, const Combine<Group>&, \
                                  const T&, GpuApi::Stream) noexcept

// All scans of the scan forms.
RBD_CUB_SCAN(Transform<RBD_REAL>, PathProduct<RBD_REAL>);
RBD_CUB_SCAN(Motion<RBD_REAL>, Sum<Motion<RBD_REAL>>);
RBD_CUB_SCAN(Force<RBD_REAL>, Sum<Force<RBD_REAL>>);
RBD_CUB_SCAN(Inertia<RBD_REAL>, Sum<Inertia<RBD_REAL>>);

}  // namespace rbd_parallel_core
