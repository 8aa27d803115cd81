// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/spatial/articulated_inertia.hpp"

/// Turns about and shifts along one axis of a frame. A joint in canonical form turns about z; a
/// placement in Denavit-Hartenberg form turns about x. Each costs about half of a general rotation.
namespace rbd_parallel_core {

/// Renames the axes x, y, z to z, x, y and back, so that what is written for z serves x too. Moves
/// no data.
template <class S>
RBD_INLINE Vec3<S> x_to_z(const Vec3<S>& a) {
  return {a.y, a.z, a.x};
}
template <class S>
RBD_INLINE Vec3<S> z_to_x(const Vec3<S>& a) {
  return {a.z, a.x, a.y};
}
template <class S>
RBD_INLINE SymMat3<S> x_to_z(const SymMat3<S>& a) {
  return {a.yy, a.yz, a.xy, a.zz, a.xz, a.xx};
}
template <class S>
RBD_INLINE SymMat3<S> z_to_x(const SymMat3<S>& a) {
  return {a.zz, a.xz, a.yz, a.xx, a.xy, a.yy};
}
template <class S>
RBD_INLINE Mat3<S> x_to_z(const Mat3<S>& a) {
  return {x_to_z(a.y), x_to_z(a.z), x_to_z(a.x)};
}
template <class S>
RBD_INLINE Mat3<S> z_to_x(const Mat3<S>& a) {
  return {z_to_x(a.z), z_to_x(a.x), z_to_x(a.y)};
}
template <class S>
RBD_INLINE Force<S> x_to_z(const Force<S>& a) {
  return {x_to_z(a.n), x_to_z(a.f)};
}
template <class S>
RBD_INLINE Force<S> z_to_x(const Force<S>& a) {
  return {z_to_x(a.n), z_to_x(a.f)};
}
template <class S>
RBD_INLINE Inertia<S> x_to_z(const Inertia<S>& a) {
  return {a.m, x_to_z(a.h), x_to_z(a.I)};
}
template <class S>
RBD_INLINE Inertia<S> z_to_x(const Inertia<S>& a) {
  return {a.m, z_to_x(a.h), z_to_x(a.I)};
}
template <class S>
RBD_INLINE ArticulatedInertia<S> x_to_z(const ArticulatedInertia<S>& a) {
  return {x_to_z(a.I), x_to_z(a.H), x_to_z(a.M)};
}
template <class S>
RBD_INLINE ArticulatedInertia<S> z_to_x(const ArticulatedInertia<S>& a) {
  return {z_to_x(a.I), z_to_x(a.H), z_to_x(a.M)};
}

/// The rotation of a frame about z by an angle, kept as its cosine and sine:
/// E = [c s 0; -s c 0; 0 0 1].
template <class S>
struct ZTurn {
  S c, s;

