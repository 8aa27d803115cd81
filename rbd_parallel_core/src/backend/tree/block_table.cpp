// SPDX-License-Identifier: Apache-2.0
#include "block_table.hpp"

#include "../kernels/choose_compiled.hpp"
#include "compiled_blocks.hpp"

namespace rbd_parallel_core {

template <class Real>
const BlockTable<Real>& block_table(InstructionSet set) {
  RBD_CHOOSE_COMPILED(set, CompiledBlocks<Real>::lanes);
}

template const BlockTable<double>& block_table<double>(InstructionSet);
template const BlockTable<float>& block_table<float>(InstructionSet);

}  // namespace rbd_parallel_core
