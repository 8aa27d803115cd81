// SPDX-License-Identifier: Apache-2.0
#include "../kernels/choose_compiled.hpp"
#include "compiled_blocks.hpp"

namespace rbd_parallel_core {

// Not for avx512: numbers alone gain nothing from it, as in the kernels of one state.
template <class Real>
const BlockTable<Real>& lone_block_table(InstructionSet set) {
  RBD_CHOOSE_COMPILED(set, CompiledBlocks<Real>::lone);
}

template const BlockTable<double>& lone_block_table<double>(InstructionSet);
template const BlockTable<float>& lone_block_table<float>(InstructionSet);

}  // namespace rbd_parallel_core
