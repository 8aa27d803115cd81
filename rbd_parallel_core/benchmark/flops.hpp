// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operation.hpp"
#include "rbd_parallel_core/model/model.hpp"

namespace rbd_bench {

// The floating-point operations of our kernels for one state, counted by running them with a number
// that counts: one for + - * / and the square root, two for a fused multiply-add. Signs,
// comparisons and selections count nothing. Sines and cosines count as their polynomials, the check
// for numbers that are not finite as the additions it is made of.
double count_flops(Operation operation, const rbd_parallel_core::Model& model);

}  // namespace rbd_bench