  /// E a: into the turned axes
  RBD_INLINE Vec3<S> rotate(const Vec3<S>& a) const {
    return {mul_mul_add(c, a.x, s, a.y), mul_mul_sub(c, a.y, s, a.x), a.z};
  }
  /// E^T a: out of the turned axes
  RBD_INLINE Vec3<S> rotate_back(const Vec3<S>& a) const {
    return {mul_mul_sub(c, a.x, s, a.y), mul_mul_add(s, a.x, c, a.y), a.z};
  }
  /// E B: the rows of B are turned
  RBD_INLINE Mat3<S> rotate_rows(const Mat3<S>& b) const {
    return {mul_add(c, b.x, s * b.y), mul_add(c, b.y, -s * b.x), b.z};
  }
  /// E^T A E. In the plane, u = s (xx - yy) + 2 c xy gives all three entries.
  RBD_INLINE SymMat3<S> rotate_back(const SymMat3<S>& a) const {
    const S u = mul_mul_add(s, a.xx - a.yy, c, a.xy + a.xy);
    return {neg_mul_add(s, u, a.xx), mul_add(c, u, -a.xy),          mul_mul_sub(c, a.xz, s, a.yz),
            mul_add(s, u, a.yy),     mul_mul_add(s, a.xz, c, a.yz), a.zz};
  }
  RBD_INLINE Mat3<S> rotate_back(const Mat3<S>& a) const {
    const S u = mul_mul_add(s, a.x.x - a.y.y, c, a.x.y + a.y.x);
    return {{neg_mul_add(s, u, a.x.x), mul_add(c, u, -a.y.x), mul_mul_sub(c, a.x.z, s, a.y.z)},
            {mul_add(c, u, -a.x.y), mul_add(s, u, a.y.y), mul_mul_add(s, a.x.z, c, a.y.z)},
            {mul_mul_sub(c, a.z.x, s, a.z.y), mul_mul_add(s, a.z.x, c, a.z.y), a.z.z}};
  }
  RBD_INLINE Force<S> rotate_back(const Force<S>& a) const {
    return {rotate_back(a.n), rotate_back(a.f)};
  }
  RBD_INLINE Inertia<S> rotate_back(const Inertia<S>& a) const {
    return {a.m, rotate_back(a.h), rotate_back(a.I)};
  }
  RBD_INLINE ArticulatedInertia<S> rotate_back(const ArticulatedInertia<S>& a) const {
    return {rotate_back(a.I), rotate_back(a.H), rotate_back(a.M)};
  }
};

/// The turn about z by a right angle: c = 0, s = 1. Moves and negates numbers, computes nothing.
template <class S>
struct ZQuarterTurn {
  RBD_INLINE Vec3<S> rotate(const Vec3<S>& a) const { return {a.y, -a.x, a.z}; }
  RBD_INLINE Vec3<S> rotate_back(const Vec3<S>& a) const { return {-a.y, a.x, a.z}; }
  RBD_INLINE SymMat3<S> rotate_back(const SymMat3<S>& a) const {
    return {a.yy, -a.xy, -a.yz, a.xx, a.xz, a.zz};
  }
  RBD_INLINE Mat3<S> rotate_back(const Mat3<S>& a) const {
    return {{a.y.y, -a.y.x, -a.y.z}, {-a.x.y, a.x.x, a.x.z}, {-a.z.y, a.z.x, a.z.z}};
  }
  RBD_INLINE Force<S> rotate_back(const Force<S>& a) const {
    return {rotate_back(a.n), rotate_back(a.f)};
  }
  RBD_INLINE Inertia<S> rotate_back(const Inertia<S>& a) const {
    return {a.m, rotate_back(a.h), rotate_back(a.I)};
  }
  RBD_INLINE ArticulatedInertia<S> rotate_back(const ArticulatedInertia<S>& a) const {
    return {rotate_back(a.I), rotate_back(a.H), rotate_back(a.M)};
  }
};

/// A turn about x, by any angle. Like the two after it, it also knows where a point lies that is
/// reached by going along x, then along the turned z axis: the origin of a Denavit-Hartenberg row.
template <class S>
struct XTurn {
  S c, s;

