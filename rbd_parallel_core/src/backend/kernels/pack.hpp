// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <xsimd/xsimd.hpp>

#include "rbd_parallel_core/algorithm/access.hpp"
#include "rbd_parallel_core/spatial/sincos.hpp"

/// A pack of states as a Scalar: lane l of every number belongs to state l. As wide as the
/// registers of the instruction set that the file is compiled for. The name of that set is part of
/// the type, so that code for different ones never gets the same symbol.
namespace rbd_parallel_core {

template <class T, class Arch = xsimd::default_arch>
struct Pack {
  using Batch = xsimd::batch<T, Arch>;
  using Register = typename Batch::register_type;
  static constexpr std::size_t width = Batch::size;

  Register x;

  Pack() = default;
  RBD_INLINE explicit Pack(T value) : x(Batch(value)) {}
  RBD_INLINE Pack(const Batch& batch) : x(batch) {}
  RBD_INLINE Batch batch() const { return Batch(x); }

  // The operators of the compiler's own vectors: unlike calls of intrinsics it can fold them, a
  // negation into a fused multiply-add for instance. Each is one function deep, since a kernel has
  // thousands of them and the compiler's time goes into inlining.
#define RBD_PACK_OPERATOR(op)                                        \
  friend RBD_INLINE Pack operator op(const Pack& a, const Pack& b) { \
    Pack result;                                                     \
    result.x = a.x op b.x;                                           \
    return result;                                                   \
  }
  RBD_PACK_OPERATOR(+)
  RBD_PACK_OPERATOR(-)
  RBD_PACK_OPERATOR(*)
  RBD_PACK_OPERATOR(/)
#undef RBD_PACK_OPERATOR
  friend RBD_INLINE Pack operator-(const Pack& a) {
    Pack result;
    result.x = -a.x;
    return result;
  }
};

/// Sine and cosine of one lane whose angle is out of the range of reduced_sincos, by the library.
template <class T>
[[gnu::noinline]] RBD_KERNEL void large_sincos(T x, T& sine, T& cosine) {
  sine = std::sin(x);
  cosine = std::cos(x);
}

/// result = a b + c for registers, fused where the instruction set has it, and result = c - a b. By
/// intrinsics, since xsimd 8 has no fused operation for AVX-512, and since the compiler keeps -a in
/// a register where several products share it.
#if defined(__AVX512F__)
#define RBD_PACK_FUSED(result, a, b, c)                            \
  if constexpr (sizeof(T) == 8) result = _mm512_fmadd_pd(a, b, c); \
  if constexpr (sizeof(T) == 4) result = _mm512_fmadd_ps(a, b, c)
#define RBD_PACK_FUSED_MINUS(result, a, b, c)                       \
  if constexpr (sizeof(T) == 8) result = _mm512_fnmadd_pd(a, b, c); \
  if constexpr (sizeof(T) == 4) result = _mm512_fnmadd_ps(a, b, c)
#elif defined(__FMA__)
#define RBD_PACK_FUSED(result, a, b, c)                            \
  if constexpr (sizeof(T) == 8) result = _mm256_fmadd_pd(a, b, c); \
  if constexpr (sizeof(T) == 4) result = _mm256_fmadd_ps(a, b, c)
#define RBD_PACK_FUSED_MINUS(result, a, b, c)                       \
  if constexpr (sizeof(T) == 8) result = _mm256_fnmadd_pd(a, b, c); \
  if constexpr (sizeof(T) == 4) result = _mm256_fnmadd_ps(a, b, c)
#elif defined(__aarch64__)
#define RBD_PACK_FUSED(result, a, b, c)                      \
  if constexpr (sizeof(T) == 8) result = vfmaq_f64(c, a, b); \
  if constexpr (sizeof(T) == 4) result = vfmaq_f32(c, a, b)
#define RBD_PACK_FUSED_MINUS(result, a, b, c)                \
  if constexpr (sizeof(T) == 8) result = vfmsq_f64(c, a, b); \
  if constexpr (sizeof(T) == 4) result = vfmsq_f32(c, a, b)
#else
#define RBD_PACK_FUSED(result, a, b, c) result = a * b + c
#define RBD_PACK_FUSED_MINUS(result, a, b, c) result = c - a * b
#endif

/// Stores a register past the caches. `at` is aligned to it.
#if defined(__AVX512F__)
RBD_INLINE void store_past_cache(double* at, __m512d x) { _mm512_stream_pd(at, x); }
RBD_INLINE void store_past_cache(float* at, __m512 x) { _mm512_stream_ps(at, x); }
#elif defined(__AVX__)
RBD_INLINE void store_past_cache(double* at, __m256d x) { _mm256_stream_pd(at, x); }
RBD_INLINE void store_past_cache(float* at, __m256 x) { _mm256_stream_ps(at, x); }
#elif defined(__SSE2__)
RBD_INLINE void store_past_cache(double* at, __m128d x) { _mm_stream_pd(at, x); }
RBD_INLINE void store_past_cache(float* at, __m128 x) { _mm_stream_ps(at, x); }
#else
template <class Real, class Register>
RBD_INLINE void store_past_cache(Real* at, const Register& x) {
  __builtin_memcpy(at, &x, sizeof x);
}
#endif

template <class T, class Arch>
struct ScalarTraits<Pack<T, Arch>> {
  using S = Pack<T, Arch>;
  using Real = T;
  using Mask = xsimd::batch_bool<T, Arch>;
  static constexpr std::size_t width = S::width;

