// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace rbd_parallel_core {

/// The instruction sets that kernels are compiled for, each containing the ones before.
enum class InstructionSet { baseline, avx2 };

/// The best one that this machine has; or the one that the environment variable RBD_PARALLEL_ISA
/// names. Throws std::invalid_argument if that is not known, not compiled in, or not what the
/// machine has.
InstructionSet choose_instruction_set();

std::string name_of(InstructionSet set);

}  // namespace rbd_parallel_core
