// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/access.hpp"

namespace rbd_parallel_core {

/// `taint`, turned into NaN if any of the first n numbers is NaN or infinite: 0 x is 0 for all
/// others. Works lane by lane without a branch.
template <class S, class Reader>
RBD_INLINE S taint_if_not_finite(const Reader& read, std::int32_t n, S taint) {
  if constexpr (!is_zero<Reader>) {
    const S zero(RealOf<S>(0));
    for (std::int32_t k = 0; k < n; ++k) taint = mul_add(zero, read(k), taint);
  }
  return taint;
}

}  // namespace rbd_parallel_core
