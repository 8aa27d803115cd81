// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/spatial/scalar.hpp"

namespace rbd_parallel_core {

/// The taint of numbers (finite.hpp) of which `quick` is zero times the sum. Where that is NaN, a
/// number is not finite, or they are so large that only their sum is not: exact() looks at each.
template <class S, class Exact>
RBD_INLINE S taint_of_sum(const S& quick, const Exact& exact) {
  using T = ScalarTraits<S>;
  if (T::all(T::less_equal(quick, S(RealOf<S>(0))))) [[likely]]
    return quick;
  return exact();
}

}  // namespace rbd_parallel_core
