// SPDX-License-Identifier: Apache-2.0
#include "cub_scan.cuh"

namespace rbd_parallel_core {

RBD_CUB_SCANS(float);

}  // namespace rbd_parallel_core
