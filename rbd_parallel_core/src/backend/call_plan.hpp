// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace rbd_parallel_core {

/// How a backend goes about a call.
struct CallPlan {
  std::size_t goes = 1;  ///< how often the kernels run: a go takes one state, or a pack of them
  int threads = 1;       ///< that share the work
};

}  // namespace rbd_parallel_core
