// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/forward_method.hpp"
#include "rbd_parallel_core/model/model_view.hpp"
#include "rbd_parallel_core/symbolic/function.hpp"

/// The dynamics of one robot as functions: the algorithms of algorithm/, run on Symbols.
///
/// Arrays have the names, the sizes and the order of the arguments of a Backend (operation.hpp),
/// but for those of External. Matrices are row after row; what is zero whatever the state is, is
/// the constant zero. Symmetric matrices of nv x nv have only their lower triangle computed: the
/// upper one may be constant zero. A function with the output "singular" solves with M: that is 1 +
/// the singular coordinate, or 0; where it is constant, in every state, std::runtime_error is
/// thrown.
namespace rbd_parallel_core::symbolic {

struct TraceOptions {
  bool friction = false;  ///< damping and Coulomb friction of the joints
  /// Of the numbers that will run: singular_tolerance<Real>().
  double singular_tolerance = 64 * 2.220446049250313e-16;
};

/// Which rates a function of inverse dynamics takes; the others are zero, and their terms left out.
enum class Rates { none, velocities, velocities_and_accelerations };

/// Which external forces a function takes, as inputs behind all others.
enum class External {
  none,
  /// "f_ext", 6 numbers a body: the moment (N m), then the force (N) on it at its origin, along its
  /// axes. Derivatives keep them constant: so do wrenches along the axes of links.
  on_bodies,
  /// "f_ext", and "turning", 12 numbers a body: the WorldWrench of the wrenches on it. For
  /// derivatives where wrenches keep to the axes of the world.
  in_world_axes,
};

// ---- dynamics -----------------------------------------------------------------------------------

/// (q, [v, [a]], [f_ext]) -> tau
Function trace_inverse_dynamics(const ModelView<double>& model, Rates rates,
                                const TraceOptions& options = {},
                                External external = External::none);
/// (q, v) -> tau without gravity and friction.
Function trace_coriolis_forces(const ModelView<double>& model, const TraceOptions& options = {});
/// (q, v, tau, [f_ext]) -> (qdd, singular): by aba, which does not take mimic joints, or by crba.
Function trace_forward_dynamics(const ModelView<double>& model, ForwardMethod method,
                                const TraceOptions& options = {},
                                External external = External::none);
/// q -> mass_matrix
Function trace_mass_matrix(const ModelView<double>& model, const TraceOptions& options = {});
/// q -> (mass_matrix, cholesky, [inverse], singular)
Function trace_mass_matrix_factor(const ModelView<double>& model, bool with_inverse,
                                  const TraceOptions& options = {});
/// q -> sparse, or (sparse, sparse_cholesky, singular)
Function trace_sparse_mass_matrix(const ModelView<double>& model, bool with_factor,
                                  const TraceOptions& options = {});

// ---- derivatives --------------------------------------------------------------------------------

/// (q, v, a, [f_ext, [turning]]) -> (dtau_dq, dtau_dv, [mass_matrix]): by the analytic algorithm,
/// or by the chain rule on the graph of inverse dynamics, whichever has fewer operations.
Function trace_inverse_dynamics_derivatives(const ModelView<double>& model, bool with_mass_matrix,
                                            const TraceOptions& options = {},
                                            External external = External::none);
/// (q, v, tau, [f_ext, [turning]]) -> (dqdd_dq, dqdd_dv, dqdd_dtau, singular)
Function trace_forward_dynamics_derivatives(const ModelView<double>& model,
                                            const TraceOptions& options = {},
                                            External external = External::none);
/// (q, v, a, dq, dv, da, [f_ext, [turning]]) -> dtau
Function trace_inverse_dynamics_jvp(const ModelView<double>& model,
                                    const TraceOptions& options = {},
                                    External external = External::none);
/// (q, weights, v, a, [f_ext, [turning]]) -> (grad_q, grad_v, grad_a)
Function trace_inverse_dynamics_vjp(const ModelView<double>& model,
                                    const TraceOptions& options = {},
                                    External external = External::none);
/// (q, v, tau, dq, dv, dtau, [f_ext, [turning]]) -> (dqdd, singular)
Function trace_forward_dynamics_jvp(const ModelView<double>& model,
                                    const TraceOptions& options = {},
                                    External external = External::none);
/// (q, weights, v, tau, [f_ext, [turning]]) -> (grad_q, grad_v, grad_tau, singular)
Function trace_forward_dynamics_vjp(const ModelView<double>& model,
                                    const TraceOptions& options = {},
                                    External external = External::none);

// ---- more of the state --------------------------------------------------------------------------

/// (q, v) -> coriolis, or (coriolis, mass_matrix_rate)
Function trace_coriolis_matrix(const ModelView<double>& model, bool with_rate,
                               const TraceOptions& options = {});
/// (q, v) -> (potential, com), or (kinetic, potential, com). Throws std::runtime_error for a robot
/// without mass.
Function trace_energies(const ModelView<double>& model, bool with_kinetic,
                        const TraceOptions& options = {});
/// (q, v) -> momentum_matrix, or (momentum_matrix, momentum_matrix_rate). Throws likewise.
Function trace_centroidal_momentum(const ModelView<double>& model, bool with_rate,
                                   const TraceOptions& options = {});
/// (q, v, a) -> regressor
Function trace_regressor(const ModelView<double>& model, const TraceOptions& options = {});
/// q -> placements, 12 numbers a body: the Transform from the world frame to the body's.
Function trace_placements(const ModelView<double>& model, const TraceOptions& options = {});

}  // namespace rbd_parallel_core::symbolic
