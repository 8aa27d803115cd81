// SPDX-License-Identifier: Apache-2.0
// Instructions of x86-64, by asmjit.
#include <asmjit/x86.h>

#include <cstring>
#include <stdexcept>
#include <string>

#include "encoder.hpp"

namespace rbd_parallel_core::compiled {
namespace {

namespace Inst = asmjit::x86::Inst;
using Id = asmjit::InstId;

/// An instruction in its four forms.
struct Forms {
  Id packed_double, packed_float, double_alone, float_alone;
};

class Encoder {
 public:
  Encoder(const AllocatedCode& code, const Target& target) : target_(target) {
    holder_.init(asmjit::Environment::host());
    holder_.attach(&out_);
    holder_.setErrorHandler(&errors_);
    block_ = asmjit::x86::rdi;
    for (const Instruction& instruction : code.instructions) encode(instruction);
    if (vex()) out_.vzeroupper();
    out_.ret();
  }

  std::vector<std::byte> bytes() const {
    const asmjit::CodeBuffer& buffer = holder_.textSection()->buffer();
    std::vector<std::byte> bytes(buffer.size());
    std::memcpy(bytes.data(), buffer.data(), buffer.size());
    return bytes;
  }

 private:
  struct Errors : asmjit::ErrorHandler {
    void handleError(asmjit::Error, const char* message, asmjit::BaseEmitter*) override {
      throw std::runtime_error(std::string("an instruction could not be encoded: ") + message);
    }
  };

  bool vex() const { return target_.set != InstructionSet::baseline; }
  bool wide() const { return target_.packed && target_.set == InstructionSet::avx512; }

  asmjit::x86::Vec reg(std::int32_t index) const {
    const auto id = static_cast<std::uint32_t>(index);
    if (!target_.packed || !vex()) return asmjit::x86::xmm(id);
    if (wide()) return asmjit::x86::zmm(id);
    return asmjit::x86::ymm(id);
  }
  asmjit::x86::Vec scratch() const { return reg(15); }
  asmjit::x86::Mem place(std::int32_t index) const {
    const auto offset = static_cast<std::int32_t>(masks_bytes + static_cast<std::size_t>(index) *
                                                                    target_.scalar_bytes());
    return asmjit::x86::ptr(block_, offset);
  }
  asmjit::x86::Mem mask(int k) const {
    return asmjit::x86::ptr(block_, k * static_cast<int>(mask_bytes));
  }
  asmjit::Operand operand(const Operand& x) const {
    if (x.in_memory) return place(x.index);
    return reg(x.index);
  }
  Id pick(const Forms& forms) const {
    if (target_.packed) return target_.is_float ? forms.packed_float : forms.packed_double;
    return target_.is_float ? forms.float_alone : forms.double_alone;
  }

  void encode(const Instruction& instruction) {
    switch (instruction.kind) {
      case Instruction::Kind::load:
        out_.emit(move_id(), reg(instruction.to), operand(instruction.a));
        break;
      case Instruction::Kind::store:
        out_.emit(move_id(), place(instruction.to), operand(instruction.a));
        break;
      case Instruction::Kind::copy:
        copy(reg(instruction.to), reg(instruction.a.index));
        break;
      case Instruction::Kind::compute:
        compute(instruction);
        break;
    }
  }

  Id move_id() const {
    return vex() ? pick({Inst::kIdVmovapd, Inst::kIdVmovaps, Inst::kIdVmovsd, Inst::kIdVmovss})
                 : pick({Inst::kIdMovapd, Inst::kIdMovaps, Inst::kIdMovsd, Inst::kIdMovss});
  }
  void copy(const asmjit::x86::Vec& to, const asmjit::x86::Vec& from) {
    if (to.id() == from.id()) return;
    out_.emit(vex() ? Inst::kIdVmovaps : Inst::kIdMovaps, to, from);
  }

