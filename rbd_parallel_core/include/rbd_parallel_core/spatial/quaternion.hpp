// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/spatial/mat3.hpp"

namespace rbd_parallel_core {

/// A rotation from body coordinates to those of the frame that the body stands in. Its numbers in
/// q are r.x, r.y, r.z, w.
template <class S>
struct Quaternion {
  Vec3<S> r;
  S w;

  /// Of length one. NaN where there is no length, or where its square overflows.
  RBD_INLINE Quaternion normalised() const {
    const S one(RealOf<S>(1)), zero(RealOf<S>(0));
    const S norm2 = mul_add(w, w, dot(r, r));
    const S scale = mul_add(zero, norm2, one / ScalarTraits<S>::sqrt(norm2));
    return {scale * r, scale * w};
  }
  RBD_INLINE Quaternion inverse() const { return {-r, w}; }
  /// First b, then a.
  friend RBD_INLINE Quaternion operator*(const Quaternion& a, const Quaternion& b) {
    return {mul_add(a.w, b.r, mul_add(b.w, a.r, cross(a.r, b.r))),
            mul_add(a.w, b.w, -dot(a.r, b.r))};
  }
  RBD_INLINE Vec3<S> rotate(const Vec3<S>& a) const {
    const S two(RealOf<S>(2));
    const Vec3<S> t = two * cross(r, a);
    return mul_add(w, t, a + cross(r, t));
  }
};

/// Of length one, with w >= 0, for the frame that E turns the world's coordinates into. The largest
/// of the four components is taken from the diagonal, the others by dividing by it, so that no
/// small number is divided by (Shepperd 1978); with selects in place of branches.
template <class S>
RBD_INLINE Quaternion<S> quaternion_from_rotation(const Mat3<S>& E) {
  using T = ScalarTraits<S>;
  const S one(RealOf<S>(1)), half(RealOf<S>(0.5)), zero(RealOf<S>(0));
  // Four times the squares of the components, then four times their products.
  const S ww = one + E.x.x + E.y.y + E.z.z, xx = one + E.x.x - E.y.y - E.z.z;
  const S yy = one - E.x.x + E.y.y - E.z.z, zz = one - E.x.x - E.y.y + E.z.z;
  const S xw = E.y.z - E.z.y, yw = E.z.x - E.x.z, zw = E.x.y - E.y.x;
  const S xy = E.x.y + E.y.x, xz = E.x.z + E.z.x, yz = E.y.z + E.z.y;
  Quaternion<S> q{{xw, yw, zw}, ww};
  S largest = ww;
  const auto take_if_larger = [&](const S& square,
                                  const Quaternion<S>& candidate) RBD_INLINE_LAMBDA {
    const auto larger = T::less(largest, square);
    largest = T::select(larger, square, largest);
    q = {{T::select(larger, candidate.r.x, q.r.x), T::select(larger, candidate.r.y, q.r.y),
          T::select(larger, candidate.r.z, q.r.z)},
         T::select(larger, candidate.w, q.w)};
  };
  take_if_larger(xx, {{xx, xy, xz}, xw});
  take_if_larger(yy, {{xy, yy, yz}, yw});
  take_if_larger(zz, {{xz, yz, zz}, zw});
  const S scale = T::select(T::less(q.w, zero), -half, half) / T::sqrt(largest);
  return {{scale * q.r.x, scale * q.r.y, scale * q.r.z}, scale * q.w};
}

}  // namespace rbd_parallel_core
