// SPDX-License-Identifier: Apache-2.0
#define RBD_TRACING  // before any header: symbols are not inlined
#include <utility>

#include "rbd_parallel_core/algorithm/centroidal.hpp"
#include "rbd_parallel_core/algorithm/regressor.hpp"
#include "rbd_parallel_core/symbolic/traced_model.hpp"
#include "tracer.hpp"

/// Energies, momenta, placements and what else is known of a state, of symbolic/trace.hpp.
namespace rbd_parallel_core::symbolic {
namespace {

constexpr const char* no_mass = "the robot has no mass: its centre is not defined";

}  // namespace

Function trace_coriolis_matrix(const ModelView<double>& robot, bool with_rate,
                               const TraceOptions& options) {
  const TracedModel traced(robot, true);
  const ModelView<double> model = traced.view();
  Tracer tracer(model, options.singular_tolerance);
  const InputRow q = tracer.input("q", model.nq), v = tracer.input("v", model.nv);
  const ResultMatrix C = tracer.matrix(), rate = tracer.matrix();
  rnea_derivatives(model, tracer.derivatives_workspace(), q, v, Zeros<Symbol>{}, NoForces{},
                   NoWorldWrenches{}, Vec3<Symbol>::zero(), false,
                   DerivativeMatrices<ResultMatrix>{.q = C,
                                                    .v = C,
                                                    .M = C,
                                                    .wants_q = false,
                                                    .wants_v = true,
                                                    .wants_M = false,
                                                    .terms = VelocityTerms::coriolis});
  tracer.output("coriolis", C);
  if (!with_rate) return std::move(tracer.function());
  for (std::int32_t i = 0; i < model.nv; ++i) {
    for (std::int32_t j = 0; j <= i; ++j) rate.store(i, j, C.load(i, j) + C.load(j, i));
  }
  tracer.output("mass_matrix_rate", rate);
  return std::move(tracer.function());
}

Function trace_energies(const ModelView<double>& robot, bool with_kinetic,
                        const TraceOptions& options) {
  const TracedModel traced(robot, false), regrouped(robot, true);
  const ModelView<double> model = traced.view();
  Tracer tracer(model, options.singular_tolerance);
  const InputRow q = tracer.input("q", model.nq), v = tracer.input("v", model.nv);
  const Workspace<Symbol> ws = tracer.workspace();
  const ResultRow kinetic = tracer.row(1), potential = tracer.row(1), com = tracer.row(3);
  // M, and with it the kinetic energy, is the same with base parameters; moments of mass are not.
  if (with_kinetic) {
    body_velocities(regrouped.view(), ws.kinematics, q, v);
    kinetic.store(0, kinetic_energy<Symbol>(regrouped.view(), ws.kinematics, v));
  }
  forward_kinematics(model, ws.kinematics, q);
  const Vec3<Symbol> moment = first_moment(model, ws.kinematics);
  potential.store(0, -dot(tracer.gravity(), moment));
  const Symbol mass = total_mass<Symbol>(model);
  com.store(0, moment.x / mass);
  com.store(1, moment.y / mass);
  com.store(2, moment.z / mass);
  tracer.refuse_division_by_zero(no_mass);
  if (with_kinetic) tracer.output("kinetic", kinetic, 1);
  tracer.output("potential", potential, 1);
  tracer.output("com", com, 3);
  return std::move(tracer.function());
}

Function trace_centroidal_momentum(const ModelView<double>& robot, bool with_rate,
                                   const TraceOptions& options) {
  const TracedModel traced(robot, false);
  const ModelView<double> model = traced.view();
  Tracer tracer(model, options.singular_tolerance);
  const InputRow q = tracer.input("q", model.nq), v = tracer.input("v", model.nv);
  const ResultRow A = tracer.row(6 * model.nv), rate = tracer.row(6 * model.nv);
  centroidal_momentum(model, tracer.derivatives_workspace(), q, v, Zeros<Symbol>{},
                      CentroidalMatrices<ResultRow>{A, rate, true, with_rate});
  tracer.refuse_division_by_zero(no_mass);
  tracer.output("momentum_matrix", A, 6 * model.nv);
  if (with_rate) tracer.output("momentum_matrix_rate", rate, 6 * model.nv);
  return std::move(tracer.function());
}

Function trace_regressor(const ModelView<double>& robot, const TraceOptions& options) {
  const TracedModel traced(robot, false);
  const ModelView<double> model = traced.view();
  Tracer tracer(model, options.singular_tolerance);
  const InputRow q = tracer.input("q", model.nq), v = tracer.input("v", model.nv),
                 a = tracer.input("a", model.nv);
  const std::int32_t row_length = model.body_count * parameters_per_body;
  const ResultRow Y = tracer.row(model.nv * row_length);
  const DerivativesWorkspace<Symbol, Column> ws = tracer.derivatives_workspace();
  compute_turns(model, ws.turns, q);
  derivatives_outward(model, ws, q, v, a, tracer.gravity(), VelocityTerms::derivative);
  for_each_carried_link(model, [&](std::int32_t body, std::int32_t link) {
    regressor_of_body(model, ws, body, link,
                      [&](std::int32_t dof, std::int32_t k, const Symbol& x) {
                        const std::int32_t at = dof * row_length + body * parameters_per_body + k;
                        Y.store(at, Y.load(at) + x);
                      });
  });
  tracer.output("regressor", Y, model.nv * row_length);
  return std::move(tracer.function());
}

Function trace_placements(const ModelView<double>& robot, const TraceOptions& options) {
  const TracedModel traced(robot, false);
  const ModelView<double> model = traced.view();
  Tracer tracer(model, options.singular_tolerance);
  const KinematicsWorkspace<Symbol, Column> ws = tracer.workspace().kinematics;
  forward_kinematics(model, ws, tracer.input("q", model.nq));
  const ResultRow placements = tracer.row(12 * model.body_count);
  for (std::int32_t i = 0; i < model.body_count; ++i) {
    const Transform<Symbol>& X = ws.X0.load(i);
    std::int32_t at = 12 * i;
    for (const Vec3<Symbol>& row : {X.E.x, X.E.y, X.E.z, X.r}) {
      for (const Symbol& x : {row.x, row.y, row.z}) placements.store(at++, x);
    }
  }
  tracer.output("placements", placements, 12 * model.body_count);
  return std::move(tracer.function());
}

}  // namespace rbd_parallel_core::symbolic
