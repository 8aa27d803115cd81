// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

/// The few instructions of 64-bit ARM that straight-line code consists of, executed anywhere. They
/// are told apart by the fields of their classes in the Arm Architecture Reference Manual for
/// A-profile (DDI 0487), C4.1, which neon_words.hpp does not know.
namespace rbd_parallel_core::compiled {

class Arm64Emulator {
 public:
  using Register = std::array<std::byte, 16>;

  /// x0 points to the block; everything else holds what nobody should read.
  explicit Arm64Emulator(std::span<std::byte> block) : block_(block) {
    for (std::size_t k = 0; k < v_.size(); ++k) v_[k] = rubbish(k);
  }
  /// From the first word to ret.
  void run(std::span<const std::byte> text) {
    for (std::size_t at = 0; at + 4 <= text.size(); at += 4) {
      std::memcpy(&word_, text.data() + at, 4);
      if (word_ == 0xd65f03c0) {
        executed_.insert("ret");
        return;
      }
      step();
    }
    throw std::runtime_error("the code ends without ret");
  }
  /// Whether a caller finds in v8 to v15 what it is promised: the lower halves as they were.
  bool kept_callers_registers() const {
    for (std::size_t k = 8; k < 16; ++k) {
      if (std::memcmp(v_[k].data(), rubbish(k).data(), 8) != 0) return false;
    }
    return true;
  }
  /// Instructions with what they were on: "fadd 2d", "ldr q".
  const std::set<std::string>& executed() const { return executed_; }

 private:
  static Register rubbish(std::size_t k) {  // NaN in every form
    Register r;
    r.fill(std::byte{0xff});
    r[0] = static_cast<std::byte>(k);
    return r;
  }

  std::uint32_t bits(int high, int low) const { return word_ << (31 - high) >> (31 - high + low); }
  std::size_t field(int low) const { return bits(low + 4, low); }

  void step() {
    if (bits(31, 23) == 0b100100010) return add_immediate();
    if (bits(29, 24) == 0b111101) return load_or_store();
    if (bits(31, 30) == 0b01 && bits(28, 24) == 0b01110) return packed();
    if (bits(31, 29) == 0b011 && bits(28, 24) == 0b11110) return scalar_compare();
    if (bits(31, 24) == 0b00011110 && bits(21, 21) == 1) return scalar();
    if (bits(31, 24) == 0b00011111) return scalar_of_three();
    refuse();
  }
  [[noreturn]] void refuse() const {
    throw std::runtime_error("no instruction that is known: " + std::to_string(word_));
  }

  void add_immediate() {
    if (bits(22, 22) == 0) refuse();
    executed_.insert("add");
    if (field(5) != 0) refuse();  // on x0 only
    x_[field(0)] = std::size_t{bits(21, 10)} * 4096;
  }

  void load_or_store() {
    const std::uint32_t size = bits(31, 30), opc = bits(23, 22);
    const bool quad = size == 0 && opc >= 2;
    if (!quad && (size < 2 || opc >= 2)) refuse();
    const std::size_t bytes = quad ? 16 : std::size_t{1} << size;
    const std::size_t at = x_.at(field(5)) + bits(21, 10) * bytes;
    if (at + bytes > block_.size()) throw std::runtime_error("memory beyond the block");
    const std::string on = quad ? "q" : size == 3 ? "d" : "s";
    Register& r = v_[field(0)];
    if (opc % 2 == 1) {
      executed_.insert("ldr " + on);
      r.fill(std::byte{0});
      std::memcpy(r.data(), block_.data() + at, bytes);
    } else {
      executed_.insert("str " + on);
      std::memcpy(block_.data() + at, r.data(), bytes);
    }
  }

