// SPDX-License-Identifier: Apache-2.0
// Compiled once for each instruction set; see cmake/instruction_sets.cmake.
#include "pack.hpp"
// The packs must be known before the text that uses them.
#include "batch_kernels.hpp"

namespace rbd_parallel_core::RBD_ISA {

extern constinit const KernelTable<double> pack_kernels_of_double = kernel_table<Pack<double>>();

}  // namespace rbd_parallel_core::RBD_ISA
