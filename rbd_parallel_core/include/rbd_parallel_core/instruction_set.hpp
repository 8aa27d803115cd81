// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace rbd_parallel_core {

/// The instruction sets that kernels are compiled for, each containing the ones before.
enum class InstructionSet {
  baseline,  ///< what every processor of the architecture has: SSE2 on x86-64, NEON on 64-bit ARM
  avx2,      ///< AVX2 and FMA
  avx512,    ///< AVX-512 F, CD, DQ, BW and VL
};

std::string name_of(InstructionSet set);

/// Those that were compiled and that this machine has, the best one last. Empty only where a build
/// without baseline runs on a machine that it was not made for.
std::vector<InstructionSet> available_instruction_sets();

/// The one to use: `wanted`; else the one that the environment variable RBD_PARALLEL_ISA names;
/// else the best available one. Throws std::invalid_argument if that is not known or not available.
InstructionSet choose_instruction_set(std::optional<InstructionSet> wanted = std::nullopt);

}  // namespace rbd_parallel_core
