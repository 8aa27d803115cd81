// SPDX-License-Identifier: Apache-2.0
// Code for 64-bit ARM, on any processor: the words of its instructions, and code of random graphs
// executed by an emulator of these instructions.
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "../../../src/backend/compiled/neon_encoder.hpp"
#include "../../../src/backend/compiled/neon_words.hpp"
#include "arm64_emulator.hpp"
#include "random_code.hpp"

namespace rbd_parallel_core::compiled {
namespace {

/// What GNU as 2.40 makes of the texts.
TEST(NeonWordsTest, AreThoseOfAnAssembler) {
  using namespace neon;
  const struct {
    const char* text;
    Word expected, actual;
  } all[] = {
      {"fadd v1.2d, v2.2d, v3.2d", 0x4e63d441, registers(fadd.packed_double, 1, 2, 3)},
      {"fadd v31.4s, v17.4s, v8.4s", 0x4e28d63f, registers(fadd.packed_float, 31, 17, 8)},
      {"fadd d30, d9, d16", 0x1e70293e, registers(fadd.one_double, 30, 9, 16)},
      {"fadd s5, s31, s24", 0x1e382be5, registers(fadd.one_float, 5, 31, 24)},
      {"fsub v1.2d, v2.2d, v3.2d", 0x4ee3d441, registers(fsub.packed_double, 1, 2, 3)},
      {"fsub v31.4s, v17.4s, v8.4s", 0x4ea8d63f, registers(fsub.packed_float, 31, 17, 8)},
      {"fsub d30, d9, d16", 0x1e70393e, registers(fsub.one_double, 30, 9, 16)},
      {"fsub s5, s31, s24", 0x1e383be5, registers(fsub.one_float, 5, 31, 24)},
      {"fmul v1.2d, v2.2d, v3.2d", 0x6e63dc41, registers(fmul.packed_double, 1, 2, 3)},
      {"fmul v31.4s, v17.4s, v8.4s", 0x6e28de3f, registers(fmul.packed_float, 31, 17, 8)},
      {"fmul d30, d9, d16", 0x1e70093e, registers(fmul.one_double, 30, 9, 16)},
      {"fmul s5, s31, s24", 0x1e380be5, registers(fmul.one_float, 5, 31, 24)},
      {"fdiv v1.2d, v2.2d, v3.2d", 0x6e63fc41, registers(fdiv.packed_double, 1, 2, 3)},
      {"fdiv v31.4s, v17.4s, v8.4s", 0x6e28fe3f, registers(fdiv.packed_float, 31, 17, 8)},
      {"fdiv d30, d9, d16", 0x1e70193e, registers(fdiv.one_double, 30, 9, 16)},
      {"fdiv s5, s31, s24", 0x1e381be5, registers(fdiv.one_float, 5, 31, 24)},
      {"fmax v1.2d, v2.2d, v3.2d", 0x4e63f441, registers(fmax.packed_double, 1, 2, 3)},
      {"fmax v31.4s, v17.4s, v8.4s", 0x4e28f63f, registers(fmax.packed_float, 31, 17, 8)},
      {"fmax d30, d9, d16", 0x1e70493e, registers(fmax.one_double, 30, 9, 16)},
      {"fmax s5, s31, s24", 0x1e384be5, registers(fmax.one_float, 5, 31, 24)},
      {"fcmgt v1.2d, v2.2d, v3.2d", 0x6ee3e441, registers(fcmgt.packed_double, 1, 2, 3)},
      {"fcmgt v31.4s, v17.4s, v8.4s", 0x6ea8e63f, registers(fcmgt.packed_float, 31, 17, 8)},
      {"fcmgt d30, d9, d16", 0x7ef0e53e, registers(fcmgt.one_double, 30, 9, 16)},
      {"fcmgt s5, s31, s24", 0x7eb8e7e5, registers(fcmgt.one_float, 5, 31, 24)},
      {"fcmge v1.2d, v2.2d, v3.2d", 0x6e63e441, registers(fcmge.packed_double, 1, 2, 3)},
      {"fcmge v31.4s, v17.4s, v8.4s", 0x6e28e63f, registers(fcmge.packed_float, 31, 17, 8)},
      {"fcmge d30, d9, d16", 0x7e70e53e, registers(fcmge.one_double, 30, 9, 16)},
      {"fcmge s5, s31, s24", 0x7e38e7e5, registers(fcmge.one_float, 5, 31, 24)},
      {"fabs v1.2d, v2.2d", 0x4ee0f841, registers(fabs.packed_double, 1, 2)},
      {"fabs v31.4s, v17.4s", 0x4ea0fa3f, registers(fabs.packed_float, 31, 17)},
      {"fabs d30, d9", 0x1e60c13e, registers(fabs.one_double, 30, 9)},
      {"fabs s5, s31", 0x1e20c3e5, registers(fabs.one_float, 5, 31)},
      {"fneg v1.2d, v2.2d", 0x6ee0f841, registers(fneg.packed_double, 1, 2)},
      {"fneg v31.4s, v17.4s", 0x6ea0fa3f, registers(fneg.packed_float, 31, 17)},
      {"fneg d30, d9", 0x1e61413e, registers(fneg.one_double, 30, 9)},
      {"fneg s5, s31", 0x1e2143e5, registers(fneg.one_float, 5, 31)},
      {"fsqrt v1.2d, v2.2d", 0x6ee1f841, registers(fsqrt.packed_double, 1, 2)},
      {"fsqrt v31.4s, v17.4s", 0x6ea1fa3f, registers(fsqrt.packed_float, 31, 17)},
      {"fsqrt d30, d9", 0x1e61c13e, registers(fsqrt.one_double, 30, 9)},
      {"fsqrt s5, s31", 0x1e21c3e5, registers(fsqrt.one_float, 5, 31)},
      {"fmla v4.2d, v21.2d, v10.2d", 0x4e6acea4, registers(fmla.of_double, 4, 21, 10)},
      {"fmla v31.4s, v0.4s, v15.4s", 0x4e2fcc1f, registers(fmla.of_float, 31, 0, 15)},
      {"fmls v4.2d, v21.2d, v10.2d", 0x4eeacea4, registers(fmls.of_double, 4, 21, 10)},
      {"fmls v31.4s, v0.4s, v15.4s", 0x4eafcc1f, registers(fmls.of_float, 31, 0, 15)},
      {"fmadd d4, d21, d10, d31", 0x1f4a7ea4, registers(fmadd.of_double, 4, 21, 10, 31)},
      {"fmadd s31, s1, s16, s12", 0x1f10303f, registers(fmadd.of_float, 31, 1, 16, 12)},
      {"fmsub d4, d21, d10, d31", 0x1f4afea4, registers(fmsub.of_double, 4, 21, 10, 31)},
      {"fmsub s31, s1, s16, s12", 0x1f10b03f, registers(fmsub.of_float, 31, 1, 16, 12)},
      {"fnmadd d4, d21, d10, d31", 0x1f6a7ea4, registers(fnmadd.of_double, 4, 21, 10, 31)},
      {"fnmadd s31, s1, s16, s12", 0x1f30303f, registers(fnmadd.of_float, 31, 1, 16, 12)},
      {"fnmsub d4, d21, d10, d31", 0x1f6afea4, registers(fnmsub.of_double, 4, 21, 10, 31)},
      {"fnmsub s31, s1, s16, s12", 0x1f30b03f, registers(fnmsub.of_float, 31, 1, 16, 12)},
      {"mov v29.16b, v7.16b", 0x4ea71cfd, registers(mov, 29, 7, 7)},
      {"bsl v6.16b, v31.16b, v18.16b", 0x6e721fe6, registers(bsl, 6, 31, 18)},
      {"bit v6.16b, v31.16b, v18.16b", 0x6eb21fe6, registers(bit, 6, 31, 18)},
      {"bif v6.16b, v31.16b, v18.16b", 0x6ef21fe6, registers(bif, 6, 31, 18)},
      {"ldr q31, [x0, #65520]", 0x3dfffc1f, number(registers(ldr.packed_double, 31, 0), 4095)},
      {"ldr q9, [x0, #16]", 0x3dc00409, number(registers(ldr.packed_float, 9, 0), 1)},
      {"ldr d15, [x16, #32760]", 0xfd7ffe0f, number(registers(ldr.one_double, 15, 16), 4095)},
      {"ldr s0, [x0, #8192]", 0xbd600000, number(registers(ldr.one_float, 0, 0), 2048)},
      {"str q31, [x0, #65520]", 0x3dbffc1f, number(registers(str.packed_double, 31, 0), 4095)},
      {"str q9, [x0, #16]", 0x3d800409, number(registers(str.packed_float, 9, 0), 1)},
      {"str d15, [x16, #32760]", 0xfd3ffe0f, number(registers(str.one_double, 15, 16), 4095)},
      {"str s0, [x0, #8192]", 0xbd200000, number(registers(str.one_float, 0, 0), 2048)},
      {"add x16, x0, #4095, lsl #12", 0x917ffc10, number(registers(add_4096, 16, 0), 4095)},
      {"ret", 0xd65f03c0, ret},
  };
  for (const auto& one : all) EXPECT_EQ(one.actual, one.expected) << one.text;
}

std::vector<Target> targets() {
  std::vector<Target> all;
  for (const bool packed : {false, true}) {
    for (const bool is_float : {false, true}) {
      all.push_back({InstructionSet::baseline, packed, is_float, Processor::arm64});
    }
  }
  return all;
}

/// Runs code in the emulator, and collects what it executed.
class Emulated {
 public:
  void operator()(const AllocatedCode& code, const Target& target, std::byte* block) {
    const std::size_t bytes =
        masks_bytes + static_cast<std::size_t>(code.layout.size) * target.scalar_bytes();
    Arm64Emulator emulator({block, bytes});
    emulator.run(encode_neon(code, target));
    EXPECT_TRUE(emulator.kept_callers_registers()) << text_of(target);
    executed_.insert(emulator.executed().begin(), emulator.executed().end());
  }
  const std::set<std::string>& executed() const { return executed_; }

