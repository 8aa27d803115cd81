// SPDX-License-Identifier: Apache-2.0
#include "tangent_state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rbd_parallel_core/model/configuration.hpp"

namespace rbd_parallel_core {
namespace {

/// y += a x
template <class Real>
void add_scaled(Real a, const Real* __restrict x, Real* __restrict y, std::size_t n) noexcept {
  for (std::size_t k = 0; k < n; ++k) y[k] += a * x[k];
}

template <class Real>
void scale(Real a, const Real* __restrict x, Real* __restrict y, std::size_t n) noexcept {
  for (std::size_t k = 0; k < n; ++k) y[k] = a * x[k];
}

/// out += M x with M: n x n and x, out: n x columns, row-major.
template <class Real>
void add_product(const Real* M, const Real* x, Real* out, std::size_t n,
                 std::size_t columns) noexcept {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      add_scaled(M[i * n + k], x + k * columns, out + i * columns, columns);
    }
  }
}

template <class Real>
bool all_finite(const Real* x, std::size_t n) noexcept {
  return std::all_of(x, x + n, [](Real number) { return std::isfinite(number); });
}

std::size_t index(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

template <class Real>
TangentStates<Real>::TangentStates(const Model& model, std::size_t states)
    : model_(&model),
      nq_(index(model.nq())),
      nv_(index(model.nv())),
      wide_(joints_of_several_coordinates(model)),
      status_(states) {
  for (std::vector<Real>* rows : {&q0_, &q_}) rows->resize(states * nq_);
  for (std::vector<Real>* rows : {&v0_, &v_, &a_, &mean_v_, &mean_a_}) rows->resize(states * nv_);
  for (std::vector<Real>* squares : {&by_q_, &by_v_, &by_tau_}) squares->resize(states * nv_ * nv_);
  for (std::vector<Real>* matrices : {&dq_, &dv_, &da_, &dmean_v_, &dmean_a_}) {
    matrices->resize(states * 3 * nv_ * nv_);
  }
}

template <class Real>
std::size_t TangentStates<Real>::bytes_of_one(const Model& model) {
  const std::size_t nq = index(model.nq()), nv = index(model.nv());
  return (2 * nq + 5 * nv + 18 * nv * nv) * sizeof(Real);
}

template <class Real>
void TangentStates<Real>::begin(std::size_t s, const Real* q, const Real* v,
                                bool with_matrices) noexcept {
  status_[s] = {};
  Real* const v0 = row(v0_, s, nv_);
  std::copy_n(q, nq_, row(q0_, s, nq_));
  std::copy_n(q, nq_, row(q_, s, nq_));
  if (v == nullptr) {
    std::fill_n(v0, nv_, Real(0));
  } else {
    std::copy_n(v, nv_, v0);
  }
  std::copy_n(v0, nv_, row(v_, s, nv_));
  if (!with_matrices) return;
  for (std::vector<Real>* matrices : {&dq_, &dv_}) {
    std::fill_n(matrix(*matrices, s), 3 * nv_ * nv_, Real(0));
  }
  for (std::size_t k = 0; k < nv_; ++k) {
    matrix(dq_, s)[k * 3 * nv_ + k] = 1;
    matrix(dv_, s)[k * 3 * nv_ + nv_ + k] = 1;
  }
}

template <class Real>
void TangentStates<Real>::add_stage(std::size_t s, Real weight, bool is_first,
                                    bool with_matrices) noexcept {
  const auto add = [&](const Real* x, Real* mean, std::size_t numbers) {
    if (is_first) {
      scale(weight, x, mean, numbers);
    } else {
      add_scaled(weight, x, mean, numbers);
    }
  };
  add(row(v_, s, nv_), row(mean_v_, s, nv_), nv_);
  add(row(a_, s, nv_), row(mean_a_, s, nv_), nv_);
  if (!with_matrices) return;
  differentiate_acceleration(s, is_first);
  add(matrix(dv_, s), matrix(dmean_v_, s), 3 * nv_ * nv_);
  add(matrix(da_, s), matrix(dmean_a_, s), 3 * nv_ * nv_);
}

/// da = d qdd / d q dq + d qdd / d v dv + d qdd / d tau; in the first stage dq and dv are ones.
template <class Real>
void TangentStates<Real>::differentiate_acceleration(std::size_t s, bool is_first) noexcept {
  const std::size_t square = nv_ * nv_, columns = 3 * nv_;
  const Real *const by_q = row(by_q_, s, square), *const by_v = row(by_v_, s, square);
  Real* const da = matrix(da_, s);
  for (std::size_t i = 0; i < nv_; ++i) {
    Real* const out = da + i * columns;
    if (is_first) {
      std::copy_n(by_q + i * nv_, nv_, out);
      std::copy_n(by_v + i * nv_, nv_, out + nv_);
    } else {
      std::fill_n(out, 2 * nv_, Real(0));
    }
    std::copy_n(row(by_tau_, s, square) + i * nv_, nv_, out + 2 * nv_);
  }
  if (is_first) return;
  add_product(by_q, matrix(dq_, s), da, nv_, columns);
  add_product(by_v, matrix(dv_, s), da, nv_, columns);
}

template <class Real>
void TangentStates<Real>::go_on(std::size_t s, Real h, bool with_matrices) noexcept {
  // q first: it moves by the v of this stage.
  move_q(s, h, row(v_, s, nv_), with_matrices ? matrix(dv_, s) : nullptr);
  move_v(s, h, row(a_, s, nv_), with_matrices ? matrix(da_, s) : nullptr);
}

template <class Real>
void TangentStates<Real>::finish(std::size_t s, Real dt, bool by_new_velocity,
                                 bool with_matrices) noexcept {
  move_v(s, dt, row(mean_a_, s, nv_), with_matrices ? matrix(dmean_a_, s) : nullptr);
  std::vector<Real>& velocity = by_new_velocity ? v_ : mean_v_;
  std::vector<Real>& dvelocity = by_new_velocity ? dv_ : dmean_v_;
  move_q(s, dt, row(velocity, s, nv_), with_matrices ? matrix(dvelocity, s) : nullptr);
  judge(s, with_matrices);
}

/// v = v0 + h acceleration, and its derivative.
template <class Real>
void TangentStates<Real>::move_v(std::size_t s, Real h, const Real* acceleration,
                                 const Real* dacceleration) noexcept {
  Real* const v = row(v_, s, nv_);
  std::copy_n(row(v0_, s, nv_), nv_, v);
  add_scaled(h, acceleration, v, nv_);
  if (dacceleration == nullptr) return;
  Real* const dv = matrix(dv_, s);
  scale(h, dacceleration, dv, 3 * nv_ * nv_);
  for (std::size_t k = 0; k < nv_; ++k) dv[k * 3 * nv_ + nv_ + k] += 1;
}

/// q = integrate(q0, h velocity), and its derivative.
template <class Real>
void TangentStates<Real>::move_q(std::size_t s, Real h, const Real* velocity,
                                 const Real* dvelocity) noexcept {
  const Real* const q0 = row(q0_, s, nq_);
  // Sizes fit, and what is not finite shows in q.
  static_cast<void>(integrate<Real>(
      *model_, {.q = {q0, nq_}, .v = {velocity, nv_}, .dt = h, .next = {row(q_, s, nq_), nq_}}));
  if (dvelocity == nullptr) return;
  const std::size_t columns = 3 * nv_;
  Real* const dq = matrix(dq_, s);
  scale(h, dvelocity, dq, nv_ * columns);
  for (std::size_t k = 0; k < nv_; ++k) dq[k * columns + k] += 1;
  for (const std::int32_t joint : wide_) {
    const BodyView<double>& body = model_->view().body[joint];
    const std::size_t first = index(body.v_index), n = index(nv_of(body.type));
    double from[7], step[JointTangent::most_coordinates];
    std::copy_n(q0 + body.q_index, nq_of(body.type), from);
    for (std::size_t k = 0; k < n; ++k) step[k] = h * velocity[first + k];
    JointTangent tangent;
    tangent_of_integration(*model_, joint, from, step, tangent);
    for (std::size_t i = 0; i < n; ++i) {
      Real* const out = dq + (first + i) * columns;
      std::fill_n(out, columns, Real(0));
      for (std::size_t k = 0; k < n; ++k) {
        add_scaled(h * static_cast<Real>(tangent.by_step[i][k]), dvelocity + (first + k) * columns,
                   out, columns);
        out[first + k] += static_cast<Real>(tangent.by_q[i][k]);
      }
    }
  }
}

template <class Real>
void TangentStates<Real>::judge(std::size_t s, bool with_matrices) noexcept {
  const std::size_t size = 3 * nv_ * nv_;
  const bool finite =
      all_finite(row(q_, s, nq_), nq_) && all_finite(row(v_, s, nv_), nv_) &&
      (!with_matrices || (all_finite(matrix(dq_, s), size) && all_finite(matrix(dv_, s), size)));
  if (!finite) note(s, {StateStatus::Code::not_finite, -1});
}

template <class Real>
void TangentStates<Real>::write(std::size_t s, const StepOutput<Real>& out) noexcept {
  constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
  const bool good = status_[s].ok();
  const auto write_row = [&](Real* to, const Real* from, std::size_t numbers) {
    if (to == nullptr) return;
    if (good) {
      std::copy_n(from, numbers, to);
    } else {
      std::fill_n(to, numbers, nan);
    }
  };
  write_row(out.q_next, row(q_, s, nq_), nq_);
  write_row(out.v_next, row(v_, s, nv_), nv_);
  for (std::size_t i = 0; i < 2 * nv_; ++i) {
    const Real* const from =
        i < nv_ ? matrix(dq_, s) + i * 3 * nv_ : matrix(dv_, s) + (i - nv_) * 3 * nv_;
    write_row(out.A == nullptr ? nullptr : out.A + i * 2 * nv_, from, 2 * nv_);
    write_row(out.B == nullptr ? nullptr : out.B + i * nv_, from + 2 * nv_, nv_);
  }
}

template class TangentStates<double>;
template class TangentStates<float>;

}  // namespace rbd_parallel_core
