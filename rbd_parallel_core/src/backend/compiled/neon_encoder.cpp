// SPDX-License-Identifier: Apache-2.0
// Instructions of 64-bit ARM. They compute on registers only: what is in memory is loaded first.
#include "neon_encoder.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "neon_words.hpp"

namespace rbd_parallel_core::compiled {
namespace {

using neon::Word;

/// A function may use v0 to v7 and v16 to v31 as it likes; of v8 to v15 its caller gets the lower
/// halves back (Procedure Call Standard for the Arm 64-bit Architecture, 6.1.2). So these are taken
/// last, and v31 is the encoder's.
constexpr Word scratch = 31;
constexpr int unsaved = 23;
constexpr Word first_saved = 8;

Word register_number(std::int32_t index) {
  const auto k = static_cast<Word>(index);
  if (index < 8) return k;
  return index < unsaved ? k + 8 : k - unsaved + first_saved;
}

constexpr Word block = 0;           ///< x0: the argument
constexpr Word far_in_block = 16;   ///< x16, which any function may use
constexpr std::size_t page = 4096;  ///< places of 12 bits, or the unit of neon::add_4096

class NeonEncoder {
 public:
  NeonEncoder(const AllocatedCode& code, const Target& target) : target_(target) {
    text_.reserve(4 * (2 * code.instructions.size() + 20));
    const int saved = std::max(registers_of(code) - unsaved, 0);
    for_each_saved(saved, neon::str.one_double);
    for (const Instruction& instruction : code.instructions) encode(instruction);
    for_each_saved(saved, neon::ldr.one_double);
    emit(neon::ret);
  }
  std::vector<std::byte> take() { return std::move(text_); }

 private:
  static int registers_of(const AllocatedCode& code) {
    std::int32_t last = -1;
    for (const Instruction& i : code.instructions) {
      if (i.kind != Instruction::Kind::store) last = std::max(last, i.to);
    }
    return last + 1;
  }
  /// The caller's registers are kept where masks are on other processors: this one has instructions
  /// for signs and absolute values.
  void for_each_saved(int count, Word move) {
    for (Word k = 0; k < static_cast<Word>(count); ++k) {
      emit(neon::number(neon::registers(move, first_saved + k, block), k));
    }
  }

  /// Words are little-endian whatever the data are.
  void emit(Word word) {
    for (int byte = 0; byte < 4; ++byte) text_.push_back(static_cast<std::byte>(word >> 8 * byte));
  }
  Word pick(const neon::Forms& forms) const { return forms.pick(target_.packed, target_.is_float); }
  Word reg(const Operand& x) const { return register_number(x.index); }

  /// Loads or stores a place. Those beyond the reach of an offset of 12 bits are addressed by a
  /// register that stays where it is while they are near each other.
  void move(const neon::Forms& forms, Word data, std::int32_t place) {
    const std::size_t unit = target_.scalar_bytes(), reach = page * unit;
    const std::size_t offset = masks_bytes + static_cast<std::size_t>(place) * unit;
    const std::size_t start = offset / reach * reach;
    if (start != 0 && start != far_) {
      if (start / page >= page) {
        throw std::runtime_error("code for this processor works in 16 MB at most, and needs " +
                                 std::to_string(offset) + " bytes");
      }
      emit(neon::number(neon::registers(neon::add_4096, far_in_block, block),
                        static_cast<Word>(start / page)));
      far_ = start;
    }
    const Word base = start == 0 ? block : far_in_block;
    emit(neon::number(neon::registers(pick(forms), data, base),
                      static_cast<Word>((offset - start) / unit)));
  }
  void copy(Word to, Word from) {
    if (to != from) emit(neon::registers(neon::mov, to, from, from));
  }
  /// The register that an operand is in. One of an instruction's may be in memory.
  Word loaded(const Operand& x) {
    if (!x.in_memory) return reg(x);
    move(neon::ldr, scratch, x.index);
    return scratch;
  }

  void encode(const Instruction& i) {
    switch (i.kind) {
      case Instruction::Kind::load:
        return move(neon::ldr, register_number(i.to), i.a.index);
      case Instruction::Kind::store:
        return move(neon::str, reg(i.a), i.to);
      case Instruction::Kind::copy:
        return copy(register_number(i.to), reg(i.a));
      case Instruction::Kind::compute:
        return compute(i);
    }
  }

