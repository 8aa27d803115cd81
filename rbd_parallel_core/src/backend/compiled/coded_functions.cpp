// SPDX-License-Identifier: Apache-2.0
#include "coded_functions.hpp"

namespace rbd_parallel_core::compiled {
namespace {

using enum Argument;
using symbolic::External;
using symbolic::Rates;
using Robot = ModelView<double>;
using Options = symbolic::TraceOptions;
using Trace = symbolic::Function (*)(const Robot&, const Options&, External);

// ---- functions with a choice, as the table takes them -------------------------------------------

template <Rates rates>
constexpr Trace inverse_dynamics = [](const Robot& robot, const Options& options, External f) {
  return symbolic::trace_inverse_dynamics(robot, rates, options, f);
};
template <ForwardMethod by>
constexpr Trace forward_dynamics = [](const Robot& robot, const Options& options, External f) {
  return symbolic::trace_forward_dynamics(robot, by, options, f);
};
template <bool with_mass_matrix>
constexpr Trace inverse_derivatives = [](const Robot& robot, const Options& options, External f) {
  return symbolic::trace_inverse_dynamics_derivatives(robot, with_mass_matrix, options, f);
};
/// Takes no external forces.
template <symbolic::Function (*trace)(const Robot&, const Options&)>
constexpr Trace alone =
    [](const Robot& robot, const Options& options, External) { return trace(robot, options); };
template <symbolic::Function (*trace)(const Robot&, bool, const Options&), bool choice>
constexpr Trace chosen = [](const Robot& robot, const Options& options, External) {
  return trace(robot, choice, options);
};

constexpr const char* with_wrenches = "with external wrenches";
constexpr const char* with_link_wrenches = "with external wrenches along the axes of links";
constexpr const char* with_world_wrenches = "with external wrenches along the axes of the world";
constexpr ForwardMethod aba = ForwardMethod::aba, crba = ForwardMethod::crba;

// ---- the table ----------------------------------------------------------------------------------

constexpr CodedFunction table[] = {
    {.operation = Operation::inverse_dynamics,
     .when = "",
     .inputs = {q, v, a},
     .outputs = {tau},
     .trace = inverse_dynamics<Rates::velocities_and_accelerations>},
    {.operation = Operation::inverse_dynamics,
     .when = with_wrenches,
     .inputs = {q, v, a},
     .outputs = {tau},
     .trace = inverse_dynamics<Rates::velocities_and_accelerations>,
     .wrenches = Wrenches::along_any_axes},
    {.operation = Operation::bias_forces,
     .when = "",
     .inputs = {q, v},
     .outputs = {tau},
     .trace = inverse_dynamics<Rates::velocities>},
    {.operation = Operation::gravity_forces,
     .when = "",
     .inputs = {q},
     .outputs = {tau},
     .trace = inverse_dynamics<Rates::none>},
    {.operation = Operation::coriolis_forces,
     .when = "",
     .inputs = {q, v},
     .outputs = {tau},
     .trace = alone<symbolic::trace_coriolis_forces>},

    {.operation = Operation::mass_matrix,
     .when = "",
     .inputs = {q},
     .outputs = {mass_matrix},
     .trace = alone<symbolic::trace_mass_matrix>},
    {.operation = Operation::mass_matrix,
     .when = "with its factor",
     .inputs = {q},
     .outputs = {mass_matrix, cholesky},
     .trace = chosen<symbolic::trace_mass_matrix_factor, false>},
    {.operation = Operation::mass_matrix,
     .when = "with its inverse",
     .inputs = {q},
     .outputs = {mass_matrix, cholesky, inverse},
     .trace = chosen<symbolic::trace_mass_matrix_factor, true>},
    {.operation = Operation::mass_matrix,
     .when = "sparse",
     .inputs = {q},
     .outputs = {sparse},
     .trace = chosen<symbolic::trace_sparse_mass_matrix, false>},
    {.operation = Operation::mass_matrix,
     .when = "sparse with its factor",
     .inputs = {q},
     .outputs = {sparse, sparse_cholesky},
     .trace = chosen<symbolic::trace_sparse_mass_matrix, true>},

    {.operation = Operation::forward_dynamics,
     .when = "",
     .inputs = {q, v, tau},
     .outputs = {qdd},
     .trace = forward_dynamics<aba>,
     .method = aba},
    {.operation = Operation::forward_dynamics,
     .when = with_wrenches,
     .inputs = {q, v, tau},
     .outputs = {qdd},
     .trace = forward_dynamics<aba>,
     .method = aba,
     .wrenches = Wrenches::along_any_axes},
    {.operation = Operation::forward_dynamics,
     .when = "by crba",
     .inputs = {q, v, tau},
     .outputs = {qdd},
     .trace = forward_dynamics<crba>,
     .method = crba},
    {.operation = Operation::forward_dynamics,
     .when = "by crba with external wrenches",
     .inputs = {q, v, tau},
     .outputs = {qdd},
     .trace = forward_dynamics<crba>,
     .method = crba,
     .wrenches = Wrenches::along_any_axes},

    {.operation = Operation::inverse_dynamics_derivatives,
     .when = "",
     .inputs = {q, v, a},
     .outputs = {dtau_dq, dtau_dv},
     .trace = inverse_derivatives<false>},
    {.operation = Operation::inverse_dynamics_derivatives,
     .when = "with the mass matrix",
     .inputs = {q, v, a},
     .outputs = {dtau_dq, dtau_dv, mass_matrix},
     .trace = inverse_derivatives<true>},
    {.operation = Operation::inverse_dynamics_derivatives,
     .when = with_link_wrenches,
     .inputs = {q, v, a},
     .outputs = {dtau_dq, dtau_dv, mass_matrix},
     .trace = inverse_derivatives<true>,
     .wrenches = Wrenches::along_links},
    {.operation = Operation::inverse_dynamics_derivatives,
     .when = with_world_wrenches,
     .inputs = {q, v, a},
     .outputs = {dtau_dq, dtau_dv, mass_matrix},
     .trace = inverse_derivatives<true>,
     .wrenches = Wrenches::along_world},
    {.operation = Operation::forward_dynamics_derivatives,
     .when = "",
     .inputs = {q, v, tau},
     .outputs = {dqdd_dq, dqdd_dv, dqdd_dtau},
     .trace = symbolic::trace_forward_dynamics_derivatives},
    {.operation = Operation::forward_dynamics_derivatives,
     .when = with_link_wrenches,
     .inputs = {q, v, tau},
     .outputs = {dqdd_dq, dqdd_dv, dqdd_dtau},
     .trace = symbolic::trace_forward_dynamics_derivatives,
     .wrenches = Wrenches::along_links},
    {.operation = Operation::forward_dynamics_derivatives,
     .when = with_world_wrenches,
     .inputs = {q, v, tau},
     .outputs = {dqdd_dq, dqdd_dv, dqdd_dtau},
     .trace = symbolic::trace_forward_dynamics_derivatives,
     .wrenches = Wrenches::along_world},

    {.operation = Operation::inverse_dynamics_jvp,
     .when = "",
     .inputs = {q, v, a, dq, dv, da},
     .outputs = {dtau},
     .trace = symbolic::trace_inverse_dynamics_jvp},
    {.operation = Operation::inverse_dynamics_jvp,
     .when = with_link_wrenches,
     .inputs = {q, v, a, dq, dv, da},
     .outputs = {dtau},
     .trace = symbolic::trace_inverse_dynamics_jvp,
     .wrenches = Wrenches::along_links},
    {.operation = Operation::inverse_dynamics_jvp,
     .when = with_world_wrenches,
     .inputs = {q, v, a, dq, dv, da},
     .outputs = {dtau},
     .trace = symbolic::trace_inverse_dynamics_jvp,
     .wrenches = Wrenches::along_world},
    {.operation = Operation::inverse_dynamics_vjp,
     .when = "",
     .inputs = {q, weights, v, a},
     .outputs = {grad_q, grad_v, grad_a},
     .trace = symbolic::trace_inverse_dynamics_vjp},
    {.operation = Operation::inverse_dynamics_vjp,
     .when = with_link_wrenches,
     .inputs = {q, weights, v, a},
     .outputs = {grad_q, grad_v, grad_a},
     .trace = symbolic::trace_inverse_dynamics_vjp,
     .wrenches = Wrenches::along_links},
    {.operation = Operation::inverse_dynamics_vjp,
     .when = with_world_wrenches,
     .inputs = {q, weights, v, a},
     .outputs = {grad_q, grad_v, grad_a},
     .trace = symbolic::trace_inverse_dynamics_vjp,
     .wrenches = Wrenches::along_world},
    {.operation = Operation::forward_dynamics_jvp,
     .when = "",
     .inputs = {q, v, tau, dq, dv, dtau},
     .outputs = {dqdd},
     .trace = symbolic::trace_forward_dynamics_jvp},
    {.operation = Operation::forward_dynamics_jvp,
     .when = with_link_wrenches,
     .inputs = {q, v, tau, dq, dv, dtau},
     .outputs = {dqdd},
     .trace = symbolic::trace_forward_dynamics_jvp,
     .wrenches = Wrenches::along_links},
    {.operation = Operation::forward_dynamics_jvp,
     .when = with_world_wrenches,
     .inputs = {q, v, tau, dq, dv, dtau},
     .outputs = {dqdd},
     .trace = symbolic::trace_forward_dynamics_jvp,
     .wrenches = Wrenches::along_world},
    {.operation = Operation::forward_dynamics_vjp,
     .when = "",
     .inputs = {q, weights, v, tau},
     .outputs = {grad_q, grad_v, grad_tau},
     .trace = symbolic::trace_forward_dynamics_vjp},
    {.operation = Operation::forward_dynamics_vjp,
     .when = with_link_wrenches,
     .inputs = {q, weights, v, tau},
     .outputs = {grad_q, grad_v, grad_tau},
     .trace = symbolic::trace_forward_dynamics_vjp,
     .wrenches = Wrenches::along_links},
    {.operation = Operation::forward_dynamics_vjp,
     .when = with_world_wrenches,
     .inputs = {q, weights, v, tau},
     .outputs = {grad_q, grad_v, grad_tau},
     .trace = symbolic::trace_forward_dynamics_vjp,
     .wrenches = Wrenches::along_world},

    {.operation = Operation::energies,
     .when = "",
     .inputs = {q, v},
     .outputs = {potential, com},
     .trace = chosen<symbolic::trace_energies, false>},
    {.operation = Operation::energies,
     .when = "with the kinetic energy",
     .inputs = {q, v},
     .outputs = {kinetic, potential, com},
     .trace = chosen<symbolic::trace_energies, true>},
    {.operation = Operation::coriolis_matrix,
     .when = "",
     .inputs = {q, v},
     .outputs = {coriolis},
     .trace = chosen<symbolic::trace_coriolis_matrix, false>},
    {.operation = Operation::coriolis_matrix,
     .when = "with the rate of the mass matrix",
     .inputs = {q, v},
     .outputs = {coriolis, mass_matrix_rate},
     .trace = chosen<symbolic::trace_coriolis_matrix, true>},
    {.operation = Operation::centroidal_momentum,
     .when = "",
     .inputs = {q, v},
     .outputs = {momentum_matrix},
     .trace = chosen<symbolic::trace_centroidal_momentum, false>},
    {.operation = Operation::centroidal_momentum,
     .when = "with its rate",
     .inputs = {q, v},
     .outputs = {momentum_matrix, momentum_matrix_rate},
     .trace = chosen<symbolic::trace_centroidal_momentum, true>},
    {.operation = Operation::regressor,
     .when = "",
     .inputs = {q, v, a},
     .outputs = {regressor},
     .trace = alone<symbolic::trace_regressor>},
};

}  // namespace

std::span<const CodedFunction> coded_functions() { return table; }

}  // namespace rbd_parallel_core::compiled
