// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/centroidal.hpp"
#include "rbd_parallel_core/algorithm/coordinate_rates.hpp"
#include "rbd_parallel_core/algorithm/finite_sum.hpp"
#include "rbd_parallel_core/algorithm/regressor.hpp"
#include "rbd_parallel_core/gpu/kernels/derivative_lanes.hpp"
#include "rbd_parallel_core/gpu/kernels/state_bodies.hpp"

/// The kernels of derivatives, one thread for each state as in state_bodies.hpp. Those of forward
/// dynamics are several launches: the accelerations by ForwardDynamicsBody, then derivatives of
/// inverse dynamics there, then what M^-1 makes of them. A kernel that follows another one in the
/// same call adds its findings to the status that it finds.
namespace rbd_parallel_core {

/// How a state went so far, given what a further step found. Inputs that are not finite come first,
/// as in status_of.
template <class Real>
RBD_INLINE StateStatus joined(const StateStatus& before, const Real& taint_of_inputs,
                              const Real& taint_of_results) {
  if (taint_of_inputs != taint_of_inputs) return status_of(taint_of_inputs);
  return before.ok() ? status_of(taint_of_results) : before;
}

template <class Real>
RBD_INLINE DerivativeWorkspace<Real> derivative_workspace_of(const StateChunk<Real>& chunk,
                                                             std::int64_t s) {
  return DerivativeWorkspace<Real>::at(chunk.workspace + s, chunk.stride, chunk.model);
}

/// The taint of n numbers of state s; none where there is no array.
template <class Real>
RBD_INLINE Real taint_of_lanes(const StateChunk<Real>& chunk, const Real* lanes, std::int64_t s,
                               std::int32_t n) {
  if (lanes == nullptr) return Real(0);
  return taint_if_not_finite(chunk.row(lanes, s), n, Real(0));
}
/// Spoils them where the state did not go well.
template <class Real>
RBD_INLINE void spoil_lanes(const StateChunk<Real>& chunk, const StateStatus& status, Real* lanes,
                            std::int64_t s, std::int32_t n) {
  if (lanes != nullptr) spoil_unless_ok<Real>(status, chunk.out(lanes, s), n);
}

/// The first half of rnea_derivatives(): how the bodies move, which stays in the workspace. Two
/// kernels, since one would keep more than there are registers.
template <class Real>
struct DerivativesOutwardBody : StateBody<Real, DerivativesOutwardBody<Real>> {
  const Real *v, *a;
  Vec3<Real> gravity;
  VelocityTerms terms;

  RBD_HD void compute(const ModelView<Real>& model, std::int64_t s) const {
    const StateChunk<Real>& chunk = this->states;
    const DerivativeWorkspace<Real> ws = derivative_workspace_of(chunk, s);
    const LaneRow<Real> q = chunk.row(chunk.q, s);
    compute_turns(model, ws.matrices.turns, q);
    derivatives_outward(model, ws.matrices, q, chunk.row(v, s), chunk.row(a, s), gravity, terms);
  }
};

/// The second half: matrices of nv x nv, each null where it is not wanted. Reads the taint.
template <class Real>
struct RneaDerivativesBody : StateBody<Real, RneaDerivativesBody<Real>> {
  const Real *v, *a;
  const Real* forces;  ///< a Force for each body, or null
  LaneWrenches<Real> wrenches;
  VelocityTerms terms;
  bool judged_later;  ///< status and results stay as they are
  Real *by_q, *by_v, *M;
  Real* sum;  ///< by_v and its transpose

  RBD_HD void compute(const ModelView<Real>& model, std::int64_t s) const {
    const StateChunk<Real>& chunk = this->states;
    const DerivativeWorkspace<Real> ws = derivative_workspace_of(chunk, s);
    const auto square = [&](Real* lanes) {
      return LaneSquare<Real>{lanes + s, chunk.stride, model.nv};
    };
    const DerivativeMatrices<LaneSquare<Real>> out{
        square(by_q),    square(by_v), square(M), by_q != nullptr,
        by_v != nullptr, M != nullptr, terms};
    const TurningLaneWrenches<Real> turning{wrenches, s, ws};
    const std::int32_t n = model.nv * model.nv;
    Real bad = taint_of_sum(derivative_matrices(model, ws.matrices, forces_of(chunk, forces, s),
                                                turning, chunk.friction, out),
                            [&] {
                              return taint_of_lanes<Real>(chunk, by_q, s, n) +
                                     taint_of_lanes<Real>(chunk, by_v, s, n) +
                                     taint_of_lanes<Real>(chunk, M, s, n);
                            });
    if (sum != nullptr) {
      add_transpose(out.v, square(sum));
      bad = bad + taint_of_lanes<Real>(chunk, sum, s, n);
    }
    if (!judged_later) judge(model, s, bad);
  }

