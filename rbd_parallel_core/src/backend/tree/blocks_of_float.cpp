// SPDX-License-Identifier: Apache-2.0
// Compiled once for each instruction set; see cmake/instruction_sets.cmake.
#include "pack.hpp"
// The packs must be known before the text that uses them.
#include "block_kernels.hpp"

namespace rbd_parallel_core::RBD_ISA {

extern const BlockTable<float> blocks_of_float = block_kernels<Pack<float>>();

}  // namespace rbd_parallel_core::RBD_ISA
