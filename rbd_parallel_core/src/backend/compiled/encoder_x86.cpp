// SPDX-License-Identifier: Apache-2.0
// Instructions of x86-64, by xbyak.
#include <xbyak/xbyak.h>

#include <stdexcept>
#include <string>

#include "encoder.hpp"

namespace rbd_parallel_core::compiled {
namespace {

using Out = Xbyak::CodeGenerator;
using Xbyak::Address;
using Xbyak::Opmask;
using Xbyak::Xmm;
using Register = Xmm;  // of any width: that is a property of the value

/// An instruction in its four forms: packed double and float, a double and a float alone.
template <class Method>
struct Forms {
  Method pd, ps, sd, ss;
};
using Two = Forms<void (Out::*)(const Xmm&, const Xbyak::Operand&)>;
using Three = Forms<void (Out::*)(const Xmm&, const Xbyak::Operand&, const Xbyak::Operand&)>;
using Fused = Forms<void (Out::*)(const Xmm&, const Xmm&, const Xbyak::Operand&)>;
using Compare = Forms<void (Out::*)(const Xmm&, const Xmm&, const Xbyak::Operand&, std::uint8_t)>;
using CompareToMask =
    Forms<void (Out::*)(const Opmask&, const Xmm&, const Xbyak::Operand&, std::uint8_t)>;
using CompareTwo = Forms<void (Out::*)(const Xmm&, const Xbyak::Operand&, std::uint8_t)>;

/// The forms of `name`, of a method type that picks among overloads.
#define RBD_FORMS(Type, name) \
  Type { &Out::name##pd, &Out::name##ps, &Out::name##sd, &Out::name##ss }

class Encoder {
 public:
  Encoder(const AllocatedCode& code, const Target& target)
      : target_(target),
        // No instruction of x86 is longer than 15 bytes, and a line is three of them at most.
        buffer_(48 * code.instructions.size() + 64),
        out_(buffer_.size(), buffer_.data()) {
    for (const Instruction& instruction : code.instructions) encode(instruction);
    if (vex()) out_.vzeroupper();
    out_.ret();
    buffer_.resize(out_.getSize());
  }
  std::vector<std::byte> take() { return std::move(buffer_); }

 private:
  bool vex() const { return target_.set != InstructionSet::baseline; }
  /// AVX-512: 32 registers, of any width, and masks in registers of their own.
  bool evex() const { return target_.set == InstructionSet::avx512; }

  Register reg(std::int32_t index) const {
    if (!target_.packed || !vex()) return Xmm(index);
    if (evex()) return Xbyak::Zmm(index);
    return Xbyak::Ymm(index);
  }
  Register reg(const Operand& x) const { return reg(x.index); }
  Register scratch() const { return reg(15); }
  Address at(std::size_t offset) const { return Xbyak::util::ptr[Xbyak::util::rdi + offset]; }
  Address place(std::int32_t index) const {
    return at(masks_bytes + static_cast<std::size_t>(index) * target_.scalar_bytes());
  }
  /// Calls visit with what an operand is, a register or an address.
  template <class Visit>
  void with(const Operand& x, const Visit& visit) const {
    if (x.in_memory) {
      visit(place(x.index));
    } else {
      visit(reg(x));
    }
  }
  template <class Method>
  Method pick(const Forms<Method>& forms) const {
    if (target_.packed) return target_.is_float ? forms.ps : forms.pd;
    return target_.is_float ? forms.ss : forms.sd;
  }

  void encode(const Instruction& i) {
    switch (i.kind) {
      case Instruction::Kind::load:
        return load(reg(i.to), place(i.a.index));
      case Instruction::Kind::store:
        return store(place(i.to), reg(i.a));
      case Instruction::Kind::copy:
        return copy(reg(i.to), reg(i.a));
      case Instruction::Kind::compute:
        return compute(i);
    }
  }

  void load(const Register& to, const Address& from) {
    if (target_.packed) {
      vex() ? out_.vmovaps(to, from) : out_.movaps(to, from);
    } else if (target_.is_float) {
      vex() ? out_.vmovss(to, from) : out_.movss(to, from);
    } else {
      vex() ? out_.vmovsd(to, from) : out_.movsd(to, from);
    }
  }
  void store(const Address& to, const Register& from) {
    if (target_.packed) {
      vex() ? out_.vmovaps(to, from) : out_.movaps(to, from);
    } else if (target_.is_float) {
      vex() ? out_.vmovss(to, from) : out_.movss(to, from);
    } else {
      vex() ? out_.vmovsd(to, from) : out_.movsd(to, from);
    }
  }
  void copy(const Register& to, const Register& from) {
    if (to.getIdx() == from.getIdx()) return;
    vex() ? out_.vmovaps(to, from) : out_.movaps(to, from);
  }

  void compute(const Instruction& i) {
    switch (i.step) {
      case Step::add:
        return binary(i, RBD_FORMS(Three, vadd), RBD_FORMS(Two, add), true);
      case Step::subtract:
        return binary(i, RBD_FORMS(Three, vsub), RBD_FORMS(Two, sub), false);
      case Step::multiply:
        return binary(i, RBD_FORMS(Three, vmul), RBD_FORMS(Two, mul), true);
      case Step::divide:
        return binary(i, RBD_FORMS(Three, vdiv), RBD_FORMS(Two, div), false);
      case Step::maximum:  // the second where they are equal; which of two zeros does not matter
        return binary(i, RBD_FORMS(Three, vmax), RBD_FORMS(Two, max), false);
      case Step::square_root:
        return square_root(i);
      case Step::absolute:
        return with_mask(i, &Out::vandps, &Out::andps, mask_bytes);
      case Step::negate:
        return with_mask(i, &Out::vxorps, &Out::xorps, 0);
      case Step::less:
        return compare(i, 1);
      case Step::less_equal:
        return compare(i, 2);
      case Step::select:
        return select(i);
      case Step::multiply_add:
        return fused(i, RBD_FORMS(Fused, vfmadd132), RBD_FORMS(Fused, vfmadd213),
                     RBD_FORMS(Fused, vfmadd231));
      case Step::multiply_subtract:
        return fused(i, RBD_FORMS(Fused, vfmsub132), RBD_FORMS(Fused, vfmsub213),
                     RBD_FORMS(Fused, vfmsub231));
      case Step::negated_multiply_add:
        return fused(i, RBD_FORMS(Fused, vfnmadd132), RBD_FORMS(Fused, vfnmadd213),
                     RBD_FORMS(Fused, vfnmadd231));
      case Step::negated_multiply_subtract:
        return fused(i, RBD_FORMS(Fused, vfnmsub132), RBD_FORMS(Fused, vfnmsub213),
                     RBD_FORMS(Fused, vfnmsub231));
    }
  }

  /// to = a op b. Without VEX the first operand is also the result.
  void binary(const Instruction& i, const Three& three, const Two& two, bool commutes) {
    const Register to = reg(i.to), a = reg(i.a);
    if (vex()) {
      with(i.b, [&](const auto& b) { (out_.*pick(three))(to, a, b); });
      return;
    }
    const bool onto_second = !i.b.in_memory && i.b.index == i.to && i.a.index != i.to;
    if (onto_second && commutes) {
      (out_.*pick(two))(to, a);
      return;
    }
    const Register result = onto_second ? scratch() : to;
    copy(result, a);
    with(i.b, [&](const auto& b) { (out_.*pick(two))(result, b); });
    copy(to, result);
  }

  void square_root(const Instruction& i) {
    const Register to = reg(i.to), a = reg(i.a);
    if (!vex()) {
      (out_.*pick(RBD_FORMS(Two, sqrt)))(to, a);
    } else if (target_.packed) {
      target_.is_float ? out_.vsqrtps(to, a) : out_.vsqrtpd(to, a);
    } else {
      target_.is_float ? out_.vsqrtss(to, a, a) : out_.vsqrtsd(to, a, a);
    }
  }

  /// to = a op the mask at `offset` of the block.
  void with_mask(const Instruction& i,
                 void (Out::*three)(const Xmm&, const Xbyak::Operand&, const Xbyak::Operand&),
                 void (Out::*two)(const Xmm&, const Xbyak::Operand&), std::size_t offset) {
    const Register to = reg(i.to), a = reg(i.a);
    if (vex()) {
      (out_.*three)(to, a, at(offset));
      return;
    }
    copy(to, a);
    (out_.*two)(to, at(offset));
  }

  /// predicate: 1 for <, 2 for <=.
  void compare(const Instruction& i, std::uint8_t predicate) {
    const Register to = reg(i.to), a = reg(i.a);
    with(i.b, [&](const auto& b) {
      if (evex()) {
        const Opmask& k1 = Xbyak::util::k1;
        (out_.*pick(RBD_FORMS(CompareToMask, vcmp)))(k1, a, b, predicate);
        target_.is_float ? out_.vpmovm2d(to, k1) : out_.vpmovm2q(to, k1);
      } else if (vex()) {
        (out_.*pick(RBD_FORMS(Compare, vcmp)))(to, a, b, predicate);
      } else {
        copy(scratch(), a);
        (out_.*pick(RBD_FORMS(CompareTwo, cmp)))(scratch(), b, predicate);
      }
    });
    if (!vex()) copy(to, scratch());
  }

  /// Numbers alone are chosen by the bits of whole registers too: what lies beyond them is not
  /// read.
  void select(const Instruction& i) {
    const Register to = reg(i.to), mask = reg(i.a), b = reg(i.b), c = reg(i.c);
    if (evex()) {
      const Opmask& k1 = Xbyak::util::k1;
      target_.is_float ? out_.vpmovd2m(k1, mask) : out_.vpmovq2m(k1, mask);
      target_.is_float ? out_.vblendmps(to | k1, c, b) : out_.vblendmpd(to | k1, c, b);
    } else if (vex()) {
      target_.is_float ? out_.vblendvps(to, c, b, mask) : out_.vblendvpd(to, c, b, mask);
    } else {  // ((b ^ c) & mask) ^ c
      copy(scratch(), b);
      out_.xorps(scratch(), c);
      out_.andps(scratch(), mask);
      out_.xorps(scratch(), c);
      copy(to, scratch());
    }
  }

  /// `to` is one of a, b and c; of an instruction only the last operand may be in memory. The
  /// digits of its name say which operands are the factors; the first one is the result too.
  void fused(const Instruction& i, const Fused& f132, const Fused& f213, const Fused& f231) {
    const Register to = reg(i.to);
    const auto is_result = [&](const Operand& x) { return !x.in_memory && x.index == i.to; };
    if (is_result(i.c)) {
      const bool swap = i.a.in_memory;
      const Operand &first = swap ? i.b : i.a, &second = swap ? i.a : i.b;
      with(second, [&](const auto& x) { (out_.*pick(f231))(to, reg(first), x); });
      return;
    }
    const Operand& other = is_result(i.a) ? i.b : i.a;
    if (other.in_memory) {
      (out_.*pick(f132))(to, reg(i.c), place(other.index));
    } else {
      with(i.c, [&](const auto& c) { (out_.*pick(f213))(to, reg(other), c); });
    }
  }

  Target target_;
  std::vector<std::byte> buffer_;
  Out out_;
};

#undef RBD_FORMS

}  // namespace

std::vector<std::byte> encode(const AllocatedCode& code, const Target& target) {
  try {
    return Encoder(code, target).take();
  } catch (const Xbyak::Error& error) {
    throw std::runtime_error(std::string("an instruction could not be encoded: ") + error.what());
  }
}

}  // namespace rbd_parallel_core::compiled
