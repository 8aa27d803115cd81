// SPDX-License-Identifier: Apache-2.0
#include "emulated_kernels.hpp"
#include "emulated_launch.hpp"

namespace rbd_parallel_core {

template <class Real>
DerivativeEntries<Real> emulated_derivative_entries() {
  return DerivativeEntries<Real>::made_by(
      []<class Body>(BodyEntry<Body>& entry) { entry = emulated_entry<Body>(); });
}
template DerivativeEntries<RBD_REAL> emulated_derivative_entries<RBD_REAL>();

}  // namespace rbd_parallel_core
