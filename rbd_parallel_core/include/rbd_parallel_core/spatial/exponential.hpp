// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "rbd_parallel_core/spatial/motion_force.hpp"
#include "rbd_parallel_core/spatial/quaternion.hpp"
#include "rbd_parallel_core/spatial/sincos.hpp"

/// From a constant twist to the displacement that it makes in one unit of time, and back: the
/// exponential and the logarithm of rotations and of rigid motions. Accurate near zero and near a
/// half turn, and without a branch on a Scalar, so that lanes of states can share it.
namespace rbd_parallel_core {

/// The angle of the point (x, y) in the first quadrant: x, y >= 0, not both zero. The relative
/// error is a few units of the last digit. The polynomial is that of fdlibm for |t| <= 7/16; what
/// is steeper is seen from the diagonal, what is above the diagonal from the other axis.
template <class S>
RBD_INLINE S angle_in_first_quadrant(const S& y, const S& x) {
  using T = ScalarTraits<S>;
  const auto number = [](double value) RBD_INLINE_LAMBDA { return S(RealOf<S>(value)); };
  constexpr double arctangent[] = {
      1.62858201153657823623e-02,  -3.65315727442169155270e-02, 4.97687799461593236017e-02,
      -5.83357013379057348645e-02, 6.66107313738753120669e-02,  -7.69187620504482999495e-02,
      9.09088713343650656196e-02,  -1.11111104054623557880e-01, 1.42857142725034663711e-01,
      -1.99999999998764832476e-01, 3.33333333333329318027e-01};
  const auto above = T::less(x, y);
  const S large = T::select(above, y, x), small = T::select(above, x, y);
  const auto steep = T::less(number(0.41421356237309503) * large, small);  // tan(pi / 8)
  const S t = T::select(steep, small - large, small) / T::select(steep, small + large, large);
  const S z = t * t;
  const S from_line = neg_mul_add(t * z, polynomial(z, arctangent), t);
  // pi / 4 in two parts
  const S below = T::select(
      steep, number(7.85398163397448279000e-01) + (from_line + number(3.06161699786838301793e-17)),
      from_line);
  return T::select(
      above, number(1.57079632679489655800e+00) - (below - number(6.12323399573676603587e-17)),
      below);
}

/// sin x / x, given sin x.
template <class S>
RBD_INLINE S sine_quotient(const S& x, const S& sine) {
  using T = ScalarTraits<S>;
  const S one(RealOf<S>(1));
  const auto vanishes = T::less(T::abs(x), S(std::numeric_limits<RealOf<S>>::min()));
  return T::select(vanishes, one, sine / T::select(vanishes, one, x));
}

/// (x - sin x) / x^3, given x^2 and sin x / x. The difference loses digits near zero, where its
/// series takes over.
template <class S>
RBD_INLINE S cubic_quotient(const S& x2, const S& quotient) {
  using T = ScalarTraits<S>;
  constexpr double series[] = {
      1.0 / 1307674368000.0, -1.0 / 6227020800.0, 1.0 / 39916800.0, -1.0 / 362880.0,
      1.0 / 5040.0,          -1.0 / 120.0,        1.0 / 6.0};
  const S one(RealOf<S>(1));
  const auto near = T::less(x2, S(RealOf<S>(0.25)));
  return T::select(near, polynomial(x2, series), (one - quotient) / T::select(near, one, x2));
}

/// (1 - h cot h) / (2 h)^2 for 0 <= h <= pi / 2. The difference loses digits near zero, where its
/// series takes over.
template <class S>
RBD_INLINE S cotangent_quotient(const S& h, const S& sine, const S& cosine) {
  using T = ScalarTraits<S>;
  // |B_2n| 2^(2n) / (4 (2n)!), the numbers of Bernoulli, for n = 7 ... 1
  constexpr double series[] = {1.0 / 18243225.0, 691.0 / 1277025750.0, 1.0 / 187110.0,
                               1.0 / 18900.0,    1.0 / 1890.0,         1.0 / 180.0,
                               1.0 / 12.0};
  const S one(RealOf<S>(1)), four(RealOf<S>(4));
  const S h2 = h * h;
  const auto near = T::less(h2, S(RealOf<S>(0.0625)));
  const S away = (one - h * cosine / T::select(near, one, sine)) / T::select(near, one, four * h2);
  return T::select(near, polynomial(h2, series), away);
}

/// The shortest of the angles that differ from `angle` by whole turns, in -pi ... pi; an angle that
/// is in that range already stays as it is. NaN where the angle is so large that its last digit is
/// many turns.
template <class S>
RBD_INLINE S shortest_turn(const S& angle) {
  using T = ScalarTraits<S>;
  using Numbers = SincosNumbers<RealOf<S>>;
  const auto number = [](auto value) RBD_INLINE_LAMBDA { return S(RealOf<S>(value)); };
  const S round_off = number(Numbers::round_off);
  S rest = angle;
  for (int pass = 0; pass < 2; ++pass) {  // the second one where the first missed by a turn
    const S turns = mul_add(rest, number(1.59154943091895335769e-01), round_off) - round_off;
    for (const auto part : Numbers::half_pi) {
      rest = neg_mul_add(number(4) * turns, number(part), rest);
    }
  }
  return T::select(T::less(T::abs(rest), number(3.2)), rest,
                   number(std::numeric_limits<double>::quiet_NaN()));
}

/// Where a body gets to, seen from where it was.
template <class S>
struct Displacement {
  Quaternion<S> turn;
  Vec3<S> shift;
};

/// The turn by |w| about w.
template <class S>
RBD_INLINE Quaternion<S> exponential(const Vec3<S>& w) {
  const S half(RealOf<S>(0.5));
  const S h = half * ScalarTraits<S>::sqrt(dot(w, w));
  S sine, cosine;
  ScalarTraits<S>::sincos(h, sine, cosine);
  return {half * sine_quotient(h, sine) * w, cosine};
}

/// The body frame moves with the constant twist m, given along its own axes, for one unit of time:
/// Rodrigues' formula for the turn, and shift = (1 + B wx + C wx wx) v with B = (1 - cos) / |w|^2,
/// C = (|w| - sin) / |w|^3. B is written by half the angle, which loses no digits.
template <class S>
RBD_INLINE Displacement<S> exponential(const Motion<S>& m) {
  const S half(RealOf<S>(0.5));
  const S angle2 = dot(m.w, m.w);
  const S h = half * ScalarTraits<S>::sqrt(angle2);
  S sine, cosine;
  ScalarTraits<S>::sincos(h, sine, cosine);
  const S quotient = sine_quotient(h, sine);
  const S B = half * quotient * quotient, C = cubic_quotient(angle2, quotient * cosine);
  const Vec3<S> across = cross(m.w, m.v);
  return {{half * quotient * m.w, cosine}, mul_add(C, cross(m.w, across), mul_add(B, across, m.v))};
}

/// Half the angle of a turn by at most pi, with its sine and cosine, and the way about its axis.
template <class S>
struct HalfTurn {
  S angle, sine, cosine;
  Vec3<S> axis_sine;  ///< unit axis times sine

