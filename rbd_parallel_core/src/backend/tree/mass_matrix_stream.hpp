// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "pack.hpp"

/// Copies into memory that is too large for the caches, past them: a line that is written whole
/// need not be read first.
namespace rbd_parallel_core {

/// A register to memory that is aligned for it.
template <class T, class Arch>
RBD_INLINE void stream_store(T* at, const Pack<T, Arch>& x) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 8) _mm512_stream_pd(at, x.x);
  if constexpr (sizeof(T) == 4) _mm512_stream_ps(at, x.x);
#elif defined(__AVX__)
  if constexpr (sizeof(T) == 8) _mm256_stream_pd(at, x.x);
  if constexpr (sizeof(T) == 4) _mm256_stream_ps(at, x.x);
#elif defined(__SSE2__)
  if constexpr (sizeof(T) == 8) _mm_stream_pd(at, x.x);
  if constexpr (sizeof(T) == 4) _mm_stream_ps(at, x.x);
#else
  ScalarTraits<Pack<T, Arch>>::store(at, x);
#endif
}

/// What was streamed is there before what is written afterwards.
RBD_INLINE void stream_fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// n numbers past the caches; `from` can be read in whole registers past its end.
template <class S, class Real>
RBD_INLINE void stream_numbers(const Real* from, Real* to, std::int32_t n) {
  using T = ScalarTraits<S>;
  constexpr auto width = static_cast<std::int32_t>(T::width);
  const std::size_t past = reinterpret_cast<std::uintptr_t>(to) % sizeof(S);
  const std::size_t head = past == 0 ? 0 : (sizeof(S) - past) / sizeof(Real);
  std::int32_t k = 0;
  for (; k < n && static_cast<std::size_t>(k) < head; ++k) to[k] = from[k];
  for (; k + width <= n; k += width) stream_store(to + k, T::load(from + k));
  for (; k < n; ++k) to[k] = from[k];
}

}  // namespace rbd_parallel_core
