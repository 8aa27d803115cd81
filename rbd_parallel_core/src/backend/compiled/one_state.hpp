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

/// n numbers from one array to another. Returns NaN where one is not finite, else zero.
template <class Pack, class Real>
RBD_INLINE Real copy_and_judge(const Real* from, std::size_t n, Real* to) {
  using T = ScalarTraits<Pack>;
  if (n < T::width) {
    Real sum = Real(0);
    for (std::size_t k = 0; k < n; ++k) {
      to[k] = from[k];
      sum = ScalarTraits<Real>::mul_add(Real(0), from[k], sum);
    }
    return sum;
  }
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

/// A register full of numbers from anywhere in a row.
template <class Pack, class Real, std::size_t... j>
RBD_INLINE Pack collect(const Real* row, const std::int32_t* which, std::index_sequence<j...>) {
  Pack result;
  result.x = typename Pack::Register{row[which[j]]...};
  return result;
}

/// Sines and cosines of numbers of a row, in steps of a register. which: up to a whole register.
template <class Pack, class Real>
RBD_INLINE void sincos_of(const Real* row, const std::int32_t* which, std::size_t n, Real* sines,
                          Real* cosines) {
  using T = ScalarTraits<Pack>;
  for (std::size_t k = 0; k < n; k += T::width) {
    Pack sine, cosine;
    T::sincos(collect<Pack>(row, which + k, std::make_index_sequence<T::width>{}), sine, cosine);
    T::store(sines + k, sine);
    T::store(cosines + k, cosine);
  }
}

}  // namespace rbd_parallel_core::compiled
