// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/spatial/scalar.hpp"

namespace rbd_parallel_core {

/// Beyond this |x| the reduction below loses digits and the caller must use the library's
/// functions.
inline constexpr double largest_reduced_angle = 1e5;

/// Sine and cosine without a branch or a table, so that a loop over joints runs in SIMD lanes and
/// random angles cost no mispredicted jumps. For |x| <= largest_reduced_angle the result is within
/// 5e-16 of the true value.
///
/// x = n pi/2 + r: pi/2 is split into three parts of 33 bits, so that n times a part is exact (Cody
/// and Waite). On |r| <= pi/4 the minimax polynomials of fdlibm are evaluated; the quadrant n mod 4
/// swaps and signs them.
template <class S>
RBD_INLINE void reduced_sincos(const S& x, S& sine, S& cosine) {
  using T = ScalarTraits<S>;
  const auto number = [](double value) RBD_INLINE_LAMBDA { return S(RealOf<S>(value)); };
  const S round_off = number(6755399441055744.0);  // 1.5 x 2^52: adding it rounds to an integer
  const S n = mul_add(x, number(6.36619772367581382433e-01), round_off) - round_off;
  S r = neg_mul_add(n, number(1.57079632673412561417e+00), x);
  r = neg_mul_add(n, number(6.07710050630396597660e-11), r);
  r = neg_mul_add(n, number(2.02226624879595063154e-21), r);

  const S z = r * r;
  S s = mul_add(z, number(1.58969099521155010221e-10), number(-2.50507602534068634195e-08));
  s = mul_add(z, s, number(2.75573137070700676789e-06));
  s = mul_add(z, s, number(-1.98412698298579493134e-04));
  s = mul_add(z, s, number(8.33333333332248946124e-03));
  s = mul_add(z, s, number(-1.66666666666666324348e-01));
  s = mul_add(z * r, s, r);
  S c = mul_add(z, number(-1.13596475577881948265e-11), number(2.08757232129817482790e-09));
  c = mul_add(z, c, number(-2.75573143513906633035e-07));
  c = mul_add(z, c, number(2.48015872894767294178e-05));
  c = mul_add(z, c, number(-1.38888888888741095749e-03));
  c = mul_add(z, c, number(4.16666666666666019037e-02));
  c = mul_add(z * z, c, neg_mul_add(number(0.5), z, number(1)));

  // m = n mod 4 as one of -2, -1, 0, 1, 2
  const S m = neg_mul_add(number(4), mul_add(n, number(0.25), round_off) - round_off, n);
  const S distance = T::abs(T::abs(m) - number(1));  // 0 where the quadrant is odd, 1 elsewhere
  const auto odd = T::less(distance, number(0.5));
  const S s_here = T::select(odd, c, s), c_here = T::select(odd, s, c);
  // sine is negative for m = -1, +-2, cosine for m = 1, +-2
  const auto s_positive = T::less(T::abs(m - number(0.5)), number(1));
  const auto c_positive = T::less(T::abs(m + number(0.5)), number(1));
  sine = T::select(s_positive, s_here, -s_here);
  cosine = T::select(c_positive, c_here, -c_here);
}

}  // namespace rbd_parallel_core
