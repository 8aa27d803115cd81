// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/cholesky.hpp"
#include "rbd_parallel_core/algorithm/crba.hpp"
#include "rbd_parallel_core/algorithm/rnea.hpp"

namespace rbd_parallel_core {

/// tau - (C v + g + [friction] - J^T f_ext): what is left to accelerate the robot.
template <class S, class Real, template <class> class Array, class Q, class V, class T, class F,
          class Out>
RBD_INLINE void net_torques(const ModelView<Real>& model, const RneaWorkspace<S, Array>& ws, Q q,
                            V v, T tau, F f_ext, const Vec3<S>& gravity, bool friction, Out out) {
  rnea(model, ws, q, v, Zeros<S>{}, f_ext, gravity, friction, out);
  for (std::int32_t k = 0; k < model.nv; ++k) out.store(k, tau(k) - out.load(k));
}

/// Forward dynamics by the mass matrix (Walker and Orin 1982, method 3) and its factor M = L^T L:
///   M qdd = tau - C v - g - [friction] + J^T f_ext
/// For every model. M: OutSparse, which then holds only what can differ from zero, or OutLower; on
/// return it holds L. diagonal: workspace of nv numbers. The workspaces of RNEA and CRBA may share
/// memory. Arguments as for rnea; qdd: writer of nv numbers. Returns 0, or 1 + the coordinate at
/// which M is singular (then qdd means nothing).
template <class S, class Real, template <class> class Array, class Q, class V, class T, class F,
          class Matrix, class Vector, class Qdd>
RBD_KERNEL S crba_forward(const ModelView<Real>& model, const RneaWorkspace<S, Array>& for_rnea,
                          const CrbaWorkspace<S, Array>& for_crba, Q q, V v, T tau, F f_ext,
                          const Vec3<S>& gravity, bool friction, Matrix M, Vector diagonal,
                          Qdd qdd) {
  net_torques(model, for_rnea, q, v, tau, f_ext, gravity, friction, qdd);
  crba(model, for_crba, q, M);
  const S singular = ltl_factor<S>(model, M, diagonal);
  ltl_solve<S>(model, M, qdd);
  return singular;
}

}  // namespace rbd_parallel_core
