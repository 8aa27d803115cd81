// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <span>

#include "rbd_parallel_core/algorithm/access.hpp"
#include "rbd_parallel_core/status.hpp"

/// Which states are refused, and what becomes of their results: the rules of all backends.
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

/// NaN where a coordinate is not finite or a quaternion no rotation, else zero.
template <class S, class Real, class Q>
RBD_INLINE S taint_of_q(const ModelView<Real>& model, const Q& q) {
  return taint_if_no_rotation(model, q, taint_if_not_finite(q, model.nq, S(RealOf<S>(0))));
}

/// How a state went. Inputs that are not finite come first; then a singular coordinate (or -1),
/// whose results mean nothing, whether finite or not; then the results.
template <class Real>
RBD_INLINE StateStatus status_of(const Real& taint_of_inputs, std::int32_t singular = -1,
                                 const Real& taint_of_results = Real(0)) {
  if (taint_of_inputs != taint_of_inputs) return {StateStatus::Code::not_finite, -1};
  if (singular >= 0) return {StateStatus::Code::singular, singular};
  if (taint_of_results != taint_of_results) return {StateStatus::Code::not_finite, -1};
  return {};
}
/// With the singular coordinate as algorithms return it: 1 + its index, or zero.
template <class Real>
RBD_INLINE StateStatus status_of(const Real& taint_of_inputs, const Real& singular,
                                 const Real& taint_of_results = Real(0)) {
  const std::int32_t dof = singular > Real(0) ? static_cast<std::int32_t>(singular) - 1 : -1;
  return status_of(taint_of_inputs, dof, taint_of_results);
}

/// Makes the first n results NaN unless the state went well, so that no wrong number is taken for a
/// right one.
template <class Real, class Out>
RBD_INLINE void spoil_unless_ok(const StateStatus& status, const Out& results, std::int32_t n) {
  if (status.ok()) return;
  for (std::int32_t k = 0; k < n; ++k) {
    results.store(k, std::numeric_limits<Real>::quiet_NaN());
  }
}
template <class Real>
RBD_INLINE void spoil_unless_ok(const StateStatus& status, std::span<Real> results) {
  if (status.ok()) return;
  for (Real& result : results) result = std::numeric_limits<Real>::quiet_NaN();
}

}  // namespace rbd_parallel_core
