// SPDX-License-Identifier: Apache-2.0
#include "cuda_kernels.hpp"
#include "rbd_parallel_core/gpu/cuda_entry.cuh"

namespace rbd_parallel_core {

template <class Real>
StateEntries<Real> cuda_state_entries() {
  return StateEntries<Real>::made_by(
      []<class Body>(BodyEntry<Body>& entry) { entry = cuda_entry<Body>(); });
}
template StateEntries<RBD_REAL> cuda_state_entries<RBD_REAL>();

}  // namespace rbd_parallel_core
