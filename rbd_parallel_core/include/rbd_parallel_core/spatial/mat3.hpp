// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/spatial/vec3.hpp"

namespace rbd_parallel_core {

/// A 3x3 matrix, kept as its three rows.
template <class S>
struct Mat3 {
  Vec3<S> x, y, z;

  static RBD_INLINE Mat3 zero() { return {Vec3<S>::zero(), Vec3<S>::zero(), Vec3<S>::zero()}; }
  static RBD_INLINE Mat3 identity() {
    const S o(RealOf<S>(0)), i(RealOf<S>(1));
    return {{i, o, o}, {o, i, o}, {o, o, i}};
  }

  friend RBD_INLINE Mat3 operator+(const Mat3& a, const Mat3& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend RBD_INLINE Mat3 operator-(const Mat3& a, const Mat3& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend RBD_INLINE Vec3<S> operator*(const Mat3& a, const Vec3<S>& b) {
    return {dot(a.x, b), dot(a.y, b), dot(a.z, b)};
  }
  friend RBD_INLINE Mat3 operator*(const Mat3& a, const Mat3& b) {
    return {transpose_times(b, a.x), transpose_times(b, a.y), transpose_times(b, a.z)};
  }
  RBD_INLINE Mat3& operator+=(const Mat3& b) { return *this = *this + b; }
};

/// A^T b
template <class S>
RBD_INLINE Vec3<S> transpose_times(const Mat3<S>& a, const Vec3<S>& b) {
  return mul_add(b.x, a.x, mul_add(b.y, a.y, b.z * a.z));
}

template <class S>
RBD_INLINE Mat3<S> transpose(const Mat3<S>& a) {
  return {{a.x.x, a.y.x, a.z.x}, {a.x.y, a.y.y, a.z.y}, {a.x.z, a.y.z, a.z.z}};
}

template <class S>
RBD_INLINE S trace(const Mat3<S>& a) {
  return (a.x.x + a.y.y) + a.z.z;
}

/// The matrix rx for which rx a = r x a.
template <class S>
RBD_INLINE Mat3<S> skew(const Vec3<S>& r) {
  const S o(RealOf<S>(0));
  return {{o, -r.z, r.y}, {r.z, o, -r.x}, {-r.y, r.x, o}};
}

template <class S, class R>
RBD_INLINE Mat3<S> broadcast(const Mat3<R>& a) {
  return {broadcast<S>(a.x), broadcast<S>(a.y), broadcast<S>(a.z)};
}

/// A symmetric 3x3 matrix in six numbers.
template <class S>
struct SymMat3 {
  S xx, xy, xz, yy, yz, zz;

  static RBD_INLINE SymMat3 zero() {
    const S o(RealOf<S>(0));
    return {o, o, o, o, o, o};
  }
  static RBD_INLINE SymMat3 diagonal(const S& d) {
    const S o(RealOf<S>(0));
    return {d, o, o, d, o, d};
  }

  friend RBD_INLINE SymMat3 operator+(const SymMat3& a, const SymMat3& b) {
    return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
  }
  friend RBD_INLINE SymMat3 operator-(const SymMat3& a, const SymMat3& b) {
    return {a.xx - b.xx, a.xy - b.xy, a.xz - b.xz, a.yy - b.yy, a.yz - b.yz, a.zz - b.zz};
  }
  friend RBD_INLINE Vec3<S> operator*(const SymMat3& a, const Vec3<S>& b) {
    return {mul_add(a.xx, b.x, mul_add(a.xy, b.y, a.xz * b.z)),
            mul_add(a.xy, b.x, mul_add(a.yy, b.y, a.yz * b.z)),
            mul_add(a.xz, b.x, mul_add(a.yz, b.y, a.zz * b.z))};
  }
  RBD_INLINE SymMat3& operator+=(const SymMat3& b) { return *this = *this + b; }
};

template <class S>
RBD_INLINE Mat3<S> dense(const SymMat3<S>& a) {
  return {{a.xx, a.xy, a.xz}, {a.xy, a.yy, a.yz}, {a.xz, a.yz, a.zz}};
}

/// a - u u^T / d, given u and u/d: the rank-one step of every articulated-body elimination.
template <class S>
RBD_INLINE SymMat3<S> rank_one_downdate(const SymMat3<S>& a, const Vec3<S>& u,
                                        const Vec3<S>& u_over_d) {
  return {neg_mul_add(u.x, u_over_d.x, a.xx), neg_mul_add(u.x, u_over_d.y, a.xy),
          neg_mul_add(u.x, u_over_d.z, a.xz), neg_mul_add(u.y, u_over_d.y, a.yy),
          neg_mul_add(u.y, u_over_d.z, a.yz), neg_mul_add(u.z, u_over_d.z, a.zz)};
}

/// E^T A E: the matrix A, given in the rotated axes, in the axes before E.
template <class S>
RBD_INLINE SymMat3<S> rotate_back(const Mat3<S>& E, const SymMat3<S>& a) {
  const Mat3<S> t = dense(a) * E;
  const Mat3<S> columns = transpose(E);
  const Vec3<S> tx{t.x.x, t.y.x, t.z.x}, ty{t.x.y, t.y.y, t.z.y}, tz{t.x.z, t.y.z, t.z.z};
  return {dot(columns.x, tx), dot(columns.x, ty), dot(columns.x, tz),
          dot(columns.y, ty), dot(columns.y, tz), dot(columns.z, tz)};
}

/// E^T A E for any A.
template <class S>
RBD_INLINE Mat3<S> rotate_back(const Mat3<S>& E, const Mat3<S>& a) {
  return transpose(E) * (a * E);
}

template <class S, class R>
RBD_INLINE SymMat3<S> broadcast(const SymMat3<R>& a) {
  return {S(a.xx), S(a.xy), S(a.xz), S(a.yy), S(a.yz), S(a.zz)};
}

}  // namespace rbd_parallel_core