  void packed() {
    if (bits(21, 21) == 1 && bits(10, 10) == 1 && bits(15, 11) == 0b00011) return logical();
    const bool is_double = bits(22, 22) == 1;
    is_double ? packed_of<double>(" 2d") : packed_of<float>(" 4s");
  }
  template <class Real>
  void packed_of(const char* on) {
    constexpr std::size_t count = 16 / sizeof(Real);
    const std::uint32_t u = bits(29, 29), a = bits(23, 23);
    if (bits(21, 17) == 0b10000 && bits(11, 10) == 0b10) {  // two registers
      const std::uint32_t key = u << 8 | a << 7 | bits(16, 12);
      if (key == (0u << 8 | 1 << 7 | 0b01111)) return one<Real>("fabs", on, count, absolute);
      if (key == (1u << 8 | 1 << 7 | 0b01111)) return one<Real>("fneg", on, count, negative);
      if (key == (1u << 8 | 1 << 7 | 0b11111)) return one<Real>("fsqrt", on, count, root);
      refuse();
    }
    if (bits(21, 21) == 0 || bits(10, 10) == 0) refuse();
    switch (u << 8 | a << 7 | bits(15, 11)) {  // three registers
      case 0u << 8 | 0 << 7 | 0b11010:
        return two<Real>("fadd", on, count, [](auto, auto n, auto m) { return n + m; });
      case 0u << 8 | 1 << 7 | 0b11010:
        return two<Real>("fsub", on, count, [](auto, auto n, auto m) { return n - m; });
      case 1u << 8 | 0 << 7 | 0b11011:
        return two<Real>("fmul", on, count, [](auto, auto n, auto m) { return n * m; });
      case 1u << 8 | 0 << 7 | 0b11111:
        return two<Real>("fdiv", on, count, [](auto, auto n, auto m) { return n / m; });
      case 0u << 8 | 0 << 7 | 0b11110:
        return two<Real>("fmax", on, count, [](auto, auto n, auto m) { return larger(n, m); });
      case 0u << 8 | 0 << 7 | 0b11001:
        return two<Real>("fmla", on, count,
                         [](auto d, auto n, auto m) { return std::fma(n, m, d); });
      case 0u << 8 | 1 << 7 | 0b11001:
        return two<Real>("fmls", on, count,
                         [](auto d, auto n, auto m) { return std::fma(-n, m, d); });
      case 1u << 8 | 1 << 7 | 0b11100:
        return two<Real>("fcmgt", on, count, [](auto, auto n, auto m) { return mask(n > m); });
      case 1u << 8 | 0 << 7 | 0b11100:
        return two<Real>("fcmge", on, count, [](auto, auto n, auto m) { return mask(n >= m); });
      default:
        refuse();
    }
  }
  void logical() {
    const Register n = v_[field(5)], m = v_[field(16)], d = v_[field(0)];
    const std::uint32_t which = bits(29, 29) << 2 | bits(23, 22);
    const auto each = [&](const char* name, const auto& of) {
      executed_.insert(name);
      for (std::size_t k = 0; k < 16; ++k) v_[field(0)][k] = of(n[k], m[k], d[k]);
    };
    switch (which) {
      case 0b010:
        return each("orr", [](auto a, auto b, auto) { return a | b; });
      case 0b101:
        return each("bsl", [](auto a, auto b, auto c) { return (a & c) | (b & ~c); });
      case 0b110:
        return each("bit", [](auto a, auto b, auto c) { return (a & b) | (c & ~b); });
      case 0b111:
        return each("bif", [](auto a, auto b, auto c) { return (a & ~b) | (c & b); });
      default:
        refuse();
    }
  }

  void scalar_compare() {
    const auto of = [&]<class Real>(const char* on, Real) {
      if (bits(21, 21) == 0 || bits(15, 10) != 0b111001) refuse();
      if (bits(23, 23) == 1) {
        return two<Real>("fcmgt", on, 1, [](auto, auto n, auto m) { return mask(n > m); });
      }
      two<Real>("fcmge", on, 1, [](auto, auto n, auto m) { return mask(n >= m); });
    };
    bits(22, 22) == 1 ? of(" d", 0.0) : of(" s", 0.0f);
  }

