// SPDX-License-Identifier: Apache-2.0
#include "../kernels/choose_compiled.hpp"
#include "code_kernels.hpp"

namespace rbd_parallel_core::compiled {

template <class Real>
const CodeKernels<Real>& pack_code_kernels(InstructionSet set) {
  RBD_CHOOSE_COMPILED(set, CompiledCodeKernels<Real>::packs);
}
template <class Real>
const CodeKernels<Real>& scalar_code_kernels(InstructionSet set) {
  RBD_CHOOSE_COMPILED(set, CompiledCodeKernels<Real>::scalars);
}

template const CodeKernels<double>& pack_code_kernels<double>(InstructionSet);
template const CodeKernels<float>& pack_code_kernels<float>(InstructionSet);
template const CodeKernels<double>& scalar_code_kernels<double>(InstructionSet);
template const CodeKernels<float>& scalar_code_kernels<float>(InstructionSet);

}  // namespace rbd_parallel_core::compiled
