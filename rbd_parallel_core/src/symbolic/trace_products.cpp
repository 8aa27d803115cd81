// SPDX-License-Identifier: Apache-2.0
#define RBD_TRACING  // before any header: symbols are not inlined
#include <utility>

#include "rbd_parallel_core/algorithm/coordinate_rates.hpp"
#include "rbd_parallel_core/algorithm/rnea_vjp.hpp"
#include "rbd_parallel_core/symbolic/traced_model.hpp"
#include "solve.hpp"

/// Products with derivatives, of symbolic/trace.hpp.
namespace rbd_parallel_core::symbolic {
namespace {

/// Reads numbers with their changes.
template <class X, class D>
struct DualReader {
  X x;
  D d;
  Dual<Symbol> operator()(std::int32_t k) const { return {x(k), d(k)}; }
};
template <class X, class D>
DualReader(X, D) -> DualReader<X, D>;

struct DualResult {
  ResultRow x, d;
  Dual<Symbol> load(std::int32_t k) const { return {x.load(k), d.load(k)}; }
  void store(std::int32_t k, const Dual<Symbol>& value) const {
    x.store(k, value.x);
    d.store(k, value.d);
  }
};

/// External forces with their changes: those of wrenches that keep to the axes of the world turn
/// against the bodies. With the wrenches W on a body and its turn w along dq, E (W w) less is
/// needed.
struct ChangingForces {
  PossibleForces<Symbol, Column> forces;
  TurningInputs turning;
  KinematicsWorkspace<Symbol, Column> kinematics;  ///< of q, with the rates dq
  bool any;

  Force<Dual<Symbol>> load(std::int32_t i) const {
    const Force<Symbol> f = forces.load(i);
    Force<Symbol> change = Force<Symbol>::zero();
    if (turning.any) {
      const Mat3<Symbol>& E = kinematics.X0.load(i).E;
      const Force<Symbol> less = turning.load(i) * transpose_times(E, kinematics.v.load(i).w);
      change = {-(E * less.n), -(E * less.f)};
    }
    const auto dual = [](const Vec3<Symbol>& x, const Vec3<Symbol>& d) {
      return Vec3<Dual<Symbol>>{{x.x, d.x}, {x.y, d.y}, {x.z, d.z}};
    };
    return {dual(f.n, change.n), dual(f.f, change.f)};
  }
};

/// The same as rnea_vjp takes them.
struct TurnedForces {
  TurningInputs turning;
  KinematicsWorkspace<Symbol, Column> kinematics;  ///< of q

