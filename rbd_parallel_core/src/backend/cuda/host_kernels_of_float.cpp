// SPDX-License-Identifier: Apache-2.0
#include "host_kernels_text.hpp"

namespace rbd_parallel_core {

template <>
GpuKernels<float> host_kernels<float>() {
  return make_host_kernels<float>();
}

}  // namespace rbd_parallel_core