  void compute(const Instruction& i) {
    switch (i.step) {
      case Step::add:
        return binary(i, {Inst::kIdVaddpd, Inst::kIdVaddps, Inst::kIdVaddsd, Inst::kIdVaddss},
                      {Inst::kIdAddpd, Inst::kIdAddps, Inst::kIdAddsd, Inst::kIdAddss}, true);
      case Step::subtract:
        return binary(i, {Inst::kIdVsubpd, Inst::kIdVsubps, Inst::kIdVsubsd, Inst::kIdVsubss},
                      {Inst::kIdSubpd, Inst::kIdSubps, Inst::kIdSubsd, Inst::kIdSubss}, false);
      case Step::multiply:
        return binary(i, {Inst::kIdVmulpd, Inst::kIdVmulps, Inst::kIdVmulsd, Inst::kIdVmulss},
                      {Inst::kIdMulpd, Inst::kIdMulps, Inst::kIdMulsd, Inst::kIdMulss}, true);
      case Step::divide:
        return binary(i, {Inst::kIdVdivpd, Inst::kIdVdivps, Inst::kIdVdivsd, Inst::kIdVdivss},
                      {Inst::kIdDivpd, Inst::kIdDivps, Inst::kIdDivsd, Inst::kIdDivss}, false);
      case Step::maximum:  // the second where they are equal; which of two zeros does not matter
        return binary(i, {Inst::kIdVmaxpd, Inst::kIdVmaxps, Inst::kIdVmaxsd, Inst::kIdVmaxss},
                      {Inst::kIdMaxpd, Inst::kIdMaxps, Inst::kIdMaxsd, Inst::kIdMaxss}, false);
      case Step::square_root:
        return square_root(i);
      case Step::absolute:
        return bits(i, {Inst::kIdVandpd, Inst::kIdVandps}, {Inst::kIdAndpd, Inst::kIdAndps}, mask(1));
      case Step::negate:
        return bits(i, {Inst::kIdVxorpd, Inst::kIdVxorps}, {Inst::kIdXorpd, Inst::kIdXorps}, mask(0));
      case Step::less:
        return compare(i, 1);
      case Step::less_equal:
        return compare(i, 2);
      case Step::select:
        return select(i);
      default:
        return fused(i);
    }
  }

  /// to = a op b. Without VEX the first operand is also the result.
  void binary(const Instruction& i, const Forms& three, const Forms& two, bool commutes) {
    const asmjit::x86::Vec to = reg(i.to), a = reg(i.a.index);
    if (vex()) {
      out_.emit(pick(three), to, a, operand(i.b));
      return;
    }
    const bool onto_second = !i.b.in_memory && i.b.index == i.to && i.a.index != i.to;
    if (onto_second && commutes) {
      out_.emit(pick(two), to, a);
    } else if (onto_second) {
      copy(scratch(), a);
      out_.emit(pick(two), scratch(), operand(i.b));
      copy(to, scratch());
    } else {
      copy(to, a);
      out_.emit(pick(two), to, operand(i.b));
    }
  }

  void square_root(const Instruction& i) {
    const asmjit::x86::Vec to = reg(i.to), a = reg(i.a.index);
    if (!vex()) {
      out_.emit(pick({Inst::kIdSqrtpd, Inst::kIdSqrtps, Inst::kIdSqrtsd, Inst::kIdSqrtss}), to, a);
    } else if (target_.packed) {
      out_.emit(target_.is_float ? Inst::kIdVsqrtps : Inst::kIdVsqrtpd, to, a);
    } else {
      out_.emit(target_.is_float ? Inst::kIdVsqrtss : Inst::kIdVsqrtsd, to, a, a);
    }
  }

  struct BitForms {
    Id of_double, of_float;
  };
  void bits(const Instruction& i, const BitForms& three, const BitForms& two,
            const asmjit::x86::Mem& with) {
    const asmjit::x86::Vec to = reg(i.to), a = reg(i.a.index);
    if (vex()) {
      out_.emit(target_.is_float ? three.of_float : three.of_double, to, a, with);
      return;
    }
    copy(to, a);
    out_.emit(target_.is_float ? two.of_float : two.of_double, to, with);
  }

