// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/gpu/kernels/state_bodies.hpp"

namespace rbd_parallel_core {

/// Looks at the inputs and results of one state with all threads of a block, writes its status, and
/// makes its results NaN if it is not finite or singular.
template <class Real>
struct TreeStatusBody {
  static constexpr int phases = 2;
  ModelView<Real> model;
  const Real *q, *v, *a;  ///< v, a: or null
  Real* results;
  std::int64_t result_count;
  StateStatus* status;          ///< out
  const Real* taint = nullptr;  ///< of what else was read, or null
  /// Coordinates at which the motion is singular, -1 where it is not.
  const std::int32_t* singular = nullptr;
  std::int32_t singular_count = 0;
  bool results_seen = false;  ///< whoever wrote them has looked at them: see the taint

  LaunchShape shape() const { return {1, largest_block, sizeof(Finding) * largest_block}; }

  template <int phase>
  RBD_HD void run(const ThreadIndex& at, std::byte* shared) const {
    auto* const findings = reinterpret_cast<Finding*>(shared);
    if constexpr (phase == 0) {
      findings[at.thread] = look(at);
    } else {
      Finding all = findings[0];
      for (std::int32_t k = 1; k < at.block_size; ++k) all = joined(all, findings[k]);
      const StateStatus state = status_of(all.of_inputs, all.singular, all.of_results);
      if (at.thread == 0) *status = state;
      if (state.ok()) return;
      for (std::int64_t k = at.thread; k < result_count; k += at.block_size) {
        results[k] = std::numeric_limits<Real>::quiet_NaN();
      }
    }
  }

 private:
  /// NaN where something is not finite, else zero; the first singular coordinate, or -1.
  struct Finding {
    Real of_inputs, of_results;
    std::int32_t singular;
  };

  RBD_INLINE Finding look(const ThreadIndex& at) const {
    Real inputs = taint_of(q, model.nq, at);
    if (v != nullptr) inputs = inputs + taint_of(v, model.nv, at);
    if (a != nullptr) inputs = inputs + taint_of(a, model.nv, at);
    if (taint != nullptr) inputs = inputs + *taint;
    for (std::int32_t i = at.thread; i < model.body_count; i += at.block_size) {
      inputs = taint_if_no_rotation(one_body(i), Row<Real>{q}, inputs);
    }
    std::int32_t first = -1;
    for (std::int32_t k = at.thread; k < singular_count; k += at.block_size) {
      first = first_of(first, singular[k]);
    }
    return {inputs, results_seen ? Real(0) : taint_of(results, result_count, at), first};
  }
  static RBD_INLINE std::int32_t first_of(std::int32_t a, std::int32_t b) {
    if (a < 0 || b < 0) return a < 0 ? b : a;
    return a < b ? a : b;
  }
  static RBD_INLINE Finding joined(const Finding& a, const Finding& b) {
    return {a.of_inputs + b.of_inputs, a.of_results + b.of_results,
            first_of(a.singular, b.singular)};
  }
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
