// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/spatial/scalar.hpp"

namespace rbd_parallel_core {

/// A vector of three numbers.
template <class S>
struct Vec3 {
  S x, y, z;

  static RBD_INLINE Vec3 zero() {
    const S o(RealOf<S>(0));
    return {o, o, o};
  }

  friend RBD_INLINE Vec3 operator+(const Vec3& a, const Vec3& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend RBD_INLINE Vec3 operator-(const Vec3& a, const Vec3& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend RBD_INLINE Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
  friend RBD_INLINE Vec3 operator*(const S& s, const Vec3& a) {
    return {s * a.x, s * a.y, s * a.z};
  }
  RBD_INLINE Vec3& operator+=(const Vec3& b) { return *this = *this + b; }
  RBD_INLINE Vec3& operator-=(const Vec3& b) { return *this = *this - b; }
};

template <class S>
RBD_INLINE S dot(const Vec3<S>& a, const Vec3<S>& b) {
  return mul_add(a.x, b.x, mul_add(a.y, b.y, a.z * b.z));
}

template <class S>
RBD_INLINE Vec3<S> cross(const Vec3<S>& a, const Vec3<S>& b) {
  return {mul_mul_sub(a.y, b.z, a.z, b.y), mul_mul_sub(a.z, b.x, a.x, b.z),
          mul_mul_sub(a.x, b.y, a.y, b.x)};
}

/// s a + b
template <class S>
RBD_INLINE Vec3<S> mul_add(const S& s, const Vec3<S>& a, const Vec3<S>& b) {
  return {mul_add(s, a.x, b.x), mul_add(s, a.y, b.y), mul_add(s, a.z, b.z)};
}

/// The same vector in every lane of another Scalar.
template <class S, class R>
RBD_INLINE Vec3<S> broadcast(const Vec3<R>& a) {
  return {S(a.x), S(a.y), S(a.z)};
}

}  // namespace rbd_parallel_core
