// SPDX-License-Identifier: Apache-2.0
#define RBD_TRACING  // before any header: symbols are not inlined
#include "rbd_parallel_core/symbolic/trace.hpp"

#include <stdexcept>
#include <utility>

#include "rbd_parallel_core/algorithm/cholesky.hpp"
#include "rbd_parallel_core/algorithm/rnea_derivatives.hpp"
#include "rbd_parallel_core/symbolic/traced_model.hpp"
#include "tracer.hpp"

namespace rbd_parallel_core::symbolic {
namespace {

Vec3<Symbol> gravity_of(const ModelView<double>& model) { return broadcast<Symbol>(model.gravity); }

DerivativesWorkspace<Symbol, Column> derivatives_workspace(Tracer& tracer,
                                                           const ModelView<double>& model) {
  const std::int32_t bodies = model.body_count, columns = model.column_count;
  const std::int32_t turns = padded_turns(bodies);
  return {
      {tracer.column<Symbol>(turns), tracer.column<Symbol>(turns), tracer.column<Symbol>(turns)},
      tracer.column<BodyMotion<Symbol>>(bodies + 1),
      tracer.column<MovingPoint<Symbol>>(bodies),
      tracer.column<CompositeMotion<Symbol>>(bodies),
      tracer.column<WorldWrench<Symbol>>(bodies),
      tracer.column<ColumnInRun<Symbol>>(columns),
      tracer.column<Vec3<Symbol>>(columns),
      tracer.column<ShiftOfOrigin<Symbol>>(columns)};
}

Function analytic_derivatives(const ModelView<double>& model, bool with_mass_matrix,
                              const TraceOptions& options) {
  Tracer tracer(model, options.singular_tolerance);
  const InputRow q = tracer.input("q", model.nq), v = tracer.input("v", model.nv),
                 a = tracer.input("a", model.nv);
  const ResultMatrix by_q = tracer.matrix(), by_v = tracer.matrix(), M = tracer.matrix();
  rnea_derivatives(
      model, derivatives_workspace(tracer, model), q, v, a, NoForces{}, NoWorldWrenches{},
      gravity_of(model), options.friction,
      DerivativeMatrices<ResultMatrix>{.q = by_q, .v = by_v, .M = M, .wants_M = with_mass_matrix});
  tracer.output("dtau_dq", by_q);
  tracer.output("dtau_dv", by_v);
  if (with_mass_matrix) tracer.output("mass_matrix", M);
  return std::move(tracer.function());
}

/// Whether d / d q is the derivative after each coordinate: not where q has quaternions, nor where
/// the axes of v turn with q.
bool coordinates_are_tangent(const ModelView<double>& model) {
  for (std::int32_t i = 0; i < model.body_count; ++i) {
    if (nv_of(model.body[i].type) > 1) return false;
  }
  return true;
}

/// By the chain rule: forward, and backward.
using Jacobian = std::vector<Expr> (*)(Graph&, std::span<const Expr>, std::span<const Expr>);
Function derivatives_by_chain_rule(const ModelView<double>& model, bool with_mass_matrix,
                                   const TraceOptions& options, Jacobian jacobian) {
  Function function = trace_inverse_dynamics(model, Rates::velocities_and_accelerations, options);
  const std::vector<Expr> tau = std::exchange(function.results, {});
  function.outputs.clear();
  const char* const names[] = {"dtau_dq", "dtau_dv", "mass_matrix"};
  for (std::size_t k = 0; k < (with_mass_matrix ? 3u : 2u); ++k) {
    const std::vector<Expr> wrt = function.input_expressions(function.inputs[k]);
    function.add_output(names[k], jacobian(function.graph, tau, wrt));
  }
  return function;
}

/// The derivatives of inverse dynamics and M, where the accelerations are results of the same
/// function. They are a function of their own first: the chain rule must not go through the
/// accelerations.
void insert_derivatives(Tracer& tracer, const ModelView<double>& robot, const TraceOptions& options,
                        const InputRow& q, const InputRow& v, const ResultRow& qdd,
                        std::initializer_list<ResultMatrix> matrices) {
  const Function derivatives = trace_inverse_dynamics_derivatives(robot, true, options);
  std::vector<Expr> inputs(q.data, q.data + robot.nq);
  inputs.insert(inputs.end(), v.data, v.data + robot.nv);
  for (std::int32_t k = 0; k < robot.nv; ++k) inputs.push_back(qdd(k).expr);
  const std::vector<Expr> results = insert(tracer.function().graph, derivatives, inputs);
  std::size_t next = 0;
  for (const ResultMatrix& matrix : matrices) {
    for (std::int32_t k = 0; k < robot.nv * robot.nv; ++k) matrix.data[k] = Symbol(results[next++]);
  }
}

/// A joint that moves no inertia has the constant zero as its pivot. What follows from it is no
/// number, and which joint is to blame cannot be told from a graph in which products with zero have
/// vanished.
void refuse_constant_singularity(const Graph& graph) {
  if (!graph.divides_by_zero()) return;
  throw std::runtime_error("a joint moves no inertia: forward dynamics is singular in every state");
}

int cost(const Function& function) {
  const OperationCounts counts = count_operations(function);
  return counts.total() - counts.fused;
}

}  // namespace

Function trace_inverse_dynamics(const ModelView<double>& robot, Rates rates,
                                const TraceOptions& options) {
  const TracedModel traced(robot, true);
  const ModelView<double> model = traced.view();
  Tracer tracer(model, options.singular_tolerance);
  const ResultRow tau = tracer.row(model.nv);
  const Workspace<Symbol> ws = tracer.workspace();
  const InputRow q = tracer.input("q", model.nq);
  const auto run = [&](const auto& v, const auto& a) {
    rnea(model, ws.rnea, q, v, a, NoForces{}, gravity_of(model), options.friction, tau);
  };
  if (rates == Rates::none) {
    run(Zeros<Symbol>{}, Zeros<Symbol>{});
  } else {
    const InputRow v = tracer.input("v", model.nv);
    if (rates == Rates::velocities) {
      run(v, Zeros<Symbol>{});
    } else {
      run(v, tracer.input("a", model.nv));
    }
  }
  tracer.output("tau", tau, model.nv);
  return std::move(tracer.function());
}

Function trace_coriolis_forces(const ModelView<double>& model, const TraceOptions& options) {
  ModelView<double> weightless = model;
  weightless.gravity = Vec3<double>::zero();
  TraceOptions frictionless = options;
  frictionless.friction = false;
  return trace_inverse_dynamics(weightless, Rates::velocities, frictionless);
}

Function trace_mass_matrix(const ModelView<double>& robot, const TraceOptions& options) {
  const TracedModel traced(robot, true);
  const ModelView<double> model = traced.view();
  Tracer tracer(model, options.singular_tolerance);
  const ResultMatrix M = tracer.matrix();
  const Workspace<Symbol> ws = tracer.workspace();
  crba(model, ws.crba, tracer.input("q", model.nq), M);
  tracer.output("mass_matrix", M);
  return std::move(tracer.function());
}

Function trace_forward_dynamics(const ModelView<double>& robot, const TraceOptions& options) {
  const TracedModel traced(robot, false);  // ABA judges pivots by the inertias of bodies
  const ModelView<double> model = traced.view();
  Tracer tracer(model, options.singular_tolerance);
  const InputRow q = tracer.input("q", model.nq), v = tracer.input("v", model.nv),
                 tau = tracer.input("tau", model.nv);
  const ResultRow qdd = tracer.row(model.nv), singular = tracer.row(1);
  const Workspace<Symbol> ws = tracer.workspace();
  singular.store(
      0, aba(model, ws.aba, q, v, tau, NoForces{}, gravity_of(model), options.friction, qdd));
  refuse_constant_singularity(tracer.function().graph);
  tracer.output("qdd", qdd, model.nv);
  tracer.output("singular", singular, 1);
  return std::move(tracer.function());
}

Function trace_inverse_dynamics_derivatives(const ModelView<double>& robot, bool with_mass_matrix,
                                            const TraceOptions& options) {
  const TracedModel traced(robot, true);
  const ModelView<double> model = traced.view();
  Function best = analytic_derivatives(model, with_mass_matrix, options);
  // The sign of a velocity has no derivative; the analytic algorithm knows what to make of it.
  if (options.friction || !coordinates_are_tangent(model)) return best;
  // The chain rule costs about as much as the function for each coordinate: on large robots it
  // cannot win, and would take long to try.
  constexpr std::int32_t largest_tried = 12;
  if (model.nv > largest_tried) return best;
  for (const Jacobian jacobian : {forward_jacobian, reverse_jacobian}) {
    Function other = derivatives_by_chain_rule(model, with_mass_matrix, options, jacobian);
    if (cost(other) < cost(best)) best = std::move(other);
  }
  return best;
}

Function trace_forward_dynamics_derivatives(const ModelView<double>& robot,
                                            const TraceOptions& options) {
  const TracedModel traced(robot, false);
  const ModelView<double> model = traced.view();
  Tracer tracer(model, options.singular_tolerance);
  const InputRow q = tracer.input("q", model.nq), v = tracer.input("v", model.nv),
                 tau = tracer.input("tau", model.nv);
  const ResultRow qdd = tracer.row(model.nv), singular = tracer.row(1);
  const Workspace<Symbol> ws = tracer.workspace();
  const Symbol by_aba =
      aba(model, ws.aba, q, v, tau, NoForces{}, gravity_of(model), options.friction, qdd);
  const ResultMatrix by_q = tracer.matrix(), by_v = tracer.matrix(), L = tracer.matrix(),
                     inverse = tracer.matrix();
  insert_derivatives(tracer, robot, options, q, v, qdd, {by_q, by_v, L});
  const ResultRow vector = tracer.row(model.nv);
  const Symbol by_factor = ltl_factor<Symbol>(model, L, vector);
  singular.store(0, ScalarTraits<Symbol>::max(by_aba, by_factor));
  const ResultMatrix right_sides[] = {by_q, by_v};
  ltl_solve_rows<4, Symbol>(model, L, vector, right_sides);
  ltl_inverse<Symbol>(model, L, SymmetricResult{inverse});
  for (std::int32_t i = 0; i < model.nv; ++i) {
    for (std::int32_t j = i + 1; j < model.nv; ++j) inverse.store(i, j, Symbol(0.0));
  }
  refuse_constant_singularity(tracer.function().graph);
  tracer.output("dqdd_dq", by_q);
  tracer.output("dqdd_dv", by_v);
  tracer.output("dqdd_dtau", inverse);
  tracer.output("singular", singular, 1);
  return std::move(tracer.function());
}

}  // namespace rbd_parallel_core::symbolic
