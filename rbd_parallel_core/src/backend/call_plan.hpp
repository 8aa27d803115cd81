// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace rbd_parallel_core {

/// How a backend computes a call.
struct CallPlan {
  std::size_t runs = 1;  ///< of the kernels, each of one state or of a pack of them
  int threads = 1;       ///< that share the work
};

}  // namespace rbd_parallel_core
