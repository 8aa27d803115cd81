// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/gpu/kernels/launch.hpp"

namespace rbd_parallel_core {

/// The kernel of a Body on a device. One block at a time is enough: asked for more, or for nothing,
/// ptxas saves registers and spills.
template <class Body>
__global__ void __launch_bounds__(largest_block, 1) cuda_kernel(const __grid_constant__ Body body) {
  extern __shared__ double shared_numbers[];
  auto* const shared = reinterpret_cast<std::byte*>(shared_numbers);
  const ThreadIndex at{blockIdx.x, static_cast<std::int32_t>(threadIdx.x),
                       static_cast<std::int32_t>(blockDim.x)};
  body.template run<0>(at, shared);
  if constexpr (Body::phases > 1) {
    static_assert(Body::phases == 2);
    __syncthreads();
    body.template run<1>(at, shared);
  }
}

template <class Body>
BodyEntry<Body> cuda_entry() {
  return {reinterpret_cast<void (*)()>(cuda_kernel<Body>)};
}

/// The kernels of a device, for those who ask for the entry of a body by its type.
struct CudaEntries {
  template <class Body>
  static BodyEntry<Body> of() {
    return cuda_entry<Body>();
  }
};

}  // namespace rbd_parallel_core