 private:
  RBD_INLINE void add_transpose(const LaneSquare<Real>& from, const LaneSquare<Real>& to) const {
    for (std::int32_t i = 0; i < from.n; ++i) {
      for (std::int32_t j = 0; j <= i; ++j) {
        const Real x = from.load(i, j) + from.load(j, i);
        to.store(i, j, x);
        to.store(j, i, x);
      }
    }
  }
  RBD_INLINE void judge(const ModelView<Real>& model, std::int64_t s,
                        const Real& taint_of_results) const {
    const StateChunk<Real>& chunk = this->states;
    const std::int32_t n = model.nv * model.nv;
    Real taint = chunk.taint[s] + taint_of_q<Real>(model, chunk.row(chunk.q, s));
    taint = taint + taint_of_lanes(chunk, v, s, model.nv) + taint_of_lanes(chunk, a, s, model.nv) +
            taint_of_results;
    const StateStatus status = status_of(taint);
    spoil_lanes(chunk, status, by_q, s, n);
    spoil_lanes(chunk, status, by_v, s, n);
    spoil_lanes(chunk, status, M, s, n);
    spoil_lanes(chunk, status, sum, s, n);
    chunk.status[s] = status;
  }
};

/// Derivatives of inverse dynamics become those of forward dynamics: -M^-1 times each. After
/// ForwardDynamicsBody and RneaDerivativesBody in the same states.
template <class Real>
struct SolveMatricesBody : StateBody<Real, SolveMatricesBody<Real>> {
  Real* M;            ///< nv x nv; becomes its factor
  bool factored;      ///< it is that already
  Real *by_q, *by_v;  ///< nv x nv, or null
  Real* inverse;      ///< out: that of M, or null

  RBD_HD void compute(const ModelView<Real>& model, std::int64_t s) const {
    const StateChunk<Real>& chunk = this->states;
    const LaneOut<Real> vector = chunk.workspace_of(s).vector;
    const LaneLower<Real> L{{M + s, chunk.stride, model.nv}};
    StateStatus status = chunk.status[s];
    if (!factored) {
      const Real singular = ltl_factor<Real>(model, L, vector);
      const std::int32_t dof = singular > Real(0) ? static_cast<std::int32_t>(singular) - 1 : -1;
      if (dof > status.dof && status.code != StateStatus::Code::not_finite) {
        status = {StateStatus::Code::singular, dof};
      }
    }
    const std::int32_t n = model.nv * model.nv;
    Real bad = solve(model, L, vector, by_q, s) + solve(model, L, vector, by_v, s);
    if (inverse != nullptr) {
      ltl_inverse<Real>(model, L, chunk.matrix(inverse, s));
      bad = bad + taint_of_lanes<Real>(chunk, inverse, s, n);
    }
    status = joined(status, Real(0), bad);
    spoil_lanes(chunk, status, by_q, s, n);
    spoil_lanes(chunk, status, by_v, s, n);
    spoil_lanes(chunk, status, inverse, s, n);
    chunk.status[s] = status;
  }

 private:
  RBD_INLINE Real solve(const ModelView<Real>& model, const LaneLower<Real>& L,
                        const LaneOut<Real>& vector, Real* lanes, std::int64_t s) const {
    if (lanes == nullptr) return Real(0);
    constexpr int columns = 4;  // at once, in registers
    const LaneSquare<Real> B[] = {{lanes + s, this->states.stride, model.nv}};
    return taint_of_sum(ltl_solve_rows<columns, Real>(model, L, vector, B), [&] {
      return taint_of_lanes<Real>(this->states, lanes, s, model.nv * model.nv);
    });
  }
};

/// x = M^-1 b, by aba() at rest or with the factor of M. After ForwardDynamicsBody in the same
/// states, which also left the factor.
template <class Real, bool by_aba>
struct SolveBody : StateBody<Real, SolveBody<Real, by_aba>> {
  const Real* b;
  bool given;  ///< b is an input of the call
  Real* L;     ///< nv x nv; not for aba
  Real* x;     ///< out

