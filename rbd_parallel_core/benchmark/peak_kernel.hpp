// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace rbd_bench {

struct PeakKernel {
  double (*run)(std::size_t rounds);
  double flops_per_round;
};

}  // namespace rbd_bench
