// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "straight_line.hpp"

/// Which values are in which registers. The code is a straight line, so that the next use of every
/// value is known: the register whose value is needed last is the one to take (Belady, 1966).
namespace rbd_parallel_core::compiled {

/// Where an operand is: a register, or a place of the block of memory that the code works in.
struct Operand {
  bool in_memory = false;
  std::int32_t index = -1;
  bool exists() const { return index >= 0; }
};

struct Instruction {
  enum class Kind : std::uint8_t { load, store, copy, compute };
  Kind kind;
  Step step{};
  std::int32_t to;    ///< a register; of a store: a place
  Operand a, b, c{};  ///< of a copy, a store or a load: a alone. At most one is in memory
};

/// The block: places of one Scalar each, in this order. The code reads inputs, sines, cosines and
/// constants, and writes results and slots. Who computes the sines finds the factors and offsets of
/// the angles here.
struct BlockLayout {
  std::int32_t inputs = 0, factors = 0, offsets = 0, angles = 0, sines = 0, cosines = 0,
               constants = 0, results = 0, slots = 0;
  std::int32_t size = 0;
};

struct AllocatedCode {
  std::vector<Instruction> instructions;
  BlockLayout layout;
  int stored = 0, loaded = 0;  ///< values that went to memory for want of registers, and all loads
};

/// Places in the block for a function's values, without slots yet. `padding`: turns are rounded up
/// to a multiple of it, and so many places after the inputs are free: short rows are gathered in
/// whole blocks.
BlockLayout lay_out(const StraightLine& code, std::int32_t padding);

/// Where the result of a fused multiply-add stands.
enum class FusedResult : std::uint8_t {
  of_operand,  ///< in the register of an operand
  of_addend,   ///< in that of the addend, or in one that no operand has
  anywhere,
};

/// A computation whose result may stand in the register of an operand; what is fused stands where
/// `fused` says.
AllocatedCode allocate_registers(const StraightLine& code, int registers, std::int32_t padding,
                                 FusedResult fused = FusedResult::of_operand);

}  // namespace rbd_parallel_core::compiled
