// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/spatial/vec3.hpp"

/// Numbers of twice as many digits, as the sum of two.
namespace rbd_parallel_core {

/// a + b and what rounding lost of it (Knuth).
template <class S>
RBD_INLINE S two_sum(const S& a, const S& b, S& lost) {
  const S sum = a + b, b_in_sum = sum - a;
  lost = (a - (sum - b_in_sum)) + (b - b_in_sum);
  return sum;
}

/// high + low += x
template <class S>
RBD_INLINE void add_to_pair(S& high, S& low, const S& x) {
  S lost, rest;
  const S sum = two_sum(high, x, lost);
  high = two_sum(sum, low + lost, rest);
  low = rest;
}
template <class S>
RBD_INLINE void add_to_pair(Vec3<S>& high, Vec3<S>& low, const Vec3<S>& a) {
  add_to_pair(high.x, low.x, a.x);
  add_to_pair(high.y, low.y, a.y);
  add_to_pair(high.z, low.z, a.z);
}

}  // namespace rbd_parallel_core
