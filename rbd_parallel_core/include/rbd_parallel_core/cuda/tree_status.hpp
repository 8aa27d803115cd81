// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/cuda/state_bodies.hpp"

namespace rbd_parallel_core {

/// Looks at the inputs and results of one state with all threads of a block, writes its status, and
/// makes its results NaN if it is not finite.
template <class Real>
struct TreeStatusBody {
  static constexpr int phases = 2;
  ModelView<Real> model;
  const Real *q, *v, *a;  ///< v, a: or null
  Real* results;
  std::int64_t result_count;
  StateStatus* status;  ///< out

  LaunchShape shape() const { return {1, largest_block, sizeof(Real) * largest_block}; }

  template <int phase>
  RBD_HD void run(const ThreadIndex& at, std::byte* shared) const {
    Real* const taints = reinterpret_cast<Real*>(shared);
    if constexpr (phase == 0) {
      Real taint = taint_of(q, model.nq, at);
      if (v != nullptr) taint = taint + taint_of(v, model.nv, at);
      if (a != nullptr) taint = taint + taint_of(a, model.nv, at);
      taint = taint + taint_of(results, result_count, at);
      for (std::int32_t i = at.thread; i < model.body_count; i += at.block_size) {
        taint = taint_if_no_rotation(one_body(i), Row<Real>{q}, taint);
      }
      taints[at.thread] = taint;
    } else {
      Real taint(0);
      for (std::int32_t k = 0; k < at.block_size; ++k) taint = taint + taints[k];
      const StateStatus state = status_of(taint, Real(0));
      if (at.thread == 0) *status = state;
      if (state.ok()) return;
      for (std::int64_t k = at.thread; k < result_count; k += at.block_size) {
        results[k] = std::numeric_limits<Real>::quiet_NaN();
      }
    }
  }

 private:
  static RBD_INLINE Real taint_of(const Real* numbers, std::int64_t n, const ThreadIndex& at) {
    Real taint(0);
    for (std::int64_t k = at.thread; k < n; k += at.block_size) {
      taint = mul_add(Real(0), numbers[k], taint);
    }
    return taint;
  }
  RBD_INLINE ModelView<Real> one_body(std::int32_t i) const {
    ModelView<Real> piece = model;
    piece.body = model.body + i;
    piece.body_count = 1;
    return piece;
  }
};

}  // namespace rbd_parallel_core
