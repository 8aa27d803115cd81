// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "rbd_parallel_core/algorithm/access.hpp"

/// Moves structs of numbers into and out of the lanes of structs of packs.
namespace rbd_parallel_core {

/// T<Real> has the same members as T<S>, all of them numbers.
template <template <class> class T, class S>
inline constexpr std::size_t numbers_of = sizeof(T<S>) / sizeof(S);

/// The struct of packs whose lane l is read(l), for all lanes.
template <template <class> class T, class S, class Read>
RBD_INLINE T<S> from_lanes(const Read& read) {
  using Real = RealOf<S>;
  constexpr std::size_t width = ScalarTraits<S>::width, numbers = numbers_of<T, S>;
  Real lanes[numbers * width];
  for (std::size_t l = 0; l < width; ++l) {
    const T<Real>& value = read(l);
    const Real* number = reinterpret_cast<const Real*>(&value);
    for (std::size_t k = 0; k < numbers; ++k) lanes[k * width + l] = number[k];
  }
  T<S> result;
  S* packs = reinterpret_cast<S*>(&result);
  for (std::size_t k = 0; k < numbers; ++k) packs[k] = ScalarTraits<S>::load(lanes + k * width);
  return result;
}

/// write(l) is set to lane l of `value`, for the first `count` lanes.
template <template <class> class T, class S, class Write>
RBD_INLINE void to_lanes(const T<S>& value, std::int32_t count, const Write& write) {
  using Real = RealOf<S>;
  constexpr std::size_t width = ScalarTraits<S>::width, numbers = numbers_of<T, S>;
  Real lanes[numbers * width];
  const S* packs = reinterpret_cast<const S*>(&value);
  for (std::size_t k = 0; k < numbers; ++k) ScalarTraits<S>::store(lanes + k * width, packs[k]);
  for (std::size_t l = 0; l < static_cast<std::size_t>(count); ++l) {
    Real* number = reinterpret_cast<Real*>(&write(l));
    for (std::size_t k = 0; k < numbers; ++k) number[k] = lanes[k * width + l];
  }
}

/// The k-th number of one lane of a struct of packs in memory.
template <class S>
RBD_INLINE RealOf<S> load_lane(const void* packs, std::size_t k, std::int32_t lane) {
  if constexpr (ScalarTraits<S>::width == 1) {  // a device would load bytes otherwise
    return static_cast<const RealOf<S>*>(packs)[k];
  } else {
    RealOf<S> number;
    const std::size_t at = k * ScalarTraits<S>::width + static_cast<std::size_t>(lane);
    __builtin_memcpy(&number, static_cast<const std::byte*>(packs) + at * sizeof number,
                     sizeof number);
    return number;
  }
}
template <class S>
RBD_INLINE void store_lane(void* packs, std::size_t k, std::int32_t lane, RealOf<S> number) {
  if constexpr (ScalarTraits<S>::width == 1) {
    static_cast<RealOf<S>*>(packs)[k] = number;
  } else {
    const std::size_t at = k * ScalarTraits<S>::width + static_cast<std::size_t>(lane);
    __builtin_memcpy(static_cast<std::byte*>(packs) + at * sizeof number, &number, sizeof number);
  }
}

/// One lane of `value`.
template <template <class> class T, class S>
RBD_INLINE T<RealOf<S>> lane_of(const T<S>& value, std::int32_t lane) {
  T<RealOf<S>> result;
  auto* number = reinterpret_cast<RealOf<S>*>(&result);
  for (std::size_t k = 0; k < numbers_of<T, S>; ++k) number[k] = load_lane<S>(&value, k, lane);
  return result;
}

/// Adds to one lane of `value`.
template <template <class> class T, class S>
RBD_INLINE void add_to_lane(T<S>& value, std::int32_t lane, const T<RealOf<S>>& added) {
  const auto* number = reinterpret_cast<const RealOf<S>*>(&added);
  for (std::size_t k = 0; k < numbers_of<T, S>; ++k) {
    store_lane<S>(&value, k, lane, load_lane<S>(&value, k, lane) + number[k]);
  }
}

/// Sets one lane of `value`.
template <template <class> class T, class S>
RBD_INLINE void set_lane(T<S>& value, std::int32_t lane, const T<RealOf<S>>& numbers) {
  const auto* number = reinterpret_cast<const RealOf<S>*>(&numbers);
  for (std::size_t k = 0; k < numbers_of<T, S>; ++k) store_lane<S>(&value, k, lane, number[k]);
}

}  // namespace rbd_parallel_core
