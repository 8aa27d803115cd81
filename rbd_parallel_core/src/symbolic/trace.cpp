// SPDX-License-Identifier: Apache-2.0
#define RBD_TRACING  // before any header: symbols are not inlined
#include "rbd_parallel_core/symbolic/trace.hpp"

#include <utility>

#include "rbd_parallel_core/algorithm/crba_forward.hpp"
#include "rbd_parallel_core/symbolic/traced_model.hpp"
#include "solve.hpp"

namespace rbd_parallel_core::symbolic {
namespace {

/// The lower triangle of a matrix without what is zero in every state, in the order of SparseRows:
/// row after row, the coordinates on the way from the root.
ResultRow sparse_rows(Tracer& tracer, const ModelView<double>& model, const ResultMatrix& matrix,
                      std::int32_t& count) {
  std::vector<Symbol> entries;
  for (std::int32_t i = 0; i < model.nv; ++i) {
    const auto begin = static_cast<std::ptrdiff_t>(entries.size());
    for (std::int32_t j = i; j >= 0; j = model.dof_parent[j]) {
      entries.insert(entries.begin() + begin, matrix.load(i, j));
    }
  }
  count = static_cast<std::int32_t>(entries.size());
  const ResultRow row = tracer.row(count);
  std::copy(entries.begin(), entries.end(), row.data);
  return row;
}

ResultMatrix copy_of(Tracer& tracer, const ResultMatrix& matrix) {
  const ResultMatrix copy = tracer.matrix();
  std::copy(matrix.data, matrix.data + matrix.n * matrix.n, copy.data);
  return copy;
}

}  // namespace

Function trace_inverse_dynamics(const ModelView<double>& robot, Rates rates,
                                const TraceOptions& options, External external) {
  const TracedModel traced(robot, true);
  const ModelView<double> model = traced.view();
  Tracer tracer(model, options.singular_tolerance);
  const ResultRow tau = tracer.row(model.nv);
  const Workspace<Symbol> ws = tracer.workspace();
  const InputRow q = tracer.input("q", model.nq);
  const auto run = [&](const auto& v, const auto& a) {
    rnea(model, ws.rnea, q, v, a, tracer.forces(external), tracer.gravity(), options.friction, tau);
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

Function trace_forward_dynamics(const ModelView<double>& robot, ForwardMethod method,
                                const TraceOptions& options, External external) {
  const bool by_aba = method == ForwardMethod::aba;
  const TracedModel traced(robot, !by_aba);  // ABA judges pivots by the inertias of bodies
  const ModelView<double> model = traced.view();
  Tracer tracer(model, options.singular_tolerance);
  const InputRow q = tracer.input("q", model.nq), v = tracer.input("v", model.nv),
                 tau = tracer.input("tau", model.nv);
  const ResultRow qdd = tracer.row(model.nv), singular = tracer.row(1);
  const auto f_ext = tracer.forces(external);
  const Solver solver(tracer, model, options, by_aba);
  singular.store(0, solver.accelerations(q, v, tau, f_ext, qdd));
  solver.refuse_if_always_singular();
  tracer.output("qdd", qdd, model.nv);
  tracer.output("singular", singular, 1);
  return std::move(tracer.function());
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

Function trace_mass_matrix_factor(const ModelView<double>& robot, bool with_inverse,
                                  const TraceOptions& options) {
  const TracedModel traced(robot, true);
  const ModelView<double> model = traced.view();
  Tracer tracer(model, options.singular_tolerance);
  const ResultMatrix L = tracer.matrix(), inverse = tracer.matrix();
  const ResultRow singular = tracer.row(1);
  const Workspace<Symbol> ws = tracer.workspace();
  crba(model, ws.crba, tracer.input("q", model.nq), L);
  const ResultMatrix M = copy_of(tracer, L);
  const Solver solver(tracer, model, options, false);
  singular.store(0, solver.factor(L));
  if (with_inverse) solver.invert(L, inverse);
  solver.refuse_if_always_singular();
  tracer.output("mass_matrix", M);
  tracer.output("cholesky", L);
  if (with_inverse) tracer.output("inverse", inverse);
  tracer.output("singular", singular, 1);
  return std::move(tracer.function());
}

Function trace_sparse_mass_matrix(const ModelView<double>& robot, bool with_factor,
                                  const TraceOptions& options) {
  const TracedModel traced(robot, true);
  const ModelView<double> model = traced.view();
  Tracer tracer(model, options.singular_tolerance);
  const ResultMatrix M = tracer.matrix();
  const Workspace<Symbol> ws = tracer.workspace();
  crba(model, ws.crba, tracer.input("q", model.nq), M);
  std::int32_t count = 0;
  const ResultRow entries = sparse_rows(tracer, model, M, count);
  tracer.output("sparse", entries, count);
  if (!with_factor) return std::move(tracer.function());
  const ResultRow singular = tracer.row(1);
  const Solver solver(tracer, model, options, false);
  singular.store(0, solver.factor(M));
  solver.refuse_if_always_singular();
  const ResultRow factor = sparse_rows(tracer, model, M, count);
  tracer.output("sparse_cholesky", factor, count);
  tracer.output("singular", singular, 1);
  return std::move(tracer.function());
}

}  // namespace rbd_parallel_core::symbolic
