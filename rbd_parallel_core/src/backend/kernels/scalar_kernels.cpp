// SPDX-License-Identifier: Apache-2.0
// Compiled once for each instruction set; see cmake/instruction_sets.cmake.
#include "batch_kernels.hpp"

namespace rbd_parallel_core::RBD_ISA {

extern constinit const KernelTable<double> scalar_kernels_of_double = kernel_table<double>();
extern constinit const KernelTable<float> scalar_kernels_of_float = kernel_table<float>();

}  // namespace rbd_parallel_core::RBD_ISA
