// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/cholesky.hpp"
#include "state_io.hpp"

/// How kernels solve for accelerations.
namespace rbd_parallel_core {

/// M qdd = tau - (C qd + g - J^T f_ext), by the factor of M. Returns what ltl_factor does.
template <class S, class F>
RBD_INLINE S solve_by_crba(const KernelContext<RealOf<S>>& context, const Scratch<S>& scratch,
                           const Row<S>& q, const Row<S>& v, const Row<S>& tau, const F& f_ext,
                           const OutRow<S>& qdd) {
  const ModelView<RealOf<S>>& model = context.model;
  rnea(model, scratch.workspace.rnea, q, v, Zeros<S>{}, f_ext, broadcast<S>(model.gravity),
       context.friction, qdd);
  for (std::int32_t k = 0; k < model.nv; ++k) qdd.store(k, tau(k) - qdd.load(k));
  const OutLower<S> M{{scratch.matrix, model.nv}};
  crba(model, scratch.workspace.crba, q, M);
  const OutRow<S> vector{reinterpret_cast<RealOf<S>*>(scratch.workspace.vector)};
  const S singular = ltl_factor<S>(model, M, vector);
  ltl_solve<S>(model, M, qdd);
  return singular;
}

/// Forward dynamics by aba, or with mimic joints by crba, whose factor of M stays in
/// scratch.matrix. Returns 0, or 1 + the singular coordinate.
template <class S, class F>
RBD_INLINE S accelerations(const KernelContext<RealOf<S>>& context, const Scratch<S>& scratch,
                           const Row<S>& q, const Row<S>& v, const Row<S>& tau, const F& f_ext,
                           const OutRow<S>& qdd) {
  const ModelView<RealOf<S>>& model = context.model;
  if (model.has_mimic) return solve_by_crba(context, scratch, q, v, tau, f_ext, qdd);
  return aba(model, scratch.workspace.aba, q, v, tau, f_ext, broadcast<S>(model.gravity),
             context.friction, qdd);
}

/// x = M^-1 b. After `accelerations` in the same state.
template <class S>
RBD_INLINE void solve_mass_matrix(const KernelContext<RealOf<S>>& context,
                                  const Scratch<S>& scratch, const Row<S>& q, const Row<S>& b,
                                  const OutRow<S>& x) {
  const ModelView<RealOf<S>>& model = context.model;
  if (model.has_mimic) {
    for (std::int32_t k = 0; k < model.nv; ++k) x.store(k, b(k));
    ltl_solve<S>(model, OutLower<S>{{scratch.matrix, model.nv}}, x);
    return;
  }
  // At rest and without gravity M qdd = tau.
  const Row<S> zeros{reinterpret_cast<const RealOf<S>*>(scratch.workspace.zeros)};
  aba(model, scratch.workspace.aba, q, zeros, b, no_forces(scratch.workspace), Vec3<S>::zero(),
      false, x);
}

/// A singular state's results mean nothing, whether finite or not.
template <class S>
RBD_INLINE Outcome<S> outcome_of_solve(const S& bad, const S& singular, const S& bad_results) {
  using T = ScalarTraits<S>;
  const S zero(RealOf<S>(0));
  return {bad + T::select(T::less(zero, singular), zero, bad_results), singular};
}

}  // namespace rbd_parallel_core
