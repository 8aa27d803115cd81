// SPDX-License-Identifier: Apache-2.0
// Compiled once for each number type and instruction set; see cmake/instruction_sets.cmake.
#include "batch_kernels.hpp"
#include "compiled_kernels.hpp"

namespace rbd_parallel_core::RBD_ISA {

template <>
constinit const KernelTable<RBD_REAL> CompiledKernels<RBD_REAL>::scalars = kernel_table<RBD_REAL>();

}  // namespace rbd_parallel_core::RBD_ISA
