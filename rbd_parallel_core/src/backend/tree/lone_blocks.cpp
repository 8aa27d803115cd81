// SPDX-License-Identifier: Apache-2.0
// Compiled once for each number type and instruction set; see cmake/instruction_sets.cmake.
#include "block_kernels.hpp"
#include "compiled_blocks.hpp"
#include "open_rows.hpp"

namespace rbd_parallel_core::RBD_ISA {

template <>
constinit const BlockTable<RBD_REAL> CompiledBlocks<RBD_REAL>::lone =
    block_kernels<RBD_REAL, OpenRows<RBD_REAL, Column>>();

}  // namespace rbd_parallel_core::RBD_ISA
