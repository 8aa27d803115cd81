// SPDX-License-Identifier: Apache-2.0
#include "choose_compiled.hpp"
#include "compiled_kernels.hpp"

namespace rbd_parallel_core {

template <class Real>
const KernelTable<Real>& pack_kernels(InstructionSet set) {
  RBD_CHOOSE_COMPILED(set, CompiledKernels<Real>::packs);
}

template const KernelTable<double>& pack_kernels<double>(InstructionSet);
template const KernelTable<float>& pack_kernels<float>(InstructionSet);

}  // namespace rbd_parallel_core
