// SPDX-License-Identifier: Apache-2.0
#include "emulated_entries.hpp"

namespace rbd_parallel_core {

template <>
GpuKernels<float> host_kernels<float>() {
  return make_host_kernels<float>();
}

}  // namespace rbd_parallel_core