  static RBD_INLINE S load(const Real* at) { return S::Batch::load_unaligned(at); }
  static RBD_INLINE void store(Real* at, const S& x) { x.batch().store_unaligned(at); }
  /// For what is not read again soon: nothing else leaves the caches for it, and it is not read
  /// first. `at` is aligned to the register. Others see it after finish_stores_past_cache.
  static RBD_INLINE void store_past_cache(Real* at, const S& x) {
    rbd_parallel_core::store_past_cache(at, x.x);
  }
  static RBD_INLINE void finish_stores_past_cache() {
#ifdef __SSE2__
    _mm_sfence();
#endif
  }
  static RBD_INLINE S mul_add(const S& a, const S& b, const S& c) {
    S result;
    RBD_PACK_FUSED(result.x, a.x, b.x, c.x);
    return result;
  }
  static RBD_INLINE S neg_mul_add(const S& a, const S& b, const S& c) {
    S result;
    RBD_PACK_FUSED_MINUS(result.x, a.x, b.x, c.x);
    return result;
  }
  static RBD_INLINE S sqrt(const S& x) { return xsimd::sqrt(x.batch()); }
  static RBD_INLINE S abs(const S& x) { return xsimd::abs(x.batch()); }
  static RBD_INLINE S max(const S& a, const S& b) { return xsimd::max(a.batch(), b.batch()); }
  static RBD_INLINE Mask less(const S& a, const S& b) { return a.batch() < b.batch(); }
  static RBD_INLINE Mask less_equal(const S& a, const S& b) { return a.batch() <= b.batch(); }
  static RBD_INLINE S select(const Mask& mask, const S& a, const S& b) {
    return xsimd::select(mask, a.batch(), b.batch());
  }
  static RBD_INLINE bool all(const Mask& mask) { return xsimd::all(mask); }

