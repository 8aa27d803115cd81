// SPDX-License-Identifier: Apache-2.0
#include "coded_functions.hpp"

namespace rbd_parallel_core::compiled {
namespace {

using enum Argument;
using Robot = ModelView<double>;
using Options = symbolic::TraceOptions;
using symbolic::Rates;

constexpr CodedFunction table[] = {
    {.operation = Operation::inverse_dynamics,
     .when = "",
     .inputs = {q, v, a},
     .outputs = {tau},
     .trace =
         [](const Robot& robot, const Options& options) {
           return trace_inverse_dynamics(robot, Rates::velocities_and_accelerations, options);
         }},
    {.operation = Operation::bias_forces,
     .when = "",
     .inputs = {q, v},
     .outputs = {tau},
     .trace =
         [](const Robot& robot, const Options& options) {
           return trace_inverse_dynamics(robot, Rates::velocities, options);
         }},
    {.operation = Operation::gravity_forces,
     .when = "",
     .inputs = {q},
     .outputs = {tau},
     .trace =
         [](const Robot& robot, const Options& options) {
           return trace_inverse_dynamics(robot, Rates::none, options);
         }},
    {.operation = Operation::coriolis_forces,
     .when = "",
     .inputs = {q, v},
     .outputs = {tau},
     .trace = symbolic::trace_coriolis_forces},
    {.operation = Operation::mass_matrix,
     .when = "",
     .inputs = {q},
     .outputs = {mass_matrix},
     .trace = symbolic::trace_mass_matrix},
    {.operation = Operation::forward_dynamics,
     .when = "",
     .inputs = {q, v, tau},
     .outputs = {qdd},
     .trace = symbolic::trace_forward_dynamics,
     .method = ForwardMethod::aba},
    {.operation = Operation::inverse_dynamics_derivatives,
     .when = "",
     .inputs = {q, v, a},
     .outputs = {dtau_dq, dtau_dv},
     .trace =
         [](const Robot& robot, const Options& options) {
           return trace_inverse_dynamics_derivatives(robot, false, options);
         }},
    {.operation = Operation::inverse_dynamics_derivatives,
     .when = "with the mass matrix",
     .inputs = {q, v, a},
     .outputs = {dtau_dq, dtau_dv, mass_matrix},
     .trace =
         [](const Robot& robot, const Options& options) {
           return trace_inverse_dynamics_derivatives(robot, true, options);
         }},
    {.operation = Operation::forward_dynamics_derivatives,
     .when = "",
     .inputs = {q, v, tau},
     .outputs = {dqdd_dq, dqdd_dv, dqdd_dtau},
     .trace = symbolic::trace_forward_dynamics_derivatives},
};

}  // namespace

std::span<const CodedFunction> coded_functions() { return table; }

}  // namespace rbd_parallel_core::compiled
