// SPDX-License-Identifier: Apache-2.0
#define RBD_TRACING  // before any header: symbols are not inlined
#include <algorithm>
#include <utility>

#include "rbd_parallel_core/symbolic/traced_model.hpp"
#include "solve.hpp"

/// Matrices of derivatives, of symbolic/trace.hpp.
namespace rbd_parallel_core::symbolic {
namespace {

Function analytic_derivatives(const ModelView<double>& model, bool with_mass_matrix,
                              const TraceOptions& options, External external) {
  Tracer tracer(model, options.singular_tolerance);
  const InputRow q = tracer.input("q", model.nq), v = tracer.input("v", model.nv),
                 a = tracer.input("a", model.nv);
  const auto f_ext = tracer.forces(external);
  const TurningInputs turning = tracer.turning(external);
  const ResultMatrix by_q = tracer.matrix(), by_v = tracer.matrix(), M = tracer.matrix();
  rnea_derivatives(
      model, tracer.derivatives_workspace(), q, v, a, f_ext, turning, tracer.gravity(),
      options.friction,
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
                                   const TraceOptions& options, External external,
                                   Jacobian jacobian) {
  Function function =
      trace_inverse_dynamics(model, Rates::velocities_and_accelerations, options, external);
  const std::vector<Expr> tau = std::exchange(function.results, {});
  function.outputs.clear();
  const char* const names[] = {"dtau_dq", "dtau_dv", "mass_matrix"};
  for (std::size_t k = 0; k < (with_mass_matrix ? 3u : 2u); ++k) {
    const std::vector<Expr> wrt = function.input_expressions(function.inputs[k]);
    function.add_output(names[k], jacobian(function.graph, tau, wrt));
  }
  return function;
}

int cost(const Function& function) {
  const OperationCounts counts = count_operations(function);
  return counts.total() - counts.fused;
}

}  // namespace

Function trace_inverse_dynamics_derivatives(const ModelView<double>& robot, bool with_mass_matrix,
                                            const TraceOptions& options, External external) {
  const TracedModel traced(robot, true);
  const ModelView<double> model = traced.view();
  Function best = analytic_derivatives(model, with_mass_matrix, options, external);
  // The sign of a velocity has no derivative; the analytic algorithm knows what to make of it.
  if (options.friction || !coordinates_are_tangent(model)) return best;
  // The graph knows forces as inputs only, not how they turn.
  if (external == External::in_world_axes) return best;
  // The chain rule costs about as much as the function for each coordinate: on large robots it
  // cannot win, and would take long to try.
  constexpr std::int32_t largest_tried = 12;
  if (model.nv > largest_tried) return best;
  for (const Jacobian jacobian : {forward_jacobian, reverse_jacobian}) {
    Function other =
        derivatives_by_chain_rule(model, with_mass_matrix, options, external, jacobian);
    if (cost(other) < cost(best)) best = std::move(other);
  }
  return best;
}

Function trace_forward_dynamics_derivatives(const ModelView<double>& robot,
                                            const TraceOptions& options, External external) {
  const bool by_aba = !robot.has_mimic;
  const TracedModel traced(robot, !by_aba);
  const ModelView<double> model = traced.view();
  Tracer tracer(model, options.singular_tolerance);
  const InputRow q = tracer.input("q", model.nq), v = tracer.input("v", model.nv),
                 tau = tracer.input("tau", model.nv);
  const auto f_ext = tracer.forces(external);
  const TurningInputs turning = tracer.turning(external);
  const ResultRow qdd = tracer.row(model.nv), singular = tracer.row(1);
  const Solver solver(tracer, model, options, by_aba);
  singular.store(0, solver.accelerations(q, v, tau, f_ext, qdd));

  // The derivatives are a function of their own first: the chain rule must not go through the
  // accelerations.
  const Function derivatives = trace_inverse_dynamics_derivatives(robot, by_aba, options, external);
  std::vector<Expr> inputs(q.data, q.data + model.nq);
  inputs.insert(inputs.end(), v.data, v.data + model.nv);
  for (std::int32_t k = 0; k < model.nv; ++k) inputs.push_back(qdd(k).expr);
  for (std::int32_t i = 0; i < model.body_count && f_ext.any; ++i) {
    const Force<Symbol>& f = f_ext.given.load(i);
    for (const Symbol& x : {f.n.x, f.n.y, f.n.z, f.f.x, f.f.y, f.f.z}) inputs.push_back(x.expr);
  }
  if (turning.any) {
    const Expr* const wrenches = turning.wrenches.data;
    inputs.insert(inputs.end(), wrenches, wrenches + 12 * model.body_count);
  }
  const std::vector<Expr> results = insert(tracer.function().graph, derivatives, inputs);
  const ResultMatrix by_q = tracer.matrix(), by_v = tracer.matrix(), inverse = tracer.matrix(),
                     L = by_aba ? tracer.matrix() : solver.left_factor();
  std::size_t next = 0;
  const auto take = [&](const ResultMatrix& matrix) {
    for (std::int32_t k = 0; k < model.nv * model.nv; ++k) matrix.data[k] = Symbol(results[next++]);
  };
  take(by_q);
  take(by_v);
  if (by_aba) {  // with mimic joints M was factored on the way to the accelerations
    take(L);
    singular.store(0, ScalarTraits<Symbol>::max(singular.load(0), solver.factor(L)));
  }
  const ResultMatrix right_sides[] = {by_q, by_v};
  solver.solve_negated(L, right_sides);
  solver.invert(L, inverse);
  solver.refuse_if_always_singular();
  tracer.output("dqdd_dq", by_q);
  tracer.output("dqdd_dv", by_v);
  tracer.output("dqdd_dtau", inverse);
  tracer.output("singular", singular, 1);
  return std::move(tracer.function());
}

}  // namespace rbd_parallel_core::symbolic
