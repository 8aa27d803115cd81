// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/cholesky.hpp"

/// Forward dynamics by nothing but inverse dynamics: the "joint space inertia inversion algorithm"
/// of Yang, Wu and Pan, "Parallel Dynamics Computation using Prefix Sum Operations". O(n^2) work
/// before the factor of M and O(n^3) for it on a chain; what speaks for it is that its n + 1
/// inverse dynamics know nothing of each other and make one batch for a machine that is good at
/// batches.
namespace rbd_parallel_core {

/// Memory of jsiia, in numbers S for one state.
template <class S>
struct JsiiaWorkspace {
  RealOf<S>* accelerations;  ///< nv x nv: the states of the batch, e_0, e_1, ...
  RealOf<S>* columns;        ///< nv x nv: the columns of M, which become its factor
  RealOf<S>* diagonal;       ///< nv
};

/// Column j of M is what the acceleration e_j takes at rest without gravity; the torques beyond
/// C v + g + [friction] - J^T f_ext then meet M's factor M = L^T L (the paper inverts M, which
/// costs more and is less accurate). For every model.
///
/// bias_forces(out): that sum, nv numbers, into out. inverse_dynamics_at_rest(a, tau, count): of
/// `count` states, all with the position of this one, v = 0, no gravity and no external forces;
/// state k has its accelerations at a[k nv] and its torques go to tau[k nv]. Armature counts there.
/// tau: reader, qdd: writer of nv numbers. Returns 0, or 1 + the coordinate at which M is singular.
template <class S, class Real, class BiasForces, class InverseDynamicsAtRest, class T, class Qdd>
RBD_KERNEL S jsiia(const ModelView<Real>& model, const JsiiaWorkspace<S>& ws,
                   const BiasForces& bias_forces,
                   const InverseDynamicsAtRest& inverse_dynamics_at_rest, T tau, Qdd qdd) {
  const std::int32_t nv = model.nv;
  bias_forces(qdd);
  for (std::int32_t k = 0; k < nv; ++k) qdd.store(k, tau(k) - qdd.load(k));
  const OutMatrix<S> units{ws.accelerations, nv}, M{ws.columns, nv};
  for (std::int32_t i = 0; i < nv; ++i) {
    for (std::int32_t j = 0; j < nv; ++j) units.store(i, j, S(RealOf<S>(i == j ? 1 : 0)));
  }
  inverse_dynamics_at_rest(ws.accelerations, ws.columns, nv);
  const S singular = ltl_factor<S>(model, M, OutRow<S>{ws.diagonal});
  ltl_solve<S>(model, M, qdd);
  return singular;
}

}  // namespace rbd_parallel_core
