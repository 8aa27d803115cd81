// SPDX-License-Identifier: Apache-2.0
// Machine code of random graphs against their evaluation node by node, for every instruction set of
// this machine, both number types, packs and single states.
#include "../../../src/backend/compiled/machine_code.hpp"

#include <gtest/gtest.h>

#include <set>

#include "random_code.hpp"

namespace rbd_parallel_core::compiled {
namespace {

std::vector<Target> targets() {
  std::vector<Target> all;
  for (const InstructionSet set : available_instruction_sets()) {
    for (const bool packed : {false, true}) {
      for (const bool is_float : {false, true}) all.push_back({set, packed, is_float});
    }
  }
  return all;
}

#define RBD_SKIP_WITHOUT_CODE() \
  if (const std::string why = why_no_machine_code(); !why.empty()) GTEST_SKIP() << why

void run(const AllocatedCode& code, const Target& target, std::byte* block) {
  MachineCode(code, target).run(block);
}

TEST(MachineCodeTest, ComputesWhatTheGraphDoes) {
  RBD_SKIP_WITHOUT_CODE();
  Random random(17);
  // The largest one works in more memory than an offset in an instruction of 64-bit ARM reaches.
  for (const int count : {1, 5, 40, 300, 2000, 20000}) {
    for (int round = 0; round < (count < 100 ? 30 : count < 10000 ? 4 : 1); ++round) {
      const Function function = random_function(random, count);
      for (const Target& target : targets()) {
        expect_same(function, target, random, run);
      }
    }
  }
}

/// Every step and every form of a fused step, with operands in registers and in memory, is among
/// what the random functions made.
TEST(MachineCodeTest, RandomFunctionsHaveEveryForm) {
  Random random(17);
  std::set<std::pair<Step, int>> seen;  // which operand is in memory: 0 none, 1 a, 2 b, 3 c
  std::set<Instruction::Kind> kinds;
  for (int round = 0; round < 4; ++round) {
    const Function function = random_function(random, 2000);
    const AllocatedCode code = allocate_registers(straight_line(function, true), 16, 4);
    for (const Instruction& i : code.instructions) {
      kinds.insert(i.kind);
      if (i.kind != Instruction::Kind::compute) continue;
      seen.insert({i.step, i.a.in_memory ? 1 : i.b.in_memory ? 2 : i.c.in_memory ? 3 : 0});
    }
  }
  EXPECT_EQ(kinds.size(), 4u);
  for (const Step step :
       {Step::add, Step::subtract, Step::multiply, Step::divide, Step::square_root, Step::absolute,
        Step::negate, Step::maximum, Step::less, Step::less_equal, Step::select}) {
    EXPECT_TRUE(seen.contains({step, 0})) << static_cast<int>(step);
  }
  for (const Step step : {Step::add, Step::subtract, Step::multiply, Step::divide}) {
    EXPECT_TRUE(seen.contains({step, 2})) << static_cast<int>(step);
  }
  for (const Step step : {Step::multiply_add, Step::multiply_subtract, Step::negated_multiply_add,
                          Step::negated_multiply_subtract}) {
    for (const int memory : {0, 1, 2, 3}) {
      EXPECT_TRUE(seen.contains({step, memory})) << static_cast<int>(step) << " " << memory;
    }
  }
}

TEST(MachineCodeTest, NoInstructionReadsWhatIsNotThere) {
  Random random(23);
  const Function function = random_function(random, 3000);
  for (const int registers : {6, 15, 16, 32}) {
    const StraightLine line = straight_line(function, true);
    const AllocatedCode code = allocate_registers(line, registers, 8);
    std::vector<bool> written(static_cast<std::size_t>(registers), false);
    std::set<std::int32_t> slots;
    const auto read = [&](const Operand& x) {
      if (!x.exists()) return;
      if (!x.in_memory) {
        ASSERT_LT(x.index, registers);
        EXPECT_TRUE(written[static_cast<std::size_t>(x.index)]);
      } else {
        EXPECT_TRUE(x.index < code.layout.results || slots.contains(x.index));
      }
    };
    for (const Instruction& i : code.instructions) {
      read(i.a);
      read(i.b);
      read(i.c);
      EXPECT_LE(i.a.in_memory + i.b.in_memory + i.c.in_memory, 1);
      if (i.kind == Instruction::Kind::store) {
        EXPECT_GE(i.to, code.layout.results);
        slots.insert(i.to);
      } else {
        written[static_cast<std::size_t>(i.to)] = true;
      }
    }
  }
}

TEST(StraightLineTest, AnAngleThatIsNoTurnOfAnInputIsRefused) {
  Function function;
  const std::vector<Expr> x = function.add_input("x", 2);
  const Expr result[] = {function.graph.sine(function.graph.multiply(x[0], x[1]))};
  function.add_output("r", result);
  EXPECT_THROW(straight_line(function, true), std::invalid_argument);
}

}  // namespace
}  // namespace rbd_parallel_core::compiled