  /// Of the two quaternions of one rotation, that of the shorter turn.
  RBD_INLINE explicit HalfTurn(const Quaternion<S>& unit) {
    using T = ScalarTraits<S>;
    const auto flipped = T::less(unit.w, S(RealOf<S>(0)));
    cosine = T::abs(unit.w);
    axis_sine = {T::select(flipped, -unit.r.x, unit.r.x), T::select(flipped, -unit.r.y, unit.r.y),
                 T::select(flipped, -unit.r.z, unit.r.z)};
    sine = T::sqrt(dot(unit.r, unit.r));
    angle = angle_in_first_quadrant(sine, cosine);
  }
  RBD_INLINE Vec3<S> rotation_vector() const {
    using T = ScalarTraits<S>;
    const S one(RealOf<S>(1)), two(RealOf<S>(2));
    const auto vanishes = T::less(sine, S(std::numeric_limits<RealOf<S>>::min()));
    return T::select(vanishes, two, two * angle / T::select(vanishes, one, sine)) * axis_sine;
  }
};

/// The rotation vector of a unit quaternion, of length pi at most.
template <class S>
RBD_INLINE Vec3<S> logarithm(const Quaternion<S>& unit) {
  return HalfTurn<S>(unit).rotation_vector();
}

/// The constant twist that makes this displacement in one unit of time and turns by pi at most:
/// v = (1 - wx / 2 + D wx wx) shift with D = (1 - h cot h) / |w|^2, h = |w| / 2.
template <class S>
RBD_INLINE Motion<S> logarithm(const Displacement<S>& displacement) {
  const S half(RealOf<S>(0.5));
  const HalfTurn<S> turn(displacement.turn);
  const Vec3<S> w = turn.rotation_vector();
  const S D = cotangent_quotient(turn.angle, turn.sine, turn.cosine);
  const Vec3<S> across = cross(w, displacement.shift);
  return {w, mul_add(D, cross(w, across), mul_add(-half, across, displacement.shift))};
}

}  // namespace rbd_parallel_core