  RBD_HD void compute(const ModelView<Real>& model, std::int64_t s) const {
    const StateChunk<Real>& chunk = this->states;
    const LaneRow<Real> b_here = chunk.row(b, s);
    const LaneOut<Real> out = chunk.out(x, s);
    if constexpr (by_aba) {
      // Without gravity M qdd = tau; the pivots were looked at before.
      aba(model, chunk.workspace_of(s).aba, chunk.row(chunk.q, s), Zeros<Real>{}, b_here,
          NoForces{}, Vec3<Real>::zero(), false, out);
    } else {
      for (std::int32_t k = 0; k < model.nv; ++k) out.store(k, b_here(k));
      ltl_solve<Real>(model, LaneLower<Real>{{L + s, chunk.stride, model.nv}}, out);
    }
    const Real taint_of_b = taint_if_not_finite(b_here, model.nv, Real(0));
    const StateStatus status = joined(chunk.status[s], given ? taint_of_b : Real(0),
                                      taint_if_not_finite(chunk.row(x, s), model.nv, Real(0)));
    spoil_unless_ok<Real>(status, out, model.nv);
    chunk.status[s] = status;
  }
};

/// d tau / d q dq + d tau / d v dv + M da by rnea() on Dual numbers. Reads the taint.
template <class Real>
struct RneaJvpBody : StateBody<Real, RneaJvpBody<Real>> {
  const Real *v, *a;
  const Real *dq, *dv;
  const Real* da;  ///< or null: zero
  LaneWrenches<Real> wrenches;
  /// Null, or torques that the change is taken from. Then a are accelerations that
  /// ForwardDynamicsBody found.
  const Real* dtau;
  Real* change;  ///< out: nv

  RBD_HD void compute(const ModelView<Real>& model, std::int64_t s) const {
    const StateChunk<Real>& chunk = this->states;
    const DerivativeWorkspace<Real> ws = derivative_workspace_of(chunk, s);
    const LaneRow<Real> q = chunk.row(chunk.q, s), a_here = chunk.row(a, s);
    const LaneOut<Real> out = chunk.out(change, s);
    coordinate_rates<Real>(model, q, chunk.row(dq, s), ws.rates);
    const DualLaneRow<Real> dual_q{q, ws.rates.data}, dual_v{chunk.row(v, s), dv + s},
        dual_a{a_here, da == nullptr ? nullptr : da + s};
    const auto f_ext = dual_forces_of(model, ws, wrenches, s, dual_q);
    rnea(model, ws.dual_rnea, dual_q, dual_v, dual_a, f_ext, broadcast<Dual<Real>>(model.gravity),
         chunk.friction, DualLaneOut<Real>{ws.tau, out});
    const bool follows = dtau != nullptr;
    if (follows) {
      const LaneRow<Real> from = chunk.row(dtau, s);
      for (std::int32_t k = 0; k < model.nv; ++k) out.store(k, from(k) - out.load(k));
    }
    Real taint = chunk.taint[s] + taint_of_q<Real>(model, q);
    taint = taint_if_not_finite(chunk.row(v, s), model.nv, taint);
    taint = taint_if_not_finite(chunk.row(dq, s), model.nv, taint);
    taint = taint_if_not_finite(chunk.row(dv, s), model.nv, taint);
    taint = taint + taint_of_lanes(chunk, da, s, model.nv) +
            taint_of_lanes(chunk, follows ? dtau : a, s, model.nv);
    const StateStatus before = follows ? chunk.status[s] : StateStatus{};
    const StateStatus status =
        joined(before, taint, taint_if_not_finite(chunk.row(change, s), model.nv, Real(0)));
    spoil_unless_ok<Real>(status, out, model.nv);
    chunk.status[s] = status;
  }
};

/// rnea_vjp(): gradients of weights . tau. Reads the taint.
template <class Real>
struct RneaVjpBody : StateBody<Real, RneaVjpBody<Real>> {
  const Real *v, *a, *weights;
  const Real* forces;  ///< a Force for each body, or null
  LaneWrenches<Real> wrenches;
  Real *by_q, *by_v, *by_a;  ///< out: nv each
  /// Null, or the weights where these are M^-1 times those of forward dynamics and a are the
  /// accelerations that ForwardDynamicsBody found: then by_q and by_v are gradients of these, and
  /// the weights a result too.
  Real* solved;

  RBD_HD void compute(const ModelView<Real>& model, std::int64_t s) const {
    const StateChunk<Real>& chunk = this->states;
    const DerivativeWorkspace<Real> ws = derivative_workspace_of(chunk, s);
    const LaneRow<Real> q = chunk.row(chunk.q, s);
    const LaneOut<Real> out_q = chunk.out(by_q, s), out_v = chunk.out(by_v, s);
    const TurningLaneWrenches<Real> turning{wrenches, s, ws};
    if (turning.any()) forward_kinematics(model, ws.placements, q);
    rnea_vjp(model, ws.vjp, q, chunk.row(v, s), chunk.row(a, s), chunk.row(weights, s),
             forces_of(chunk, forces, s), turning, model.gravity, chunk.friction, out_q, out_v,
             chunk.out(by_a, s));
    StateStatus before{};
    Real taint = chunk.taint[s] + taint_of_q<Real>(model, q);
    taint = taint_if_not_finite(chunk.row(v, s), model.nv, taint);
    Real results = taint_of_lanes<Real>(chunk, by_q, s, model.nv) +
                   taint_of_lanes<Real>(chunk, by_v, s, model.nv);
    if (solved != nullptr) {
      before = chunk.status[s];
      for (std::int32_t k = 0; k < model.nv; ++k) {
        out_q.store(k, -out_q.load(k));
        out_v.store(k, -out_v.load(k));
      }
    } else {
      taint = taint_if_not_finite(chunk.row(a, s), model.nv, taint);
      taint = taint_if_not_finite(chunk.row(weights, s), model.nv, taint);
      results = results + taint_of_lanes<Real>(chunk, by_a, s, model.nv);
    }
    const StateStatus status = joined(before, taint, results);
    spoil_lanes(chunk, status, by_q, s, model.nv);
    spoil_lanes(chunk, status, by_v, s, model.nv);
    spoil_lanes(chunk, status, by_a, s, model.nv);
    spoil_lanes(chunk, status, solved, s, model.nv);
    chunk.status[s] = status;
  }
};

/// centroidal_momentum()
template <class Real>
struct CentroidalBody : StateBody<Real, CentroidalBody<Real>> {
  const Real* v;
  Real *A, *rate;  ///< out: 6 x nv each, or null

