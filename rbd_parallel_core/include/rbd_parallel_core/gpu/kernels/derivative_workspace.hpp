// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/rnea_derivatives.hpp"
#include "rbd_parallel_core/algorithm/rnea_vjp.hpp"
#include "rbd_parallel_core/gpu/kernels/state_workspace.hpp"
#include "rbd_parallel_core/spatial/dual.hpp"

namespace rbd_parallel_core {

/// What one thread keeps while it computes derivatives of one state. A kernel uses one of the three
/// groups, so that they share their memory, with each other and with StateWorkspace.
template <class Real>
class DerivativeWorkspace {
 public:
  template <class T>
  using Array = typename Strided<Real>::template Array<T>;

  // for matrices
  DerivativesWorkspace<Real, Strided<Real>::template Array> matrices;
  // for products with a row of weights
  VjpWorkspace<Real, Strided<Real>::template Array> vjp;
  KinematicsWorkspace<Real, Strided<Real>::template Array> placements;  ///< X0 only
  // for products with a direction
  RneaWorkspace<Dual<Real>, Strided<Real>::template Array> dual_rnea;
  KinematicsWorkspace<Dual<Real>, Strided<Real>::template Array> dual_placements;  ///< X0 only
  Array<Force<Dual<Real>>> dual_forces;                                            ///< per body
  LaneOut<Real> rates;  ///< nq: of q, along the direction
  LaneOut<Real> tau;    ///< nv: the torques themselves

  /// How many numbers a state needs, with matrices or without.
  static std::int64_t numbers(const ModelView<Real>& model, bool with_matrices) {
    DerivativeWorkspace unused;
    return unused.lay_out({nullptr, 0, 0}, model, with_matrices);
  }
  /// `first`: number 0 of the state, the next ones every `stride` numbers.
  static RBD_INLINE DerivativeWorkspace at(Real* first, std::int64_t stride,
                                           const ModelView<Real>& model) {
    DerivativeWorkspace ws;
    ws.lay_out({first, stride, 0}, model, true);
    return ws;
  }

 private:
  RBD_INLINE std::int64_t lay_out(LaneCutter<Real> cutter, const ModelView<Real>& model,
                                  bool with_matrices) {
    const std::int32_t bodies = model.body_count;
    JointTurns<Real, Strided<Real>::template Array> turns;
    cutter.cut(turns.angle, bodies);
    cutter.cut(turns.sine, bodies);
    cutter.cut(turns.cosine, bodies);
    matrices.turns = vjp.turns = placements.turns = turns;

    LaneCutter<Real> for_matrices = cutter, for_vjp = cutter, for_duals = cutter;
    cut_matrices(for_matrices, bodies, model.column_count);
    for_vjp.cut(vjp.a, bodies);
    for_vjp.cut(vjp.mu, bodies);
    for_vjp.cut(vjp.motion, bodies);
    for_vjp.cut(vjp.forces, bodies);
    for_vjp.cut(placements.X0, bodies);
    cut_duals(for_duals, model);
    const std::int64_t products = for_vjp.used < for_duals.used ? for_duals.used : for_vjp.used;
    return with_matrices && products < for_matrices.used ? for_matrices.used : products;
  }
  RBD_INLINE void cut_matrices(LaneCutter<Real>& cutter, std::int32_t bodies,
                               std::int32_t columns) {
    cutter.cut(matrices.body, bodies + 1);
    cutter.cut(matrices.head, bodies);
    cutter.cut(matrices.C, bodies);
    cutter.cut(matrices.wrench, bodies);
    cutter.cut(matrices.in_run, columns);
    cutter.cut(matrices.by_q, columns);
    cutter.cut(matrices.of_shift, columns);
  }
  RBD_INLINE void cut_duals(LaneCutter<Real>& cutter, const ModelView<Real>& model) {
    const std::int32_t bodies = model.body_count;
    JointTurns<Dual<Real>, Strided<Real>::template Array> turns;
    cutter.cut(turns.angle, bodies);
    cutter.cut(turns.sine, bodies);
    cutter.cut(turns.cosine, bodies);
    dual_rnea.turns = dual_placements.turns = turns;
    cutter.cut(dual_rnea.w, bodies);
    cutter.cut(dual_rnea.a, bodies);
    cutter.cut(dual_rnea.K, bodies);
    cutter.cut(dual_rnea.f, bodies);
    cutter.cut(dual_placements.X0, bodies);
    cutter.cut(dual_forces, bodies);
    rates = cutter.row(model.nq);
    tau = cutter.row(model.nv);
  }
};

}  // namespace rbd_parallel_core
