// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/instruction_set.hpp"

#include <array>
#include <cstdlib>
#include <stdexcept>

namespace rbd_parallel_core {
namespace {

constexpr const char* variable = "RBD_PARALLEL_ISA";
constexpr std::array all_sets{InstructionSet::baseline, InstructionSet::avx2,
                              InstructionSet::avx512};

#if defined(RBD_HAS_AVX2) || defined(RBD_HAS_AVX512)
bool machine_has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#endif

/// Compiled, and the machine has it. A build may leave out a set below another one.
bool available(InstructionSet set) {
  switch (set) {
    case InstructionSet::baseline:
#ifdef RBD_HAS_BASELINE
      return true;
#else
      return false;
#endif
    case InstructionSet::avx2:
#ifdef RBD_HAS_AVX2
      return machine_has_avx2();
#else
      return false;
#endif
    case InstructionSet::avx512:
#ifdef RBD_HAS_AVX512
      return machine_has_avx2() && __builtin_cpu_supports("avx512f") &&
             __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#else
      return false;
#endif
  }
  return false;
}

template <class Sets>
std::string listed(const Sets& sets) {
  std::string text;
  for (const InstructionSet set : sets) text += (text.empty() ? "" : ", ") + name_of(set);
  return text;
}

/// The best one, which a machine lacks only if the build left out baseline.
InstructionSet best_available() {
  const std::vector<InstructionSet> sets = available_instruction_sets();
  if (!sets.empty()) return sets.back();
  throw std::invalid_argument(
      "this machine has none of the instruction sets that the library was compiled for; compile "
      "it with baseline among RBD_INSTRUCTION_SETS");
}

InstructionSet require(InstructionSet set, const std::string& who) {
  if (available(set)) return set;
  static_cast<void>(best_available());
  throw std::invalid_argument(who + " is '" + name_of(set) +
                              "', which this machine or build does not have; it has " +
                              listed(available_instruction_sets()));
}

}  // namespace

std::string name_of(InstructionSet set) {
  switch (set) {
    case InstructionSet::avx2:
      return "avx2";
    case InstructionSet::avx512:
      return "avx512";
    default:
      return "baseline";
  }
}

std::vector<InstructionSet> available_instruction_sets() {
  std::vector<InstructionSet> sets;
  for (const InstructionSet set : all_sets) {
    if (available(set)) sets.push_back(set);
  }
  return sets;
}

InstructionSet choose_instruction_set(std::optional<InstructionSet> wanted) {
  if (wanted) return require(*wanted, "instruction_set");
  const char* asked = std::getenv(variable);
  if (asked == nullptr || *asked == '\0') return best_available();
  for (const InstructionSet set : all_sets) {
    if (name_of(set) == asked) return require(set, variable);
  }
  throw std::invalid_argument(std::string(variable) + " is '" + asked + "', expected one of " +
                              listed(all_sets));
}

}  // namespace rbd_parallel_core
