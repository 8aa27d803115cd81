// SPDX-License-Identifier: Apache-2.0
// Compiled once for each number type and instruction set; see cmake/instruction_sets.cmake.
#include "pack.hpp"
// The packs must be known before the algorithms that use them.
#include "block_kernels.hpp"
#include "compiled_blocks.hpp"

namespace rbd_parallel_core::RBD_ISA {

template <>
constinit const BlockTable<RBD_REAL> CompiledBlocks<RBD_REAL>::lanes =
    block_kernels<Pack<RBD_REAL>>();

}  // namespace rbd_parallel_core::RBD_ISA
