// SPDX-License-Identifier: Apache-2.0
// Compiled once for each instruction set; see cmake/instruction_sets.cmake.
#include "mass_matrix_kernels.hpp"

namespace rbd_parallel_core::RBD_ISA {

extern const TreeMassMatrixKernels<double> tree_mass_matrix_of_double =
    tree_mass_matrix_table<Pack<double>>();
extern const TreeMassMatrixKernels<float> tree_mass_matrix_of_float =
    tree_mass_matrix_table<Pack<float>>();

}  // namespace rbd_parallel_core::RBD_ISA
