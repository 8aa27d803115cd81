// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/spatial/scalar.hpp"

namespace rbd_parallel_core {

/// Whether the compiler knows x, the derivative of a Dual: then that is a constant of the model,
/// whose derivative is zero in every lane, and a product with it costs two multiplications in place
/// of three. The rules of floating-point numbers forbid the compiler to leave out 0 x by itself.
template <class S>
RBD_INLINE bool is_known_zero(const S& x) {
#if defined(__GNUC__) && !defined(__CUDACC__)
  if constexpr (requires { x.x[0]; }) {
    return __builtin_constant_p(x.x[0]) && x.x[0] == 0;
  } else if constexpr (std::is_floating_point_v<S>) {
    return __builtin_constant_p(x) && x == 0;
  }
#endif
  return false;
}

/// What a Dual consists of: plain data where its parts are plain numbers.
template <class S, bool plain = std::is_arithmetic_v<S>>
struct DualParts {
  S x;  ///< value
  S d;  ///< derivative
};
/// Packs are copied one by one. Otherwise a matrix of them is so large that GCC copies it by a call
/// of memcpy, and every register around that call goes to memory and back.
template <class S>
struct DualParts<S, false> {
  S x, d;

  DualParts() = default;
  RBD_INLINE DualParts(const S& value, const S& derivative) : x(value), d(derivative) {}
  RBD_INLINE DualParts(const DualParts& a) : x(a.x), d(a.d) {}
  RBD_INLINE DualParts& operator=(const DualParts& a) {
    x = a.x;
    d = a.d;
    return *this;
  }
};

/// A number with its derivative along one direction, as a Scalar: an algorithm that runs on it
/// computes its own directional derivative beside its result (forward-mode differentiation).
template <class S>
struct Dual : DualParts<S> {
  Dual() = default;
  RBD_INLINE Dual(const S& value, const S& derivative) : DualParts<S>{value, derivative} {}
  /// A constant.
  RBD_INLINE explicit Dual(RealOf<S> value) : Dual(S(value), S(RealOf<S>(0))) {}

  friend RBD_INLINE Dual operator+(const Dual& a, const Dual& b) { return {a.x + b.x, a.d + b.d}; }
  friend RBD_INLINE Dual operator-(const Dual& a, const Dual& b) { return {a.x - b.x, a.d - b.d}; }
  friend RBD_INLINE Dual operator-(const Dual& a) { return {-a.x, -a.d}; }
  friend RBD_INLINE Dual operator*(const Dual& a, const Dual& b) {
    if (is_known_zero(a.d)) return {a.x * b.x, a.x * b.d};
    if (is_known_zero(b.d)) return {a.x * b.x, a.d * b.x};
    return {a.x * b.x, mul_mul_add(a.d, b.x, a.x, b.d)};
  }
  friend RBD_INLINE Dual operator/(const Dual& a, const Dual& b) {
    const S quotient = a.x / b.x;
    return {quotient, neg_mul_add(quotient, b.d, a.d) / b.x};
  }
};

/// Comparisons look at the value only. Not for `load` and `store`: numbers and derivatives lie in
/// arrays of their own, which a reader brings together.
template <class S>
struct ScalarTraits<Dual<S>> {
  using D = Dual<S>;
  using T = ScalarTraits<S>;
  using Real = RealOf<S>;
  using Mask = typename T::Mask;
  static constexpr std::size_t width = T::width;

  static RBD_INLINE D mul_add(const D& a, const D& b, const D& c) {
    S d = c.d;
    if (!is_known_zero(a.d)) d = T::mul_add(a.d, b.x, d);
    if (!is_known_zero(b.d)) d = T::mul_add(a.x, b.d, d);
    return {T::mul_add(a.x, b.x, c.x), d};
  }
  static RBD_INLINE D neg_mul_add(const D& a, const D& b, const D& c) {
    return {T::neg_mul_add(a.x, b.x, c.x), T::neg_mul_add(a.x, b.d, T::neg_mul_add(a.d, b.x, c.d))};
  }
  /// At zero, where it has no derivative, that is taken for zero: right for the length of a vector
  /// of which even functions are computed, as the exponential of a twist does.
  static RBD_INLINE D sqrt(const D& a) {
    const S root = T::sqrt(a.x), zero(Real(0));
    const auto vanishes = T::less_equal(root, zero);
    const S slope = a.d / T::select(vanishes, S(Real(1)), root + root);
    return {root, T::select(vanishes, zero, slope)};
  }
  static RBD_INLINE D abs(const D& a) { return select(less(a, D(Real(0))), -a, a); }
  static RBD_INLINE D max(const D& a, const D& b) { return select(less(a, b), b, a); }
  static RBD_INLINE void sincos(const D& a, D& sine, D& cosine) {
    S s, c;
    T::sincos(a.x, s, c);
    sine = {s, c * a.d};
    cosine = {c, -s * a.d};
  }
  static RBD_INLINE Mask less(const D& a, const D& b) { return T::less(a.x, b.x); }
  static RBD_INLINE Mask less_equal(const D& a, const D& b) { return T::less_equal(a.x, b.x); }
  static RBD_INLINE D select(const Mask& mask, const D& a, const D& b) {
    return {T::select(mask, a.x, b.x), T::select(mask, a.d, b.d)};
  }
  static RBD_INLINE bool all(const Mask& mask) { return T::all(mask); }
};

}  // namespace rbd_parallel_core