  template <class T>
  RBD_INLINE T rotate(const T& a) const {
    return z_to_x(ZTurn<S>{c, s}.rotate(x_to_z(a)));
  }
  template <class T>
  RBD_INLINE T rotate_back(const T& a) const {
    return z_to_x(ZTurn<S>{c, s}.rotate_back(x_to_z(a)));
  }
  RBD_INLINE Mat3<S> rotate_rows(const Mat3<S>& b) const {
    return {b.x, mul_add(c, b.y, s * b.z), mul_add(c, b.z, -s * b.y)};
  }
  /// (a, 0, 0) + shift times the turned z axis
  RBD_INLINE Vec3<S> point(const S& a, const S& shift) const { return {a, -s * shift, c * shift}; }
  /// K point(a, shift)
  RBD_INLINE Vec3<S> times_point(const Mat3<S>& K, const S& a, const S& shift) const {
    return K * point(a, shift);
  }
};

/// The turn about x by a right angle.
template <class S>
struct XQuarterTurn {
  template <class T>
  RBD_INLINE T rotate(const T& a) const {
    return z_to_x(ZQuarterTurn<S>{}.rotate(x_to_z(a)));
  }
  template <class T>
  RBD_INLINE T rotate_back(const T& a) const {
    return z_to_x(ZQuarterTurn<S>{}.rotate_back(x_to_z(a)));
  }
  RBD_INLINE Mat3<S> rotate_rows(const Mat3<S>& b) const { return {b.x, b.z, -b.y}; }
  RBD_INLINE Vec3<S> point(const S& a, const S& shift) const {
    return {a, -shift, S(RealOf<S>(0))};
  }
  RBD_INLINE Vec3<S> times_point(const Mat3<S>& K, const S& a, const S& shift) const {
    return {mul_mul_sub(a, K.x.x, shift, K.x.y), mul_mul_sub(a, K.y.x, shift, K.y.y),
            mul_mul_sub(a, K.z.x, shift, K.z.y)};
  }
};

/// The turn about x by nothing.
template <class S>
struct NoTurn {
  template <class T>
  RBD_INLINE T rotate(const T& a) const {
    return a;
  }
  template <class T>
  RBD_INLINE T rotate_back(const T& a) const {
    return a;
  }
  RBD_INLINE Mat3<S> rotate_rows(const Mat3<S>& b) const { return b; }
  RBD_INLINE Vec3<S> point(const S& a, const S& shift) const { return {a, S(RealOf<S>(0)), shift}; }
  RBD_INLINE Vec3<S> times_point(const Mat3<S>& K, const S& a, const S& shift) const {
    return {mul_mul_add(a, K.x.x, shift, K.x.z), mul_mul_add(a, K.y.x, shift, K.y.z),
            mul_mul_add(a, K.z.x, shift, K.z.z)};
  }
};

/// shift(a, (0, 0, z)): the same thing seen from a frame of the same orientation whose origin lies
/// z back.
template <class S>
RBD_INLINE Force<S> shift_along_z(const Force<S>& a, const S& z) {
  return {{neg_mul_add(z, a.f.y, a.n.x), mul_add(z, a.f.x, a.n.y), a.n.z}, a.f};
}
template <class S>
RBD_INLINE Inertia<S> shift_along_z(const Inertia<S>& a, const S& z) {
  const S hz = mul_add(a.m, z, a.h.z);
  const S both = (a.h.z + hz) * z;
  return {a.m,
          {a.h.x, a.h.y, hz},
          {a.I.xx + both, a.I.xy, neg_mul_add(a.h.x, z, a.I.xz), a.I.yy + both,
           neg_mul_add(a.h.y, z, a.I.yz), a.I.zz}};
}
template <class S>
RBD_INLINE ArticulatedInertia<S> shift_along_z(const ArticulatedInertia<S>& a, const S& z) {
  // As the general shift with r = (0, 0, z), where many terms are zero.
  const Vec3<S> Hx{neg_mul_add(z, a.M.xy, a.H.x.x), neg_mul_add(z, a.M.yy, a.H.x.y),
                   neg_mul_add(z, a.M.yz, a.H.x.z)};
  const Vec3<S> Hy{mul_add(z, a.M.xx, a.H.y.x), mul_add(z, a.M.xy, a.H.y.y),
                   mul_add(z, a.M.xz, a.H.y.z)};
  const S half_z = S(RealOf<S>(0.5)) * z;
  return {{neg_mul_add(z, a.H.x.y + Hx.y, a.I.xx),
           mul_add(half_z, (a.H.x.x + Hx.x) - (a.H.y.y + Hy.y), a.I.xy),
           neg_mul_add(z, a.H.z.y, a.I.xz), mul_add(z, a.H.y.x + Hy.x, a.I.yy),
           mul_add(z, a.H.z.x, a.I.yz), a.I.zz},
          {Hx, Hy, a.H.z},
          a.M};
}

template <class T, class S>
RBD_INLINE T shift_along_x(const T& a, const S& x) {
  return z_to_x(shift_along_z(x_to_z(a), x));
}

}  // namespace rbd_parallel_core
