// SPDX-License-Identifier: Apache-2.0
#include "kernel_table.hpp"

namespace rbd_parallel_core {

#define RBD_DECLARE_TABLES(set)                              \
  namespace set {                                            \
  extern const KernelTable<double> scalar_kernels_of_double; \
  extern const KernelTable<float> scalar_kernels_of_float;   \
  extern const KernelTable<double> pack_kernels_of_double;   \
  extern const KernelTable<float> pack_kernels_of_float;     \
  }
RBD_DECLARE_TABLES(baseline)
RBD_DECLARE_TABLES(avx2)
RBD_DECLARE_TABLES(avx512)
#undef RBD_DECLARE_TABLES

// One state at a time gains nothing from registers wider than those of AVX2.
template <>
const KernelTable<double>& scalar_kernels<double>([[maybe_unused]] InstructionSet set) {
#ifdef RBD_HAS_AVX2
  if (set != InstructionSet::baseline) return avx2::scalar_kernels_of_double;
#endif
  return baseline::scalar_kernels_of_double;
}

template <>
const KernelTable<float>& scalar_kernels<float>([[maybe_unused]] InstructionSet set) {
#ifdef RBD_HAS_AVX2
  if (set != InstructionSet::baseline) return avx2::scalar_kernels_of_float;
#endif
  return baseline::scalar_kernels_of_float;
}

template <>
const KernelTable<double>& pack_kernels<double>([[maybe_unused]] InstructionSet set) {
#ifdef RBD_HAS_AVX512
  if (set == InstructionSet::avx512) return avx512::pack_kernels_of_double;
#endif
#ifdef RBD_HAS_AVX2
  if (set == InstructionSet::avx2) return avx2::pack_kernels_of_double;
#endif
  return baseline::pack_kernels_of_double;
}

template <>
const KernelTable<float>& pack_kernels<float>([[maybe_unused]] InstructionSet set) {
#ifdef RBD_HAS_AVX512
  if (set == InstructionSet::avx512) return avx512::pack_kernels_of_float;
#endif
#ifdef RBD_HAS_AVX2
  if (set == InstructionSet::avx2) return avx2::pack_kernels_of_float;
#endif
  return baseline::pack_kernels_of_float;
}

}  // namespace rbd_parallel_core
