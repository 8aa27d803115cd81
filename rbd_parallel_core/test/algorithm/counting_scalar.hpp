// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "rbd_parallel_core/spatial/scalar.hpp"
#include "rbd_parallel_core/vtree/executor.hpp"

// What is included from here on is called, not inlined: of operators that count, texts that are one
// function each take the compiler minutes.
#undef RBD_INLINE
#define RBD_INLINE inline
#undef RBD_INLINE_LAMBDA
#define RBD_INLINE_LAMBDA

namespace rbd_parallel_core {

/// How many operations were done. A fused multiplication and addition is one of each; a sine with
/// its cosine is one. Signs, comparisons and selections cost nothing, as in the papers.
struct Operations {
  std::int64_t mul = 0, add = 0, div = 0, sqrt = 0, sincos = 0;

  /// As a count of instructions of a symbolic expression has it, sine and cosine apart.
  std::int64_t total() const { return mul + add + div + sqrt + 2 * sincos; }
  friend Operations operator+(const Operations& a, const Operations& b) {
    return {a.mul + b.mul, a.add + b.add, a.div + b.div, a.sqrt + b.sqrt, a.sincos + b.sincos};
  }
  friend Operations operator-(const Operations& a, const Operations& b) {
    return {a.mul - b.mul, a.add - b.add, a.div - b.div, a.sqrt - b.sqrt, a.sincos - b.sincos};
  }
};

/// All that were done since the start of the program, by any Counted.
inline Operations operations_done;

/// What `run` does.
template <class Run>
Operations count_of(const Run& run) {
  const Operations before = operations_done;
  run();
  return operations_done - before;
}

enum class Folding {
  none,       ///< every operation counts
  constants,  ///< those do not that a symbolic form of the robot would not contain
};

/// A double that counts. With Folding::constants it knows which numbers are those of the robot or
/// of the text rather than of the state: among themselves they cost nothing, x + 0, x 1 and -1 x
/// are x or its negative, and 0 x is 0.
template <Folding folding>
class Counted {
 public:
  Counted() = default;
  explicit Counted(double value) : value_(value) {}
  static Counted of_the_state(double value) { return Counted(value, false); }

  double value() const { return value_; }

  friend Counted operator-(const Counted& a) { return Counted(-a.value_, a.constant_); }
  friend Counted operator+(const Counted& a, const Counted& b) {
    if (folds() && a.is(0)) return b;
    if (folds() && b.is(0)) return a;
    return counted(a.value_ + b.value_, both_constant(a, b), operations_done.add);
  }
  friend Counted operator-(const Counted& a, const Counted& b) { return a + -b; }
  friend Counted operator*(const Counted& a, const Counted& b) {
    if (folds() && (a.is(0) || b.is(0))) return Counted(0);
    if (folds() && (a.is(1) || a.is(-1))) return a.value_ > 0 ? b : -b;
    if (folds() && (b.is(1) || b.is(-1))) return b.value_ > 0 ? a : -a;
    return counted(a.value_ * b.value_, both_constant(a, b), operations_done.mul);
  }
  friend Counted operator/(const Counted& a, const Counted& b) {
    if (folds() && a.is(0)) return Counted(0);
    if (folds() && (b.is(1) || b.is(-1))) return b.value_ > 0 ? a : -a;
    return counted(a.value_ / b.value_, both_constant(a, b), operations_done.div);
  }
  friend Counted square_root(const Counted& a) {
    return counted(std::sqrt(a.value_), both_constant(a, a), operations_done.sqrt);
  }
  friend void sine_and_cosine(const Counted& a, Counted& sine, Counted& cosine) {
    const bool constant = both_constant(a, a);
    sine = counted(std::sin(a.value_), constant, operations_done.sincos);
    cosine = Counted(std::cos(a.value_), constant);
  }
  friend Counted chosen(bool first, const Counted& a, const Counted& b) {
    return Counted((first ? a : b).value_, both_constant(a, b) && a.value_ == b.value_);
  }

 private:
  Counted(double value, bool constant) : value_(value), constant_(constant) {}
  static constexpr bool folds() { return folding == Folding::constants; }
  static bool both_constant(const Counted& a, const Counted& b) {
    return a.constant_ && b.constant_;
  }
  bool is(double number) const { return constant_ && value_ == number; }
  static Counted counted(double value, bool constant, std::int64_t& counter) {
    if (!folds() || !constant) ++counter;
    return Counted(value, constant);
  }

  double value_ = 0;
  bool constant_ = true;
};

template <Folding folding>
struct ScalarTraits<Counted<folding>> {
  using S = Counted<folding>;
  using Real = double;
  using Mask = bool;
  static constexpr std::size_t width = 1;

  static S load(const Real* at) { return S::of_the_state(*at); }
  static void store(Real* at, const S& x) { *at = x.value(); }
  static S mul_add(const S& a, const S& b, const S& c) { return a * b + c; }
  static S neg_mul_add(const S& a, const S& b, const S& c) { return c - a * b; }
  static S sqrt(const S& x) { return square_root(x); }
  static S abs(const S& x) { return x.value() < 0 ? -x : x; }
  static S max(const S& a, const S& b) { return chosen(b.value() < a.value(), a, b); }
  static void sincos(const S& x, S& sine, S& cosine) { sine_and_cosine(x, sine, cosine); }
  static Mask less(const S& a, const S& b) { return a.value() < b.value(); }
  static Mask less_equal(const S& a, const S& b) { return a.value() <= b.value(); }
  static S select(Mask mask, const S& a, const S& b) { return chosen(mask, a, b); }
  static bool all(Mask mask) { return mask; }
};

/// As if every item of a map had a processor of its own: what counts is the item that does most, by
/// multiplications and by additions.
struct LongestItemCounts {
  static constexpr bool mapped_sums = false;

  template <class F>
  void map(std::int32_t n, const F& f, int = 1) const {
    const Operations before = operations_done;
    Operations longest;
    for (std::int32_t i = 0; i < n; ++i) {
      const Operations item = count_of([&] { f(i); });
      longest = {std::max(longest.mul, item.mul), std::max(longest.add, item.add),
                 std::max(longest.div, item.div), std::max(longest.sqrt, item.sqrt),
                 std::max(longest.sincos, item.sincos)};
    }
    operations_done = before + longest;
  }
  template <class T, class Op>
  void exclusive_scan(T* data, std::int32_t n, const Op& op, const T& neutral, T*) const {
    scan_range(data, 0, n, op, neutral);
  }
  std::int32_t scan_scratch(std::int32_t) const { return 0; }
};

}  // namespace rbd_parallel_core
