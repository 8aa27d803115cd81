// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/spatial/scalar.hpp"

namespace rbd_parallel_core {

/// Beyond this |x| the reduction below loses digits and the caller must use the library's
/// functions.
template <class Real>
inline constexpr Real largest_reduced_angle = sizeof(Real) == 4 ? Real(1e3) : Real(1e5);

/// The numbers of reduced_sincos. pi/2 is split into three parts so short that an integer multiple
/// of a part is exact (Cody and Waite); the polynomials are minimax on |r| <= pi/4, highest power
/// first: sin r = r + r^3 P(r^2), cos r = 1 - r^2 / 2 + r^4 Q(r^2).
template <class Real>
struct SincosNumbers {                                     // 33 bits a part; polynomials of fdlibm
  static constexpr double round_off = 6755399441055744.0;  // 1.5 x 2^52
  static constexpr double half_pi[] = {1.57079632673412561417e+00, 6.07710050630396597660e-11,
                                       2.02226624879595063154e-21};
  static constexpr double sine[] = {1.58969099521155010221e-10, -2.50507602534068634195e-08,
                                    2.75573137070700676789e-06, -1.98412698298579493134e-04,
                                    8.33333333332248946124e-03, -1.66666666666666324348e-01};
  static constexpr double cosine[] = {-1.13596475577881948265e-11, 2.08757232129817482790e-09,
                                      -2.75573143513906633035e-07, 2.48015872894767294178e-05,
                                      -1.38888888888741095749e-03, 4.16666666666666019037e-02};
};
template <>
struct SincosNumbers<float> {                      // 8, 11 and 24 bits; polynomials of Cephes
  static constexpr float round_off = 12582912.0f;  // 1.5 x 2^23
  static constexpr float half_pi[] = {1.5703125f, 4.837512969970703125e-4f,
                                      7.54978995489188216e-8f};
  static constexpr float sine[] = {-1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f};
  static constexpr float cosine[] = {2.443315711809948e-5f, -1.388731625493765e-3f,
                                     4.166664568298827e-2f};
};

/// P(z), the coefficient of the highest power first (Horner).
template <class S, class Real, std::size_t n>
RBD_INLINE S polynomial(const S& z, const Real (&coefficients)[n]) {
  S sum = S(RealOf<S>(coefficients[0]));
  for (std::size_t k = 1; k < n; ++k) sum = mul_add(z, sum, S(RealOf<S>(coefficients[k])));
  return sum;
}

/// Sine and cosine of r + n pi/2 from those of r, given n + round_off, whose last digits are those
/// of the integer n.
template <class S>
RBD_INLINE void turn_by_quadrants(const S& n_and_round_off, const S& s, const S& c, S& sine,
                                  S& cosine) {
  using T = ScalarTraits<S>;
  const auto number = [](auto value) RBD_INLINE_LAMBDA { return S(RealOf<S>(value)); };
  const S round_off = number(SincosNumbers<RealOf<S>>::round_off);
  const S n = n_and_round_off - round_off;
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

/// Sine and cosine without a branch or a table, so that a loop over joints, or a pack of states,
/// runs in SIMD lanes and random angles cost no mispredicted jumps. For |x| <=
/// largest_reduced_angle the result is within 5e-16 (double), 1.5e-7 (float) of the true value.
///
/// x = n pi/2 + r; the quadrant n mod 4 swaps and signs what the polynomials give for r.
template <class S>
RBD_INLINE void reduced_sincos(const S& x, S& sine, S& cosine) {
  using Numbers = SincosNumbers<RealOf<S>>;
  const auto number = [](auto value) RBD_INLINE_LAMBDA { return S(RealOf<S>(value)); };
  const S round_off = number(Numbers::round_off);  // adding it rounds to an integer
  const S n_and_round_off = mul_add(x, number(6.36619772367581382433e-01), round_off);
  const S n = n_and_round_off - round_off;
  S r = neg_mul_add(n, number(Numbers::half_pi[0]), x);
  r = neg_mul_add(n, number(Numbers::half_pi[1]), r);
  r = neg_mul_add(n, number(Numbers::half_pi[2]), r);

  const S z = r * r;
  const S s = mul_add(z * r, polynomial(z, Numbers::sine), r);
  const S c =
      mul_add(z * z, polynomial(z, Numbers::cosine), neg_mul_add(number(0.5), z, number(1)));
  turn_by_quadrants(n_and_round_off, s, c, sine, cosine);
}

}  // namespace rbd_parallel_core
