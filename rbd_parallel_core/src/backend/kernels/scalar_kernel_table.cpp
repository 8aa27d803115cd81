// SPDX-License-Identifier: Apache-2.0
#include "choose_compiled.hpp"
#include "compiled_kernels.hpp"

namespace rbd_parallel_core {

// Not for avx512: one state at a time gains nothing from registers wider than those of AVX2.
template <class Real>
const KernelTable<Real>& scalar_kernels(InstructionSet set) {
  RBD_CHOOSE_COMPILED(set, CompiledKernels<Real>::scalars);
}

template const KernelTable<double>& scalar_kernels<double>(InstructionSet);
template const KernelTable<float>& scalar_kernels<float>(InstructionSet);

}  // namespace rbd_parallel_core
