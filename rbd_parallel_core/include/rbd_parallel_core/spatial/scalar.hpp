// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

/// Marks a function that a CUDA thread may call too; an algorithm, local to the file that uses it
/// for the second reason below. CUDA kernels inline it: a call would spill what its caller keeps.
#if defined(__CUDACC__)
#define RBD_HD __host__ __device__
#define RBD_KERNEL RBD_HD static __forceinline__
#else
#define RBD_HD
#define RBD_KERNEL RBD_HD static
#endif

/// Marks a small function of the kernels. It is always inlined, for two reasons: speed, and because
/// the same header is compiled for several instruction sets, where an out-of-line copy made with
/// AVX could be picked by the linker for the baseline path.
/// Files that trace the algorithms define RBD_TRACING: neither reason holds for a symbol, and to
/// inline its operations takes the compiler long.
#if defined(RBD_TRACING)
#define RBD_INLINE inline
#else
#define RBD_INLINE RBD_HD inline __attribute__((always_inline))
#endif

/// As RBD_INLINE, for a lambda: `[&](const auto& x) RBD_INLINE_LAMBDA { ... }`.
#if defined(RBD_TRACING)
#define RBD_INLINE_LAMBDA
#else
#define RBD_INLINE_LAMBDA __attribute__((always_inline))
#endif

namespace rbd_parallel_core {

/// What the algorithms ask of a Scalar beyond + - * / and construction from a number.
///
/// The algorithms never write `if (x > 0)` on a Scalar: with a pack of states in SIMD lanes the
/// answer differs from lane to lane. They use `select` instead. A new kind of Scalar (a pack, a
/// symbol) joins by specialising this struct. In memory a Scalar is `width` numbers of type Real,
/// one for each state, with no alignment promised.
template <class S>
struct ScalarTraits {
  static_assert(std::is_floating_point_v<S>, "specialise ScalarTraits for this Scalar");
  using Real = S;
  using Mask = bool;
  static constexpr std::size_t width = 1;

  static RBD_INLINE S load(const Real* at) { return *at; }
  static RBD_INLINE void store(Real* at, S x) { *at = x; }
  /// a b + c, fused where the hardware has it. Written out because contraction by the compiler is
  /// switched off: results must not depend on what it happens to fuse.
  static RBD_INLINE S mul_add(S a, S b, S c) {
#if defined(__FMA__) || defined(__CUDA_ARCH__)
    return std::fma(a, b, c);
#else
    return a * b + c;
#endif
  }
  /// c - a b
  static RBD_INLINE S neg_mul_add(S a, S b, S c) { return mul_add(-a, b, c); }
  static RBD_INLINE S sqrt(S x) { return std::sqrt(x); }
  static RBD_INLINE S abs(S x) { return std::abs(x); }
  static RBD_INLINE S max(S a, S b) { return a < b ? b : a; }
  static RBD_INLINE void sincos(S x, S& sine, S& cosine) {
    sine = std::sin(x);
    cosine = std::cos(x);
  }
  static RBD_INLINE Mask less(S a, S b) { return a < b; }
  static RBD_INLINE Mask less_equal(S a, S b) { return a <= b; }
  static RBD_INLINE S select(Mask mask, S a, S b) { return mask ? a : b; }
  static RBD_INLINE bool all(Mask mask) { return mask; }
};

template <class S>
using RealOf = typename ScalarTraits<S>::Real;

template <class S>
RBD_INLINE S mul_add(const S& a, const S& b, const S& c) {
  return ScalarTraits<S>::mul_add(a, b, c);
}

/// c - a b
template <class S>
RBD_INLINE S neg_mul_add(const S& a, const S& b, const S& c) {
  return ScalarTraits<S>::neg_mul_add(a, b, c);
}

/// a b + c d
template <class S>
RBD_INLINE S mul_mul_add(const S& a, const S& b, const S& c, const S& d) {
  return mul_add(a, b, c * d);
}

/// a b - c d
template <class S>
RBD_INLINE S mul_mul_sub(const S& a, const S& b, const S& c, const S& d) {
  return neg_mul_add(c, d, a * b);
}

/// -1, 0 or 1, as the sign of x.
template <class S>
RBD_INLINE S sign(const S& x) {
  using T = ScalarTraits<S>;
  const S zero(RealOf<S>(0)), one(RealOf<S>(1));
  return T::select(T::less(zero, x), one, T::select(T::less(x, zero), -one, zero));
}

}  // namespace rbd_parallel_core
