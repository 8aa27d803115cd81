// SPDX-License-Identifier: Apache-2.0
// Compiled once for each instruction set; see cmake/instruction_sets.cmake.
#include "pack.hpp"
// The packs must be known before the text that uses them.
#include "batch_kernels.hpp"

namespace rbd_parallel_core::RBD_ISA {

extern constinit const KernelTable<float> pack_kernels_of_float = kernel_table<Pack<float>>();

}  // namespace rbd_parallel_core::RBD_ISA