  static RBD_INLINE void sincos(const S& x, S& sine, S& cosine) {
    reduced_sincos(x, sine, cosine);
    if (all(less_equal(abs(x), S(largest_reduced_angle<T>)))) [[likely]]
      return;
    mend_large_sincos(x, sine, cosine);
  }
  /// By the library where an angle is out of the range of reduced_sincos, or no number.
  static RBD_INLINE void mend_large_sincos(const S& x, S& sine, S& cosine) {
    T angles[width], s[width], c[width];
    store(angles, x);
    store(s, sine);
    store(c, cosine);
    for (std::size_t l = 0; l < width; ++l) {
      if (!(std::abs(angles[l]) <= largest_reduced_angle<T>)) large_sincos(angles[l], s[l], c[l]);
    }
    sine = load(s);
    cosine = load(c);
  }
};

/// As the general one, which packs would leave at each angle to look at its size: here they do so
/// once for all of them.
template <class T, class Arch>
RBD_KERNEL void sincos_all(const Column<Pack<T, Arch>>& angle, const Column<Pack<T, Arch>>& sine,
                           const Column<Pack<T, Arch>>& cosine, std::int32_t n) {
  using S = Pack<T, Arch>;
  using Traits = ScalarTraits<S>;
  const S* __restrict const x = angle.data;
  S* __restrict const s = sine.data, * __restrict const c = cosine.data;
  const S limit(largest_reduced_angle<T>);
  auto small = Traits::less_equal(limit, limit);
  for (std::int32_t i = 0; i < n; ++i) {
    const S angle_i = x[i];
    S sine_i, cosine_i;
    reduced_sincos(angle_i, sine_i, cosine_i);
    s[i] = sine_i;
    c[i] = cosine_i;
    small = small & Traits::less_equal(Traits::abs(angle_i), limit);
  }
  if (Traits::all(small)) [[likely]]
    return;
  for (std::int32_t i = 0; i < n; ++i) Traits::mend_large_sincos(x[i], s[i], c[i]);
}

/// As the general one, by the bits of n: the last of them swaps sine and cosine, the one before
/// flips a sign.
template <class T, class Arch>
RBD_INLINE void turn_by_quadrants(const Pack<T, Arch>& n_and_round_off, const Pack<T, Arch>& s,
                                  const Pack<T, Arch>& c, Pack<T, Arch>& sine,
                                  Pack<T, Arch>& cosine) {
  using Register = typename Pack<T, Arch>::Register;
  using Integer = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  using Bits [[gnu::vector_size(sizeof(Register))]] = Integer;
  constexpr int to_sign = 8 * sizeof(T) - 2;  // from the bit before the last one
  const Bits n = reinterpret_cast<Bits>(n_and_round_off.x);
  const Bits odd = -(n & 1);  // all bits, or none
  const Bits difference = (reinterpret_cast<Bits>(s.x) ^ reinterpret_cast<Bits>(c.x)) & odd;
  const Bits s_sign = (n & 2) << to_sign, c_sign = ((n + 1) & 2) << to_sign;
  sine.x = reinterpret_cast<Register>(reinterpret_cast<Bits>(s.x) ^ difference ^ s_sign);
  cosine.x = reinterpret_cast<Register>(reinterpret_cast<Bits>(c.x) ^ difference ^ c_sign);
}

namespace transposing {

/// Where bit `distance` of the lane is set: lane j - distance of b; else lane j of a.
template <std::size_t distance, class Register, std::size_t... j>
RBD_INLINE Register lower(const Register& a, const Register& b, std::index_sequence<j...>) {
  return __builtin_shufflevector(
      a, b, static_cast<int>((j & distance) != 0 ? j - distance + sizeof...(j) : j)...);
}
/// Where bit `distance` of the lane is set: lane j of b; else lane j + distance of a.
template <std::size_t distance, class Register, std::size_t... j>
RBD_INLINE Register upper(const Register& a, const Register& b, std::index_sequence<j...>) {
  return __builtin_shufflevector(
      a, b, static_cast<int>((j & distance) != 0 ? j + sizeof...(j) : j + distance)...);
}

/// Blocks of `distance` lanes trade places across the diagonal; then larger ones, up to a quarter
/// of the rows.
template <std::size_t distance, class S>
RBD_INLINE void exchange(S (&rows)[S::width]) {
  if constexpr (2 * distance < S::width) {
    constexpr auto lanes = std::make_index_sequence<S::width>{};
    for (std::size_t i = 0; i < S::width; ++i) {
      if ((i & distance) != 0) continue;
      const auto a = rows[i].x, b = rows[i + distance].x;
      rows[i].x = lower<distance>(a, b, lanes);
      rows[i + distance].x = upper<distance>(a, b, lanes);
    }
    exchange<2 * distance>(rows);
  }
}

/// Half a register.
template <class T, std::size_t width>
using Half [[gnu::vector_size(width / 2 * sizeof(T))]] = T;

template <class T, std::size_t width>
RBD_INLINE Half<T, width> load_half(const T* at) {
  Half<T, width> half;
  __builtin_memcpy(&half, at, sizeof half);
  return half;
}

template <class Register, class Half, std::size_t... j>
RBD_INLINE Register joined(const Half& a, const Half& b, std::index_sequence<j...>) {
  return __builtin_shufflevector(a, b, static_cast<int>(j)...);
}

}  // namespace transposing

/// Reads as many registers as one has lanes, the i-th from at(i), such that lane j of the i-th
/// becomes lane i of rows[j]. The halves trade places while they are read, which spares half of the
/// shuffles.
template <class S, class At>
RBD_INLINE void load_transposed(const At& at, S (&rows)[S::width]) {
  using T = RealOf<S>;
  constexpr std::size_t width = S::width, half = width / 2;
  constexpr auto lanes = std::make_index_sequence<width>{};
  for (std::size_t i = 0; i < half; ++i) {
    const T *a = at(i), *b = at(i + half);
    rows[i].x = transposing::joined<typename S::Register>(
        transposing::load_half<T, width>(a), transposing::load_half<T, width>(b), lanes);
    rows[i + half].x = transposing::joined<typename S::Register>(
        transposing::load_half<T, width>(a + half), transposing::load_half<T, width>(b + half),
        lanes);
  }
  transposing::exchange<1>(rows);
}

}  // namespace rbd_parallel_core