 private:
  std::set<std::string> executed_;
};

std::set<std::string> every_form() {
  std::set<std::string> all{"ret",   "add",   "orr",   "bsl",   "bit",   "bif",
                            "ldr q", "ldr d", "ldr s", "str q", "str d", "str s"};
  const auto add = [&](std::initializer_list<const char*> names, const std::string& on) {
    for (const std::string name : names) all.insert(name + " " + on);
  };
  for (const char* on : {"2d", "4s", "d", "s"}) {
    add({"fadd", "fsub", "fmul", "fdiv", "fmax", "fcmgt", "fcmge", "fabs", "fneg", "fsqrt"}, on);
  }
  for (const char* on : {"2d", "4s"}) add({"fmla", "fmls"}, on);
  for (const char* on : {"d", "s"}) add({"fmadd", "fmsub", "fnmadd", "fnmsub"}, on);
  return all;
}

/// The largest functions work in more memory than an offset of 12 bits reaches.
TEST(NeonCodeTest, ComputesWhatTheGraphDoes) {
  Random random(17);
  Emulated emulated;
  for (const int count : {1, 5, 40, 300, 2000, 20000}) {
    for (int round = 0; round < (count < 100 ? 30 : 2); ++round) {
      const Function function = random_function(random, count);
      for (const Target& target : targets()) expect_same(function, target, random, emulated);
    }
  }
  EXPECT_EQ(emulated.executed(), every_form());
}

/// Addends that are factors too, and factors that are used again: x x - x, x y - x, -x y - x.
TEST(NeonCodeTest, AnAddendMayBeAFactor) {
  Function function;
  Graph& g = function.graph;
  const std::vector<Expr> in = function.add_input("x", 2);
  std::vector<Expr> results;
  for (const bool used_again : {false, true}) {
    for (const bool minus_product : {false, true}) {
      for (const bool minus_addend : {false, true}) {
        for (const bool squared : {false, true}) {
          // A fresh value each time, so that it dies here or is used again.
          const Expr x = g.square_root(g.add(
              g.constant(1 + 0.125 * static_cast<double>(results.size())), g.absolute(in[0])));
          const Expr product = g.multiply(x, squared ? x : in[1]);
          results.push_back(g.add(minus_product ? -product : product, minus_addend ? -x : x));
          if (used_again) results.push_back(g.divide(x, in[1]));
        }
      }
    }
  }
  function.add_output("r", results);
  Random random(5);
  for (const Target& target : targets()) {
    Emulated emulated;
    expect_same(function, target, random, emulated);
  }
}

/// The allocator gives the sum of packs the addend's register, or one that no operand has.
TEST(NeonCodeTest, SumsOfPacksReplaceNoFactor) {
  Random random(29);
  const Function function = random_function(random, 3000);
  const AllocatedCode code =
      allocate_registers(straight_line(function, true), 31, 2, FusedResult::of_addend);
  int sums = 0;
  for (const Instruction& i : code.instructions) {
    if (i.kind != Instruction::Kind::compute || i.step < Step::multiply_add) continue;
    const auto is_result = [&](const Operand& x) { return !x.in_memory && x.index == i.to; };
    EXPECT_TRUE(is_result(i.c) || (!is_result(i.a) && !is_result(i.b)));
    ++sums;
  }
  EXPECT_GT(sums, 100);
}

/// A number that is not finite is seen in the result, whichever operand it is.
TEST(NeonCodeTest, TheMaximumOfNaNIsNaN) {
  AllocatedCode code;
  code.layout.size = 3;
  code.instructions = {{Instruction::Kind::load, {}, 0, {true, 0}, {}},
                       {Instruction::Kind::compute, Step::maximum, 1, {false, 0}, {true, 1}},
                       {Instruction::Kind::store, {}, 2, {false, 1}, {}}};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [a, b] : {std::pair{nan, 1.0}, std::pair{1.0, nan}}) {
    const Target target{InstructionSet::baseline, false, false, Processor::arm64};
    const KernelMemory memory(masks_bytes + 3 * sizeof(double) + 64);
    double* const numbers = reinterpret_cast<double*>(memory.get() + masks_bytes);
    numbers[0] = a;
    numbers[1] = b;
    Emulated()(code, target, memory.get());
    EXPECT_TRUE(std::isnan(numbers[2]));
  }
}

TEST(NeonCodeTest, MemoryBeyondReachIsRefused) {
  const Target target{InstructionSet::baseline, true, false, Processor::arm64};
  AllocatedCode code;
  code.instructions = {{Instruction::Kind::load, {}, 0, {true, (1 << 20) - 9}, {}}};
  EXPECT_NO_THROW(encode_neon(code, target));  // the last of 16 MB
  code.instructions.front().a.index += 1;
  EXPECT_THROW(encode_neon(code, target), std::runtime_error);
}

TEST(NeonCodeTest, CodeForAnotherProcessorDoesNotRun) {
  Target target;
  target.processor = this_processor == Processor::arm64 ? Processor::x86_64 : Processor::arm64;
  EXPECT_THROW(MachineCode({}, target), std::runtime_error);
}

}  // namespace
}  // namespace rbd_parallel_core::compiled
