// SPDX-License-Identifier: Apache-2.0
// Compiled once for each instruction set; see cmake/instruction_sets.cmake.
#include "block_kernels.hpp"
#include "open_rows.hpp"

namespace rbd_parallel_core::RBD_ISA {

extern const BlockTable<double> lone_blocks_of_double =
    block_kernels<double, OpenRows<double, Column>>();
extern const BlockTable<float> lone_blocks_of_float =
    block_kernels<float, OpenRows<float, Column>>();

}  // namespace rbd_parallel_core::RBD_ISA
