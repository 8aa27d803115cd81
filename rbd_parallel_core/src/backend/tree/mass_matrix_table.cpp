// SPDX-License-Identifier: Apache-2.0
#include "mass_matrix_table.hpp"

#include "../kernels/choose_compiled.hpp"
#include "compiled_mass_matrix.hpp"

namespace rbd_parallel_core {

template <class Real>
const TreeMassMatrixKernels<Real>& tree_mass_matrix_kernels(InstructionSet set) {
  RBD_CHOOSE_COMPILED(set, CompiledMassMatrix<Real>::kernels);
}

template const TreeMassMatrixKernels<double>& tree_mass_matrix_kernels<double>(InstructionSet);
template const TreeMassMatrixKernels<float>& tree_mass_matrix_kernels<float>(InstructionSet);

}  // namespace rbd_parallel_core
