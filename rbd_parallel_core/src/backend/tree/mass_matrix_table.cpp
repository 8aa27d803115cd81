// SPDX-License-Identifier: Apache-2.0
#include "mass_matrix_table.hpp"

namespace rbd_parallel_core {

#define RBD_DECLARE_TABLES(set)                                          \
  namespace set {                                                        \
  extern const TreeMassMatrixKernels<double> tree_mass_matrix_of_double; \
  extern const TreeMassMatrixKernels<float> tree_mass_matrix_of_float;   \
  }
RBD_DECLARE_TABLES(baseline)
RBD_DECLARE_TABLES(avx2)
RBD_DECLARE_TABLES(avx512)
#undef RBD_DECLARE_TABLES

template <>
const TreeMassMatrixKernels<double>& tree_mass_matrix_kernels<double>(
    [[maybe_unused]] InstructionSet set) {
#ifdef RBD_HAS_AVX512
  if (set == InstructionSet::avx512) return avx512::tree_mass_matrix_of_double;
#endif
#ifdef RBD_HAS_AVX2
  if (set == InstructionSet::avx2) return avx2::tree_mass_matrix_of_double;
#endif
  return baseline::tree_mass_matrix_of_double;
}

template <>
const TreeMassMatrixKernels<float>& tree_mass_matrix_kernels<float>(
    [[maybe_unused]] InstructionSet set) {
#ifdef RBD_HAS_AVX512
  if (set == InstructionSet::avx512) return avx512::tree_mass_matrix_of_float;
#endif
#ifdef RBD_HAS_AVX2
  if (set == InstructionSet::avx2) return avx2::tree_mass_matrix_of_float;
#endif
  return baseline::tree_mass_matrix_of_float;
}

}  // namespace rbd_parallel_core
