// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/model/model_view.hpp"
#include "rbd_parallel_core/symbolic/function.hpp"

/// The dynamics of one robot as functions: the algorithms of algorithm/, run on Symbols.
///
/// Arrays have the names, the sizes and the order of the arguments of a Backend (operation.hpp).
/// Matrices are nv x nv, row after row; what is zero whatever the state is, is the constant zero.
namespace rbd_parallel_core::symbolic {

struct TraceOptions {
  bool friction = false;  ///< damping and Coulomb friction of the joints
  /// Of the numbers that will run: singular_tolerance<Real>().
  double singular_tolerance = 64 * 2.220446049250313e-16;
};

/// Which rates a function of inverse dynamics takes; the others are zero, and their terms left out.
enum class Rates { none, velocities, velocities_and_accelerations };

/// (q, [v, [a]]) -> tau
Function trace_inverse_dynamics(const ModelView<double>& model, Rates rates,
                                const TraceOptions& options = {});
/// (q, v) -> tau without gravity and friction.
Function trace_coriolis_forces(const ModelView<double>& model, const TraceOptions& options = {});
/// q -> mass_matrix, of which the lower triangle is computed: the upper one is constant zero.
Function trace_mass_matrix(const ModelView<double>& model, const TraceOptions& options = {});
/// (q, v, tau) -> (qdd, singular): by ABA. singular: 1 + the singular coordinate, or 0. Not for
/// robots with mimic joints. Throws std::runtime_error for one that is singular in every state.
Function trace_forward_dynamics(const ModelView<double>& model, const TraceOptions& options = {});
/// (q, v, a) -> (dtau_dq, dtau_dv, [mass_matrix]): by the analytic algorithm, or by the chain rule
/// on the graph of inverse dynamics, whichever has fewer operations.
Function trace_inverse_dynamics_derivatives(const ModelView<double>& model, bool with_mass_matrix,
                                            const TraceOptions& options = {});
/// (q, v, tau) -> (dqdd_dq, dqdd_dv, dqdd_dtau, singular). Of dqdd_dtau only the lower triangle is
/// computed. Not for robots with mimic joints.
Function trace_forward_dynamics_derivatives(const ModelView<double>& model,
                                            const TraceOptions& options = {});

}  // namespace rbd_parallel_core::symbolic