  void compute(const Instruction& i) {
    switch (i.step) {
      case Step::add:
        return binary(i, neon::fadd);
      case Step::subtract:
        return binary(i, neon::fsub);
      case Step::multiply:
        return binary(i, neon::fmul);
      case Step::divide:
        return binary(i, neon::fdiv);
      case Step::maximum:  // NaN where one is, so that it is seen in the results
        return binary(i, neon::fmax);
      case Step::square_root:
        return unary(i, neon::fsqrt);
      case Step::absolute:
        return unary(i, neon::fabs);
      case Step::negate:
        return unary(i, neon::fneg);
      case Step::less:
        return greater(i, neon::fcmgt);
      case Step::less_equal:
        return greater(i, neon::fcmge);
      case Step::select:
        return select(i);
      case Step::multiply_add:
        return target_.packed ? accumulate(i, neon::fmla, false) : fused(i, neon::fmadd);
      case Step::multiply_subtract:
        return target_.packed ? accumulate(i, neon::fmla, true) : fused(i, neon::fnmsub);
      case Step::negated_multiply_add:
        return target_.packed ? accumulate(i, neon::fmls, false) : fused(i, neon::fmsub);
      case Step::negated_multiply_subtract:
        return target_.packed ? accumulate(i, neon::fmls, true) : fused(i, neon::fnmadd);
    }
  }

  void unary(const Instruction& i, const neon::Forms& forms) {
    emit(neon::registers(pick(forms), register_number(i.to), loaded(i.a)));
  }
  void binary(const Instruction& i, const neon::Forms& forms) {
    const Word a = loaded(i.a), b = loaded(i.b);
    emit(neon::registers(pick(forms), register_number(i.to), a, b));
  }
  /// a < b is b > a.
  void greater(const Instruction& i, const neon::Forms& forms) {
    const Word a = loaded(i.a), b = loaded(i.b);
    emit(neon::registers(pick(forms), register_number(i.to), b, a));
  }

  /// By the bits of whole registers, of one number too: what lies beyond it is not read. Which
  /// instruction: the one whose result replaces the right operand.
  void select(const Instruction& i) {
    const Word to = register_number(i.to), mask = loaded(i.a), b = loaded(i.b), c = loaded(i.c);
    if (to == c) {
      emit(neon::registers(neon::bit, to, b, mask));
    } else if (to == b) {
      emit(neon::registers(neon::bif, to, c, mask));
    } else {
      copy(to, mask);
      emit(neon::registers(neon::bsl, to, b, c));
    }
  }

  /// One number: any registers.
  void fused(const Instruction& i, const neon::Pair& pair) {
    const Word a = loaded(i.a), b = loaded(i.b), c = loaded(i.c);
    emit(neon::registers(pair.pick(target_.is_float), register_number(i.to), a, b, c));
  }

  /// Packs: the addend, or minus it, is brought to where the sum will be. That is no factor's
  /// register, unless a factor is the addend; then no operand is in memory.
  void accumulate(const Instruction& i, const neon::Pair& pair, bool minus_addend) {
    const Word to = register_number(i.to), a = loaded(i.a), b = loaded(i.b);
    const bool of_factor = minus_addend && (to == a || to == b);
    const Word sum = of_factor ? scratch : to;
    Word addend = sum;
    if (i.c.in_memory) {
      move(neon::ldr, sum, i.c.index);
    } else {
      addend = reg(i.c);
    }
    if (minus_addend) {
      emit(neon::registers(pick(neon::fneg), sum, addend));
    } else {
      copy(sum, addend);
    }
    emit(neon::registers(pair.pick(target_.is_float), sum, a, b));
    copy(to, sum);
  }

  Target target_;
  std::vector<std::byte> text_;
  std::size_t far_ = 0;  ///< where in the block x16 points to; 0: nowhere yet
};

}  // namespace

std::vector<std::byte> encode_neon(const AllocatedCode& code, const Target& target) {
  return NeonEncoder(code, target).take();
}

}  // namespace rbd_parallel_core::compiled