  template <class Model, class Workspace>
  bool turn(const Model& model, const Workspace& ws) const {
    for (std::int32_t i = 0; i < model.body_count && turning.any; ++i) {
      const Mat3<Symbol>& E = kinematics.X0.load(i).E;
      const Motion<Symbol> mu = ws.mu.load(i);
      const Motion<Symbol> in_world{transpose_times(E, mu.w), transpose_times(E, mu.v)};
      VjpForces<Symbol> forces = ws.forces.load(i);
      forces.turned += E * turning.load(i).transpose_times(in_world);
      ws.forces.store(i, forces);
    }
    return turning.any;
  }
};

TurnedForces turned_forces(Tracer& tracer, const ModelView<double>& model, const InputRow& q,
                           const TurningInputs& turning) {
  const KinematicsWorkspace<Symbol, Column> kinematics = tracer.workspace().kinematics;
  if (turning.any) forward_kinematics(model, kinematics, q);
  return {turning, kinematics};
}

/// d tau / d q dq + d tau / d v dv + M da.
template <class V, class A>
ResultRow push_forward(Tracer& tracer, const ModelView<double>& model, const TraceOptions& options,
                       const InputRow& q, const InputRow& dq, const V& v, const A& a,
                       const PossibleForces<Symbol, Column>& f_ext, const TurningInputs& turning) {
  const KinematicsWorkspace<Symbol, Column> kinematics = tracer.workspace().kinematics;
  if (turning.any) {
    forward_kinematics(model, kinematics, q);
    body_velocities(model, kinematics, q, dq);
  }
  const ResultRow rates = tracer.row(model.nq);
  coordinate_rates<Symbol>(model, q, dq, rates);
  const DualResult tau{tracer.row(model.nv), tracer.row(model.nv)};
  rnea(model, tracer.workspace().dual_rnea, DualReader{q, rates}, v, a,
       ChangingForces{f_ext, turning, kinematics, f_ext.any},
       broadcast<Dual<Symbol>>(model.gravity), options.friction, tau);
  return tau.d;
}

}  // namespace

Function trace_inverse_dynamics_jvp(const ModelView<double>& robot, const TraceOptions& options,
                                    External external) {
  const TracedModel traced(robot, true);
  const ModelView<double> model = traced.view();
  Tracer tracer(model, options.singular_tolerance);
  const InputRow q = tracer.input("q", model.nq), v = tracer.input("v", model.nv),
                 a = tracer.input("a", model.nv), dq = tracer.input("dq", model.nv),
                 dv = tracer.input("dv", model.nv), da = tracer.input("da", model.nv);
  const auto f_ext = tracer.forces(external);
  const TurningInputs turning = tracer.turning(external);
  const ResultRow dtau = push_forward(tracer, model, options, q, dq, DualReader{v, dv},
                                      DualReader{a, da}, f_ext, turning);
  tracer.output("dtau", dtau, model.nv);
  return std::move(tracer.function());
}

Function trace_inverse_dynamics_vjp(const ModelView<double>& robot, const TraceOptions& options,
                                    External external) {
  const TracedModel traced(robot, true);
  const ModelView<double> model = traced.view();
  Tracer tracer(model, options.singular_tolerance);
  const InputRow q = tracer.input("q", model.nq), weights = tracer.input("weights", model.nv),
                 v = tracer.input("v", model.nv), a = tracer.input("a", model.nv);
  const auto f_ext = tracer.forces(external);
  const TurningInputs turning = tracer.turning(external);
  const ResultRow by_q = tracer.row(model.nv), by_v = tracer.row(model.nv),
                  by_a = tracer.row(model.nv);
  rnea_vjp(model, tracer.workspace().vjp, q, v, a, weights, f_ext,
           turned_forces(tracer, model, q, turning), tracer.gravity(), options.friction, by_q, by_v,
           by_a);
  tracer.output("grad_q", by_q, model.nv);
  tracer.output("grad_v", by_v, model.nv);
  tracer.output("grad_a", by_a, model.nv);
  return std::move(tracer.function());
}

Function trace_forward_dynamics_jvp(const ModelView<double>& robot, const TraceOptions& options,
                                    External external) {
  const bool by_aba = !robot.has_mimic;
  const TracedModel traced(robot, !by_aba), regrouped(robot, true);
  const ModelView<double> model = traced.view();
  Tracer tracer(model, options.singular_tolerance);
  const InputRow q = tracer.input("q", model.nq), v = tracer.input("v", model.nv),
                 tau = tracer.input("tau", model.nv), dq = tracer.input("dq", model.nv),
                 dv = tracer.input("dv", model.nv), dtau = tracer.input("dtau", model.nv);
  const auto f_ext = tracer.forces(external);
  const TurningInputs turning = tracer.turning(external);
  const ResultRow qdd = tracer.row(model.nv), dqdd = tracer.row(model.nv), singular = tracer.row(1);
  const Solver solver(tracer, model, options, by_aba);
  singular.store(0, solver.accelerations(q, v, tau, f_ext, qdd));
  const ResultRow change = push_forward(tracer, regrouped.view(), options, q, dq, DualReader{v, dv},
                                        DualReader{qdd, Zeros<Symbol>{}}, f_ext, turning);
  for (std::int32_t k = 0; k < model.nv; ++k) change.store(k, dtau(k) - change.load(k));
  solver.solve(q, change, dqdd);
  solver.refuse_if_always_singular();
  tracer.output("dqdd", dqdd, model.nv);
  tracer.output("singular", singular, 1);
  return std::move(tracer.function());
}

/// With x = M^-1 weights and a = qdd: weights . d qdd = x . (d tau - d ID), where d ID is the
/// change of inverse dynamics.
Function trace_forward_dynamics_vjp(const ModelView<double>& robot, const TraceOptions& options,
                                    External external) {
  const bool by_aba = !robot.has_mimic;
  const TracedModel traced(robot, !by_aba), regrouped(robot, true);
  const ModelView<double> model = traced.view();
  Tracer tracer(model, options.singular_tolerance);
  const InputRow q = tracer.input("q", model.nq), weights = tracer.input("weights", model.nv),
                 v = tracer.input("v", model.nv), tau = tracer.input("tau", model.nv);
  const auto f_ext = tracer.forces(external);
  const TurningInputs turning = tracer.turning(external);
  const ResultRow qdd = tracer.row(model.nv), x = tracer.row(model.nv), singular = tracer.row(1);
  const Solver solver(tracer, model, options, by_aba);
  singular.store(0, solver.accelerations(q, v, tau, f_ext, qdd));
  solver.solve(q, weights, x);
  const ResultRow by_q = tracer.row(model.nv), by_v = tracer.row(model.nv),
                  unused = tracer.row(model.nv);
  rnea_vjp(regrouped.view(), tracer.workspace().vjp, q, v, qdd, x, f_ext,
           turned_forces(tracer, model, q, turning), tracer.gravity(), options.friction, by_q, by_v,
           unused);
  for (std::int32_t k = 0; k < model.nv; ++k) {
    by_q.store(k, -by_q.load(k));
    by_v.store(k, -by_v.load(k));
  }
  solver.refuse_if_always_singular();
  tracer.output("grad_q", by_q, model.nv);
  tracer.output("grad_v", by_v, model.nv);
  tracer.output("grad_tau", x, model.nv);
  tracer.output("singular", singular, 1);
  return std::move(tracer.function());
}

}  // namespace rbd_parallel_core::symbolic
