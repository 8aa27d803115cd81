// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/gpu/kernels/derivative_bodies.hpp"

namespace rbd_parallel_core {

/// The kernels of derivatives, of a device or of a CPU.
template <class Real>
struct DerivativeEntries {
  BodyEntry<RneaDerivativesBody<Real>> rnea_derivatives;
  BodyEntry<SolveMatricesBody<Real>> solve_matrices;
  BodyEntry<SolveBody<Real, true>> solve_by_aba;
  BodyEntry<SolveBody<Real, false>> solve_by_factor;
  BodyEntry<RneaJvpBody<Real>> rnea_jvp;
  BodyEntry<RneaVjpBody<Real>> rnea_vjp;
  BodyEntry<CentroidalBody<Real>> centroidal;
  BodyEntry<RegressorBody<Real>> regressor;
  BodyEntry<LinkJacobianRateBody<Real>> link_jacobian_rate;

  /// Has every entry made by make(entry).
  template <class Make>
  static DerivativeEntries made_by(const Make& make) {
    DerivativeEntries all;
    auto& [rnea_derivatives, solve_matrices, solve_by_aba, solve_by_factor, rnea_jvp, rnea_vjp,
           centroidal, regressor, link_jacobian_rate] = all;
    make(rnea_derivatives);
    make(solve_matrices);
    make(solve_by_aba);
    make(solve_by_factor);
    make(rnea_jvp);
    make(rnea_vjp);
    make(centroidal);
    make(regressor);
    make(link_jacobian_rate);
    return all;
  }
};

}  // namespace rbd_parallel_core