  RBD_HD void compute(const ModelView<Real>& model, std::int64_t s) const {
    const StateChunk<Real>& chunk = this->states;
    const DerivativeWorkspace<Real> ws = derivative_workspace_of(chunk, s);
    const LaneRow<Real> q = chunk.row(chunk.q, s), v_here = chunk.row(v, s);
    const CentroidalMatrices<LaneOut<Real>> out{chunk.out(A, s), chunk.out(rate, s), A != nullptr,
                                                rate != nullptr};
    centroidal_momentum(model, ws.matrices, q, v_here, Zeros<Real>{}, out);
    const std::int32_t n = 6 * model.nv;
    Real taint = taint_if_not_finite(v_here, model.nv, taint_of_q<Real>(model, q));
    taint = taint + taint_of_lanes<Real>(chunk, A, s, n) + taint_of_lanes<Real>(chunk, rate, s, n);
    const StateStatus status = status_of(taint);
    spoil_lanes(chunk, status, A, s, n);
    spoil_lanes(chunk, status, rate, s, n);
    chunk.status[s] = status;
  }
};

/// regressor_of_body() for all bodies.
template <class Real>
struct RegressorBody : StateBody<Real, RegressorBody<Real>> {
  const Real *v, *a;
  Real* Y;              ///< out: nv x parameters
  std::int64_t stride;  ///< of its lanes

  RBD_HD void compute(const ModelView<Real>& model, std::int64_t s) const {
    const StateChunk<Real>& chunk = this->states;
    const DerivativeWorkspace<Real> ws = derivative_workspace_of(chunk, s);
    const LaneRow<Real> q = chunk.row(chunk.q, s), v_here = chunk.row(v, s),
                        a_here = chunk.row(a, s);
    const LaneOut<Real> out{Y + s, stride};
    const std::int32_t row_length = model.body_count * parameters_per_body;
    const std::int32_t n = model.nv * row_length;
    for (std::int32_t k = 0; k < n; ++k) out.store(k, Real(0));
    compute_turns(model, ws.matrices.turns, q);
    derivatives_outward(model, ws.matrices, q, v_here, a_here, model.gravity,
                        VelocityTerms::derivative);
    for_each_carried_link(model, [&](std::int32_t body, std::int32_t link) RBD_INLINE_LAMBDA {
      regressor_of_body(model, ws.matrices, body, link,
                        [&](std::int32_t dof, std::int32_t k, const Real& x) RBD_INLINE_LAMBDA {
                          const std::int32_t at = dof * row_length + body * parameters_per_body + k;
                          out.store(at, out.load(at) + x);
                        });
    });
    Real taint = taint_if_not_finite(v_here, model.nv, taint_of_q<Real>(model, q));
    taint = taint_if_not_finite(a_here, model.nv, taint);
    taint = taint_if_not_finite(LaneRow<Real>{Y + s, stride}, n, taint);
    const StateStatus status = status_of(taint);
    spoil_unless_ok<Real>(status, out, n);
    chunk.status[s] = status;
  }
};

/// link_jacobian_rate(). After BodyMotionsBody with the placements.
template <class Real>
struct LinkJacobianRateBody : StateBody<Real, LinkJacobianRateBody<Real>> {
  std::int32_t link;
  bool in_link_axes;
  Real* rate;  ///< out: 6 x nv

  RBD_HD void compute(const ModelView<Real>& model, std::int64_t s) const {
    const StateChunk<Real>& chunk = this->states;
    const LaneOut<Real> out = chunk.out(rate, s);
    link_jacobian_rate(model, chunk.workspace_of(s).kinematics, link, in_link_axes, out);
    spoil_unless_ok<Real>(chunk.status[s], out, 6 * model.nv);
  }
};

}  // namespace rbd_parallel_core