  void scalar() {
    if (bits(23, 22) > 1) refuse();
    bits(23, 22) == 1 ? scalar_of<double>(" d") : scalar_of<float>(" s");
  }
  template <class Real>
  void scalar_of(const char* on) {
    if (bits(14, 10) == 0b10000) {
      if (bits(20, 15) == 1) return one<Real>("fabs", on, 1, absolute);
      if (bits(20, 15) == 2) return one<Real>("fneg", on, 1, negative);
      if (bits(20, 15) == 3) return one<Real>("fsqrt", on, 1, root);
      refuse();
    }
    if (bits(11, 10) != 0b10) refuse();
    switch (bits(15, 12)) {
      case 0:
        return two<Real>("fmul", on, 1, [](auto, auto n, auto m) { return n * m; });
      case 1:
        return two<Real>("fdiv", on, 1, [](auto, auto n, auto m) { return n / m; });
      case 2:
        return two<Real>("fadd", on, 1, [](auto, auto n, auto m) { return n + m; });
      case 3:
        return two<Real>("fsub", on, 1, [](auto, auto n, auto m) { return n - m; });
      case 4:
        return two<Real>("fmax", on, 1, [](auto, auto n, auto m) { return larger(n, m); });
      default:
        refuse();
    }
  }
  void scalar_of_three() {
    if (bits(23, 22) > 1) refuse();
    bits(23, 22) == 1 ? fused_of<double>(" d") : fused_of<float>(" s");
  }
  template <class Real>
  void fused_of(const char* on) {
    const Real a = lane<Real>(v_[field(10)], 0);
    const bool minus_addend = bits(21, 21) == 1, differ = bits(15, 15) == 1;
    const bool minus_product = minus_addend != differ;
    const std::string name = std::string(minus_addend ? "fnm" : "fm") + (differ ? "sub" : "add");
    two<Real>(name.c_str(), on, 1, [&](auto, auto n, auto m) {
      return std::fma(minus_product ? -n : n, m, minus_addend ? -a : a);
    });
  }

  template <class Real>
  static Real lane(const Register& r, std::size_t k) {
    Real x;
    std::memcpy(&x, r.data() + k * sizeof x, sizeof x);
    return x;
  }
  /// d = of(d, n, m) in `count` lanes; zero beyond them.
  template <class Real, class Of>
  void two(const char* name, const char* on, std::size_t count, const Of& of) {
    executed_.insert(std::string(name) + on);
    const Register n = v_[field(5)], m = v_[field(16)], d = v_[field(0)];
    Register& to = v_[field(0)];
    to.fill(std::byte{0});
    for (std::size_t k = 0; k < count; ++k) {
      const auto x = of(lane<Real>(d, k), lane<Real>(n, k), lane<Real>(m, k));
      if constexpr (std::is_same_v<decltype(x), const Mask>) {
        std::memset(to.data() + k * sizeof(Real), x.set ? 0xff : 0, sizeof(Real));
      } else {
        static_assert(std::is_same_v<decltype(x), const Real>);
        std::memcpy(to.data() + k * sizeof(Real), &x, sizeof(Real));
      }
    }
  }
  template <class Real>
  void one(const char* name, const char* on, std::size_t count, Real (*of)(Real)) {
    two<Real>(name, on, count, [of](auto, auto n, auto) { return of(n); });
  }

  struct Mask {
    bool set;
  };
  static Mask mask(bool set) { return {set}; }
  template <class Real>
  static Real absolute(Real x) {
    return std::fabs(x);
  }
  template <class Real>
  static Real negative(Real x) {
    return -x;
  }
  template <class Real>
  static Real root(Real x) {
    return std::sqrt(x);
  }
  template <class Real>
  static Real larger(Real n, Real m) {
    if (std::isnan(n) || std::isnan(m)) return std::numeric_limits<Real>::quiet_NaN();
    return n > m ? n : m;
  }

  std::span<std::byte> block_;
  std::array<Register, 32> v_{};
  std::array<std::size_t, 32> x_{};  ///< as offsets from the block
  std::uint32_t word_ = 0;
  std::set<std::string> executed_;
};

}  // namespace rbd_parallel_core::compiled
