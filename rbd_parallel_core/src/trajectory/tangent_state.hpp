// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "integration_tangent.hpp"
#include "rbd_parallel_core/model/model.hpp"
#include "rbd_parallel_core/status.hpp"

namespace rbd_parallel_core {

/// Where the results of one state go; null: not asked for.
template <class Real>
struct StepOutput {
  Real *A, *B, *q_next, *v_next;
};

/// States of a chunk on their way through a step of time, with their derivatives by (q, v, tau) of
/// its beginning: matrices of nv x 3 nv. The derivative of a q is in the tangent space of that q.
/// States do not share memory, so that threads may take any of them.
template <class Real>
class TangentStates {
 public:
  TangentStates() = default;
  TangentStates(const Model& model, std::size_t states);
  static std::size_t bytes_of_one(const Model& model);

  // What the dynamics read and write, for the first `count` states.
  std::span<const Real> q(std::size_t count) const { return {q_.data(), count * nq_}; }
  std::span<const Real> v(std::size_t count) const { return {v_.data(), count * nv_}; }
  std::span<Real> a(std::size_t count) { return {a_.data(), count * nv_}; }
  std::span<Real> dqdd_dq(std::size_t count) { return {by_q_.data(), count * nv_ * nv_}; }
  std::span<Real> dqdd_dv(std::size_t count) { return {by_v_.data(), count * nv_ * nv_}; }
  std::span<Real> dqdd_dtau(std::size_t count) { return {by_tau_.data(), count * nv_ * nv_}; }

  /// The first stage is at q and v (null: zeros).
  void begin(std::size_t s, const Real* q, const Real* v, bool with_matrices) noexcept;
  /// A fault of any stage is one of the step; the first counts.
  void note(std::size_t s, const StateStatus& status) noexcept {
    if (status_[s].ok()) status_[s] = status;
  }
  /// Adds velocity and acceleration of this stage, times `weight`, to those of the step.
  /// `is_first`: it is where the step begins.
  void add_stage(std::size_t s, Real weight, bool is_first, bool with_matrices) noexcept;
  /// The next stage: q moved by h v and v by h a of this one, from where the step began.
  void go_on(std::size_t s, Real h, bool with_matrices) noexcept;
  /// The end of the step.
  void finish(std::size_t s, Real dt, bool by_new_velocity, bool with_matrices) noexcept;
  void write(std::size_t s, const StepOutput<Real>& out) noexcept;
  const StateStatus& status(std::size_t s) const noexcept { return status_[s]; }

 private:
  Real* row(std::vector<Real>& rows, std::size_t s, std::size_t numbers) const noexcept {
    return rows.data() + s * numbers;
  }
  Real* matrix(std::vector<Real>& matrices, std::size_t s) const noexcept {
    return matrices.data() + s * 3 * nv_ * nv_;
  }
  void move_q(std::size_t s, Real h, const Real* velocity, const Real* dvelocity) noexcept;
  void move_v(std::size_t s, Real h, const Real* acceleration, const Real* dacceleration) noexcept;
  void differentiate_acceleration(std::size_t s, bool is_first) noexcept;
  void judge(std::size_t s, bool with_matrices) noexcept;

  const Model* model_ = nullptr;
  std::size_t nq_ = 0, nv_ = 0;
  std::vector<std::int32_t> wide_;          ///< joints of several coordinates
  std::vector<Real> q0_, v0_;               ///< where the step begins
  std::vector<Real> q_, v_, a_;             ///< of the stage, in the end of the step
  std::vector<Real> mean_v_, mean_a_;       ///< of the stages so far, weighted
  std::vector<Real> by_q_, by_v_, by_tau_;  ///< of a
  std::vector<Real> dq_, dv_, da_;          ///< of q, v, a of the stage
  std::vector<Real> dmean_v_, dmean_a_;
  std::vector<StateStatus> status_;
};

extern template class TangentStates<double>;
extern template class TangentStates<float>;

}  // namespace rbd_parallel_core