  /// predicate: 1 for <, 2 for <=.
  void compare(const Instruction& i, int predicate) {
    const asmjit::x86::Vec to = reg(i.to), a = reg(i.a.index);
    const asmjit::Imm which(predicate);
    const Id three = pick({Inst::kIdVcmppd, Inst::kIdVcmpps, Inst::kIdVcmpsd, Inst::kIdVcmpss});
    if (wide()) {
      out_.emit(three, asmjit::x86::k1, a, operand(i.b), which);
      out_.emit(target_.is_float ? Inst::kIdVpmovm2d : Inst::kIdVpmovm2q, to, asmjit::x86::k1);
    } else if (vex()) {
      out_.emit(three, to, a, operand(i.b), which);
    } else {
      copy(scratch(), a);
      out_.emit(pick({Inst::kIdCmppd, Inst::kIdCmpps, Inst::kIdCmpsd, Inst::kIdCmpss}), scratch(),
                operand(i.b), which);
      copy(to, scratch());
    }
  }

  /// Numbers alone are chosen by the bits of whole registers too: what lies beyond them is not read.
  void select(const Instruction& i) {
    const asmjit::x86::Vec to = reg(i.to), mask = reg(i.a.index), b = reg(i.b.index),
                           c = reg(i.c.index);
    if (wide()) {
      out_.emit(target_.is_float ? Inst::kIdVpmovd2m : Inst::kIdVpmovq2m, asmjit::x86::k1, mask);
      out_.k(asmjit::x86::k1).emit(target_.is_float ? Inst::kIdVblendmps : Inst::kIdVblendmpd, to, c,
                                   b);
    } else if (vex()) {
      out_.emit(target_.is_float ? Inst::kIdVblendvps : Inst::kIdVblendvpd, to, c, b, mask);
    } else {  // ((b ^ c) & mask) ^ c
      copy(scratch(), b);
      out_.emit(Inst::kIdXorps, scratch(), c);
      out_.emit(Inst::kIdAndps, scratch(), mask);
      out_.emit(Inst::kIdXorps, scratch(), c);
      copy(to, scratch());
    }
  }

  /// The fused instructions in the order that their digits tell: 1 is the result's register, 2 and 3 the other
  /// operands; the first two digits are the factors.
  struct Fused {
    Forms f132, f213, f231;
  };
#define RBD_FUSED(name)                                                                       \
  Fused {                                                                                     \
    {Inst::kIdV##name##132pd, Inst::kIdV##name##132ps, Inst::kIdV##name##132sd,               \
     Inst::kIdV##name##132ss},                                                                \
        {Inst::kIdV##name##213pd, Inst::kIdV##name##213ps, Inst::kIdV##name##213sd,           \
         Inst::kIdV##name##213ss},                                                            \
        {Inst::kIdV##name##231pd, Inst::kIdV##name##231ps, Inst::kIdV##name##231sd,           \
         Inst::kIdV##name##231ss},                                                            \
  }
  static Fused forms_of(Step step) {
    switch (step) {
      case Step::multiply_add:
        return RBD_FUSED(fmadd);
      case Step::multiply_subtract:
        return RBD_FUSED(fmsub);
      case Step::negated_multiply_add:
        return RBD_FUSED(fnmadd);
      default:
        return RBD_FUSED(fnmsub);
    }
  }
#undef RBD_FUSED

  /// to is one of a, b, c; only the last operand of an instruction may be in memory.
  void fused(const Instruction& i) {
    const Fused forms = forms_of(i.step);
    const asmjit::x86::Vec to = reg(i.to);
    const auto is_result = [&](const Operand& x) { return !x.in_memory && x.index == i.to; };
    if (is_result(i.c)) {
      const bool swap = i.a.in_memory;
      out_.emit(pick(forms.f231), to, operand(swap ? i.b : i.a), operand(swap ? i.a : i.b));
      return;
    }
    const Operand& other = is_result(i.a) ? i.b : i.a;
    if (other.in_memory) {
      out_.emit(pick(forms.f132), to, operand(i.c), operand(other));
    } else {
      out_.emit(pick(forms.f213), to, operand(other), operand(i.c));
    }
  }

  Target target_;
  asmjit::CodeHolder holder_;
  asmjit::x86::Assembler out_;
  Errors errors_;
  asmjit::x86::Gp block_;
};

}  // namespace

std::vector<std::byte> encode(const AllocatedCode& code, const Target& target) {
  return Encoder(code, target).bytes();
}

}  // namespace rbd_parallel_core::compiled
