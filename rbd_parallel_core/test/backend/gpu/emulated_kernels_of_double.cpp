// SPDX-License-Identifier: Apache-2.0
#include "emulated_entries.hpp"

namespace rbd_parallel_core {

template <>
GpuKernels<double> host_kernels<double>() {
  return make_host_kernels<double>();
}

}  // namespace rbd_parallel_core
