// SPDX-License-Identifier: Apache-2.0
// Compiled once for each number type and instruction set; see cmake/instruction_sets.cmake.
#include "mass_matrix_kernels.hpp"

#include "compiled_mass_matrix.hpp"

namespace rbd_parallel_core::RBD_ISA {

template <>
constinit const TreeMassMatrixKernels<RBD_REAL> CompiledMassMatrix<RBD_REAL>::kernels =
    tree_mass_matrix_table<Pack<RBD_REAL>>();

}  // namespace rbd_parallel_core::RBD_ISA
