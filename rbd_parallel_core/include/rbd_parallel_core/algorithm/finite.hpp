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

/// `taint`, turned into NaN if a quaternion in q is zero or its square overflows.
template <class S, class Real, class Q>
RBD_INLINE S taint_if_no_rotation(const ModelView<Real>& model, const Q& q, S taint) {
  if (!model.has_quaternions) return taint;
  const S zero(RealOf<S>(0)), two(RealOf<S>(2));
  for (std::int32_t i = 0; i < model.body_count; ++i) {
    const BodyView<Real>& body = model.body[i];
    if (nq_of(body.type) == nv_of(body.type)) continue;  // no quaternion
    S norm2 = zero;
    for (std::int32_t k = nq_of(body.type) - 4; k < nq_of(body.type); ++k) {
      norm2 = mul_add(q(body.q_index + k), q(body.q_index + k), norm2);
    }
    taint = mul_add(zero, norm2, mul_add(zero, two / norm2, taint));
  }
  return taint;
}

}  // namespace rbd_parallel_core
