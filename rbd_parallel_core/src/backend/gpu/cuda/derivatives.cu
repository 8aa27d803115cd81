// SPDX-License-Identifier: Apache-2.0
#include "cuda_kernels.hpp"
#include "rbd_parallel_core/gpu/cuda_entry.cuh"

namespace rbd_parallel_core {

template <class Real>
DerivativeEntries<Real> cuda_derivative_entries() {
  return DerivativeEntries<Real>::made_by(
      []<class Body>(BodyEntry<Body>& entry) { entry = cuda_entry<Body>(); });
}
template DerivativeEntries<RBD_REAL> cuda_derivative_entries<RBD_REAL>();

}  // namespace rbd_parallel_core
