// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "rbd_parallel_core/spatial/scalar.hpp"

/// One state alone has nothing to share a register with but itself: its numbers are copied and
/// judged several at a time, and the sines of several joints are computed at once. What counts is
/// how long each step waits for the one before: a load of several numbers that were stored one by
/// one takes tens of cycles.
namespace rbd_parallel_core::compiled {

/// n numbers from one array to another, one by one. Returns NaN where one is not finite, else zero.
template <class Real>
RBD_INLINE Real copy_and_judge_one_by_one(const Real* from, std::size_t n, Real* to) {
  using T = ScalarTraits<Real>;
  Real even = Real(0), odd = Real(0);
  std::size_t k = 0;
  for (; k + 2 <= n; k += 2) {
    to[k] = from[k];
    to[k + 1] = from[k + 1];
    even = T::mul_add(Real(0), from[k], even);
    odd = T::mul_add(Real(0), from[k + 1], odd);
  }
  if (k < n) {
    to[k] = from[k];
    even = T::mul_add(Real(0), from[k], even);
  }
  return even + odd;
}

/// The same, a register full of numbers at a time.
template <class Pack, class Real>
RBD_INLINE Real copy_and_judge(const Real* from, std::size_t n, Real* to) {
  using T = ScalarTraits<Pack>;
  if (n < T::width) return copy_and_judge_one_by_one(from, n, to);
  const Pack zero(Real(0));
  Pack sums = zero;
  const auto copy = [&](std::size_t k) RBD_INLINE_LAMBDA {
    const Pack x = T::load(from + k);
    T::store(to + k, x);
    sums = mul_add(zero, x, sums);
  };
  std::size_t k = 0;
  for (; k + T::width <= n; k += T::width) copy(k);
  if (k != n) copy(n - T::width);
  const bool good = T::all(T::less_equal(sums, zero));
  return good ? Real(0) : std::numeric_limits<Real>::quiet_NaN();
}

/// Results that the code has just stored one by one: only where there are many are the first ones
/// in the cache already.
template <class Pack, class Real>
RBD_INLINE Real copy_results_and_judge(const Real* from, std::size_t n, Real* to) {
  constexpr std::size_t few = 24;
  return n <= few ? copy_and_judge_one_by_one(from, n, to) : copy_and_judge<Pack>(from, n, to);
}

/// A register full of numbers from anywhere in a row.
template <class Pack, class Real, std::size_t... j>
RBD_INLINE Pack collect(const Real* row, const std::int32_t* which, std::index_sequence<j...>) {
  Pack result;
  result.x = typename Pack::Register{row[which[j]]...};
  return result;
}

/// Where the sines and cosines of a function come from and go to. Arrays have room for whole
/// registers.
template <class Real>
struct Turns {
  const std::int32_t* inputs;
  const Real *factors, *offsets;
  Real *sines, *cosines;
};

/// Sines and cosines of n angles, factor times a number of a row plus offset, a register full of
/// them at a time.
template <class Pack, class Real>
RBD_INLINE void compute_turns(const Real* row, const Turns<Real>& turns, std::size_t n) {
  using T = ScalarTraits<Pack>;
  for (std::size_t k = 0; k < n; k += T::width) {
    const Pack x = collect<Pack>(row, turns.inputs + k, std::make_index_sequence<T::width>{});
    Pack sine, cosine;
    T::sincos(mul_add(T::load(turns.factors + k), x, T::load(turns.offsets + k)), sine, cosine);
    T::store(turns.sines + k, sine);
    T::store(turns.cosines + k, cosine);
  }
}

}  // namespace rbd_parallel_core::compiled
