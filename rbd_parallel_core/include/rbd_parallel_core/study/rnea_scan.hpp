// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/newton_euler.hpp"
#include "rbd_parallel_core/study/root_coordinates.hpp"

/// RNEA without a recursion: tree scans and maps (T. Lynghus, "Data Parallel Rigid Body Dynamics";
/// docs/vtree.md). For one state of a large robot by many threads. Accelerations are spatial here,
/// since only those add up in common coordinates.
namespace rbd_parallel_core {

/// How velocities and accelerations are passed on.
enum class ScanForm {
  additive,    ///< sums of vectors in root coordinates
  recurrence,  ///< the recursion x_i = X_i x_p + b_i itself, in body coordinates, as a scan of
               ///< pairs
};

/// What the scan form of RNEA keeps.
template <class S, template <class> class Array>
struct RneaScanWorkspace {
  RootCoordinates<S, Array> place;
  Array<Transform<S>> X;  ///< per body: iX_parent; ScanForm::recurrence only
  Array<Motion<S>> v;     ///< per body: velocity, in root coordinates (recurrence: in the body's)
  Array<Force<S>> f;      ///< per body: net force, in root coordinates
  Array<S> column_tau;    ///< per column
  TourMemory<S> tour;     ///< for a Transform (recurrence: a RecurrencePair) at each step
};

/// x -> X x + b: one step of a first-order recurrence.
template <class S>
struct RecurrencePair {
  Transform<S> X;
  Motion<S> b;
};

/// Steps one after the other, the root's first: (X_p, b_p) then (X_i, b_i) is (X_i X_p, X_i b_p +
/// b_i). Not commutative; the inverse is (X^-1, -X^-1 b).
template <class S>
struct Recurrence {
  using Pair = RecurrencePair<S>;
  RBD_INLINE Pair neutral() const { return {Transform<S>::identity(), Motion<S>::zero()}; }
  RBD_INLINE Pair combine(const Pair& before, const Pair& next) const {
    return {next.X * before.X, next.X.apply(before.b) + next.b};
  }
  RBD_INLINE Pair inverse(const Pair& pair) const {
    return {rbd_parallel_core::inverse(pair.X), Motion<S>::zero() - pair.X.apply_inverse(pair.b)};
  }
};

/// Sum of rate S0 over the columns of a joint, in root coordinates.
template <class S, class Real, template <class> class Array, class Rates>
RBD_INLINE Motion<S> joint_motion_at_root(const BodyView<Real>& body,
                                          const RootCoordinates<S, Array>& place,
                                          const Rates& rates) {
  Motion<S> sum = Motion<S>::zero();
  for (std::int32_t k = 0; k < nv_of(body.type); ++k) {
    sum += joint_rate(body, rates, k) * place.axis.load(body.column + k);
  }
  return sum;
}

/// Sum of rate S over the columns of a joint, in body coordinates.
template <class S, class Real, class Rates>
RBD_KERNEL Motion<S> joint_motion(const BodyView<Real>& body, const Rates& rates) {
  Motion<S> sum = Motion<S>::zero();
  visit_joint<S>(body, [&](const auto& joint) RBD_INLINE_LAMBDA {
    for_each_column(joint, [&](int k, const auto& column) RBD_INLINE_LAMBDA {
      column.add_to(sum, joint_rate(body, rates, k));
    });
  });
  return sum;
}

/// Keeps the net force on body i in root coordinates: X0^T (I a + v x* I v - f_ext), a and v in
/// body coordinates, gravity being part of a (Featherstone 5.9).
template <class S, class Real, template <class> class Array, class F>
RBD_INLINE void store_net_force(const BodyView<Real>& body, const RneaScanWorkspace<S, Array>& ws,
                                std::int32_t i, const Motion<S>& v, const Motion<S>& a,
                                const F& f_ext) {
  const Inertia<S> I = broadcast<S>(body.inertia);
  Force<S> f = I * a + cross(v, I * v);
  if constexpr (!std::is_same_v<F, NoForces>) f -= f_ext.load(i);
  ws.f.store(i, ws.place.X0.load(i).apply_inverse(f));
}

/// The acceleration of the world that stands for gravity.
template <class S>
RBD_INLINE Motion<S> base_acceleration(const Vec3<S>& gravity) {
  return {Vec3<S>::zero(), -gravity};
}

/// Net forces at rest: the one acceleration is gravity's.
template <class S, Executor Exec, class Real, template <class> class Array, class Q, class F>
RBD_DRIVER void net_forces_at_rest(const Exec& executor, const ScanRobot<Real>& robot,
                                   const RneaScanWorkspace<S, Array>& ws, const Q& q,
                                   const F& f_ext, const Vec3<S>& gravity) {
  place_bodies<S>(executor, robot, ws.place, ws.tour, q);
  executor.map(
      robot.model.body_count,
      [=] RBD_LAMBDA(std::int32_t i) {
        const Motion<S> a = ws.place.X0.load(i).apply(base_acceleration(gravity));
        store_net_force(robot.model.body[i], ws, i, Motion<S>::zero(), a, f_ext);
      },
      1);
}

/// Net forces by sums in root coordinates:
///   v = irootfix(+) of vJ,  vJ_i = S0_i qd_i
///   a = irootfix(+) of S0_i qdd_i + v_i x vJ_i
template <class S, Executor Exec, class Real, template <class> class Array, class Q, class V,
          class A, class F>
RBD_DRIVER void net_forces_by_sums(const Exec& executor, const ScanRobot<Real>& robot,
                                   const RneaScanWorkspace<S, Array>& ws, const Q& q, const V& v,
                                   const A& a, const F& f_ext, const Vec3<S>& gravity) {
  place_bodies<S>(executor, robot, ws.place, ws.tour, q);
  const Sum<Motion<S>> sum;
  const auto steps = ws.tour.template steps<Motion<S>>(executor, sum);
  irootfix(
      executor, robot.tree, sum, steps,
      [=] RBD_LAMBDA(std::int32_t i) {
        return joint_motion_at_root(robot.model.body[i], ws.place, v);
      },
      [=] RBD_LAMBDA(std::int32_t i, const Motion<S>& v_0) { ws.v.store(i, v_0); });
  irootfix(
      executor, robot.tree, sum, steps,
      [=] RBD_LAMBDA(std::int32_t i) {
        const BodyView<Real>& body = robot.model.body[i];
        const Motion<S> v_J = joint_motion_at_root(body, ws.place, v);
        return joint_motion_at_root(body, ws.place, a) + cross(ws.v.load(i), v_J);
      },
      [=] RBD_LAMBDA(std::int32_t i, const Motion<S>& a_0) {
        const Transform<S>& X0 = ws.place.X0.load(i);
        store_net_force(robot.model.body[i], ws, i, X0.apply(ws.v.load(i)),
                        X0.apply(a_0 + base_acceleration(gravity)), f_ext);
      });
}

/// Net forces by the recursions themselves, in body coordinates:
///   v_i = X_i v_p + S_i qd_i
///   a_i = X_i a_p + S_i qdd_i + v_i x S_i qd_i
template <class S, Executor Exec, class Real, template <class> class Array, class Q, class V,
          class A, class F>
RBD_DRIVER void net_forces_by_recurrence(const Exec& executor, const ScanRobot<Real>& robot,
                                         const RneaScanWorkspace<S, Array>& ws, const Q& q,
                                         const V& v, const A& a, const F& f_ext,
                                         const Vec3<S>& gravity) {
  using Pair = RecurrencePair<S>;
  const Recurrence<S> recurrence;
  const auto steps = ws.tour.template steps<Pair>(executor, recurrence);
  executor.map(
      robot.model.body_count,
      [=] RBD_LAMBDA(std::int32_t i) { ws.X.store(i, body_transform<S>(robot.model.body[i], q)); },
      1);
  irootfix(
      executor, robot.tree, recurrence, steps,
      [=] RBD_LAMBDA(std::int32_t i) {
        return Pair{ws.X.load(i), joint_motion<S>(robot.model.body[i], v)};
      },
      [=] RBD_LAMBDA(std::int32_t i, const Pair& path) {
        store_place(robot.model.body[i], ws.place, i, path.X);
        ws.v.store(i, path.b);
      });
  irootfix(
      executor, robot.tree, recurrence, steps,
      [=] RBD_LAMBDA(std::int32_t i) {
        const BodyView<Real>& body = robot.model.body[i];
        return Pair{ws.X.load(i),
                    joint_motion<S>(body, a) + cross(ws.v.load(i), joint_motion<S>(body, v))};
      },
      [=] RBD_LAMBDA(std::int32_t i, const Pair& path) {
        // What the world's acceleration becomes along the path, and what the path adds to it.
        const Motion<S> a_i = path.X.apply(base_acceleration(gravity)) + path.b;
        store_net_force(robot.model.body[i], ws, i, ws.v.load(i), a_i, f_ext);
      });
}

/// tau from the net forces: fJ = ileaffix(+) of f is what passes each joint, and tau = S0 . fJ in
/// root coordinates already, so that nothing needs to be transformed back.
template <class S, Executor Exec, class Real, template <class> class Array, class V, class A,
          class Tau>
RBD_DRIVER void joint_torques(const Exec& executor, const ScanRobot<Real>& robot,
                              const RneaScanWorkspace<S, Array>& ws, const V& v, const A& a,
                              bool friction, const Tau& tau) {
  const ModelView<Real>& model = robot.model;
  const Sum<Force<S>> sum;
  ileaffix(
      executor, robot.tree, sum, ws.tour.template steps<Force<S>>(executor, sum),
      [=] RBD_LAMBDA(std::int32_t i) { return ws.f.load(i); },
      [=] RBD_LAMBDA(std::int32_t i, const Force<S>& f_J) {
        const BodyView<Real>& body = model.body[i];
        for (std::int32_t l = body.column; l < body.column + nv_of(body.type); ++l) {
          ws.column_tau.store(l, S(body.multiplier) * dot(ws.place.axis.load(l), f_J));
        }
      });
  executor.map(
      model.nv,
      [=] RBD_LAMBDA(std::int32_t k) {  // joints that mimic add to the coordinate that they follow
        S sum_of_columns = joint_terms<S>(model, k, v, a, friction);
        for (std::int32_t at = robot.owners.first[k]; at < robot.owners.first[k + 1]; ++at) {
          sum_of_columns = sum_of_columns + ws.column_tau.load(robot.owners.column[at]);
        }
        tau.store(k, sum_of_columns);
      },
      1);
}

/// The same numbers as rnea() but for rounding, which grows with the distance of a body from the
/// root and with the number of bodies (docs/vtree.md). Arguments as there.
template <ScanForm form, class S, Executor Exec, class Real, template <class> class Array, class Q,
          class V, class A, class F, class Tau>
RBD_DRIVER void rnea_scan(const Exec& executor, const ScanRobot<Real>& robot,
                          const RneaScanWorkspace<S, Array>& ws, const Q& q, const V& v, const A& a,
                          const F& f_ext, const Vec3<S>& gravity, bool friction, const Tau& tau) {
  if constexpr (is_zero<V> && is_zero<A>) {
    net_forces_at_rest(executor, robot, ws, q, f_ext, gravity);
  } else if constexpr (form == ScanForm::recurrence) {
    net_forces_by_recurrence(executor, robot, ws, q, v, a, f_ext, gravity);
  } else {
    net_forces_by_sums(executor, robot, ws, q, v, a, f_ext, gravity);
  }
  joint_torques(executor, robot, ws, v, a, friction, tau);
}

}  // namespace rbd_parallel_core
