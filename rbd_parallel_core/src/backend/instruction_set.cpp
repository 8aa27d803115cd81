// SPDX-License-Identifier: Apache-2.0
#include "instruction_set.hpp"

#include <cstdlib>
#include <stdexcept>

namespace rbd_parallel_core {
namespace {

constexpr const char* variable = "RBD_PARALLEL_ISA";

bool available(InstructionSet set) {
  switch (set) {
    case InstructionSet::baseline:
      return true;
    case InstructionSet::avx2:
#ifdef RBD_HAS_AVX2
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
      return false;
#endif
  }
  return false;
}

}  // namespace

std::string name_of(InstructionSet set) {
  return set == InstructionSet::avx2 ? "avx2" : "baseline";
}

InstructionSet choose_instruction_set() {
  const char* asked = std::getenv(variable);
  if (asked == nullptr || *asked == '\0') {
    return available(InstructionSet::avx2) ? InstructionSet::avx2 : InstructionSet::baseline;
  }
  for (const InstructionSet set : {InstructionSet::baseline, InstructionSet::avx2}) {
    if (name_of(set) != asked) continue;
    if (available(set)) return set;
    throw std::invalid_argument(std::string(variable) + " is '" + asked +
                                "', which this machine or build does not have; use baseline");
  }
  throw std::invalid_argument(std::string(variable) + " is '" + asked +
                              "', expected baseline or avx2");
}

}  // namespace rbd_parallel_core
