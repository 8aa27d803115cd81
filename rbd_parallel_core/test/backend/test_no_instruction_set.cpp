// SPDX-License-Identifier: Apache-2.0
// The choice of an instruction set as a build sees it that has none that this machine can run:
// compiled here without RBD_HAS_<SET>, in a namespace of its own by another name of the outer one.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#define rbd_parallel_core build_without_baseline
#include "../../src/backend/instruction_set.cpp"
#undef rbd_parallel_core

namespace {

std::string refusal(std::optional<build_without_baseline::InstructionSet> wanted) {
  try {
    build_without_baseline::choose_instruction_set(wanted);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no refusal";
}

TEST(NoInstructionSet, IsRefusedAndSaysWhatToDo) {
  const std::string expected =
      "this machine has none of the instruction sets that the library was compiled for; compile it "
      "with baseline among RBD_INSTRUCTION_SETS";
  EXPECT_TRUE(build_without_baseline::available_instruction_sets().empty());
  EXPECT_EQ(refusal({}), expected);
  EXPECT_EQ(refusal(build_without_baseline::InstructionSet::avx2), expected);
}

}  // namespace
