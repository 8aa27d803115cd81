// SPDX-License-Identifier: Apache-2.0
#include "cuda_kernels.hpp"
#include "rbd_parallel_core/gpu/cuda_entry.cuh"

namespace rbd_parallel_core {

template <>
StateEntries<float> device_state_entries<float>() {
  return StateEntries<float>::made_by(
      []<class Body>(BodyEntry<Body>& entry) { entry = device_entry<Body>(); });
}

}  // namespace rbd_parallel_core
