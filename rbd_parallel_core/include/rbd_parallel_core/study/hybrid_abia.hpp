// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/two_port.hpp"
#include "rbd_parallel_core/study/rnea_scan.hpp"
#include "rbd_parallel_core/study/serial_chain.hpp"
#include "rbd_parallel_core/vtree/executor.hpp"

/// The hybrid articulated-body inertia algorithm of Yang, Wu and Pan, "Parallel Dynamics
/// Computation using Prefix Sum Operations", for one state of a chain: the articulated inertias one
/// after the other, since that recursion is not linear, and all else as three scans of linear
/// recursions, which many threads can share.
///
/// Only for chains of joints of one coordinate without mimic joints. It does not scan the
/// articulated inertias either: they can be (two_port.hpp), the paper does not.
///
/// Two departures from the paper. Its backward scan carries the force F that the velocities ask for
/// and the force z that the motors add side by side, 15 x 15; their sum w = F + z obeys
///   w_i = Y_{i+1} w_{i+1} + Pi_{i+1} tau_{i+1} + Fhat_i
/// by itself, so that 6 x 6 do. And Omega, D here, contains the armature.
namespace rbd_parallel_core {

/// One step of velocity and acceleration: (g, x1, x2) of the paper, x1 and x2 being what the joints
/// of the step add to acceleration and velocity.
template <class S>
struct MotionStep {
  Transform<S> X;
  Motion<S> a, v;

  static RBD_INLINE MotionStep neutral() {
    return {Transform<S>::identity(), Motion<S>::zero(), Motion<S>::zero()};
  }
  /// Inward step first.
  static RBD_INLINE MotionStep combine(const MotionStep& before, const MotionStep& next) {
    const Motion<S> v = next.X.apply(before.v);
    return {next.X * before.X, next.X.apply(before.a) + next.a - cross(next.v, v), v + next.v};
  }
};

/// x -> A x + b, one step of a linear recursion of six numbers.
template <class S>
struct LinearStep {
  S A[6][6];
  S b[6];

  static RBD_INLINE LinearStep neutral() {
    LinearStep step;
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) step.A[i][j] = S(RealOf<S>(i == j ? 1 : 0));
      step.b[i] = S(RealOf<S>(0));
    }
    return step;
  }
  /// First `before`, then `next`.
  static RBD_INLINE LinearStep combine(const LinearStep& before, const LinearStep& next) {
    LinearStep both;
    for (int i = 0; i < 6; ++i) {
      both.b[i] = next.b[i];
      for (int k = 0; k < 6; ++k) both.b[i] = mul_add(next.A[i][k], before.b[k], both.b[i]);
      for (int j = 0; j < 6; ++j) {
        S sum = next.A[i][0] * before.A[0][j];
        for (int k = 1; k < 6; ++k) sum = mul_add(next.A[i][k], before.A[k][j], sum);
        both.A[i][j] = sum;
      }
    }
    return both;
  }
};

/// What is kept of each body, and the memory of the scans. n bodies, and for the scratch what
/// Executor::scan_scratch(n) asks for.
template <class S, template <class> class Array>
struct HybridAbiaWorkspace {
  Array<Transform<S>> X;          ///< iX_parent
  Array<Force<S>> f;              ///< the paper's Fhat: what velocities and gravity ask for
  Array<Force<S>> U_over_D;       ///< Jh s / D
  Array<S> one_over_D, c_over_D;  ///< and the paper's ch
  MotionStep<S>*motion_steps, *motion_scratch;
  LinearStep<S>*linear_steps, *linear_scratch;
};

/// steps[k] <- what all steps before k do together. (A pointer to `combine` could not be inlined.)
template <Executor Exec, class Step>
RBD_INLINE void scan_steps(const Exec& executor, Step* steps, std::int32_t n, Step* scratch) {
  const auto combine = [](const Step& before, const Step& next) {
    return Step::combine(before, next);
  };
  executor.exclusive_scan(steps, n, combine, Step::neutral(), scratch);
}

/// The nonlinear recursion, inward:
///   Jh_i = J_i + X^T [Jh - Jh s s^T Jh / D]_{i+1} X.
/// Returns 0, or 1 + the coordinate at which the motion is singular.
template <class S, class Real, template <class> class Array>
RBD_KERNEL S articulated_inertias(const ModelView<Real>& model,
                                  const HybridAbiaWorkspace<S, Array>& ws) {
  S singular(RealOf<S>(0));
  ArticulatedInertia<S> carried = ArticulatedInertia<S>::zero();
  for (std::int32_t i = model.body_count - 1; i >= 0; --i) {
    const BodyView<Real>& body = model.body[i];
    const ArticulatedInertia<S> J = articulated(broadcast<S>(body.inertia)) + carried;
    visit_joint<S>(body, [&](const auto& joint) RBD_INLINE_LAMBDA {
      const auto axis = joint.template column<0>();
      const Force<S> U = axis.times(J);
      const S D = axis.dot(U) + S(model.armature[body.v_index]);
      singular = SingularityTest<S>(J, body)(axis, D, body.v_index, singular);
      const S one_over_D = S(RealOf<S>(1)) / D;
      const Force<S> U_over_D = one_over_D * U;
      ws.one_over_D.store(i, one_over_D);
      ws.U_over_D.store(i, U_over_D);
      carried = apply_inverse(ws.X.load(i), rank_one_downdate(J, U, U_over_D));
    });
  }
  return singular;
}

/// Body i's own step of the motion with qdd = 0. Gravity is an acceleration of what body 0 hangs
/// on.
template <class S, class Real, template <class> class Array, class V>
RBD_INLINE MotionStep<S> motion_step(const ModelView<Real>& model,
                                     const HybridAbiaWorkspace<S, Array>& ws, std::int32_t i,
                                     const V& v, const Vec3<S>& gravity) {
  const Transform<S> X = ws.X.load(i);
  return {X, i == 0 ? X.apply(base_acceleration(gravity)) : Motion<S>::zero(),
          joint_motion<S>(model.body[i], v)};
}

/// (1 - U s^T / D) f: what of a force on body i its joint passes on, the motor apart.
template <class S, class Real>
RBD_INLINE Force<S> passed_on(const BodyView<Real>& body, const Force<S>& U_over_D,
                              const Force<S>& f) {
  Force<S> rest = f;
  visit_joint<S>(body, [&](const auto& joint) RBD_INLINE_LAMBDA {
    const auto axis = joint.template column<0>();
    rest = mul_add(-axis.dot(f), U_over_D, f);
  });
  return rest;
}

/// The k-th column of Y_i = X^T (1 - U s^T / D), a force for each unit of a force's k-th number.
template <class S, class Real, template <class> class Array>
RBD_INLINE void column_of_Y(const ModelView<Real>& model, const HybridAbiaWorkspace<S, Array>& ws,
                            std::int32_t i, int k, S (&column)[6]) {
  S unit[6];
  for (int j = 0; j < 6; ++j) unit[j] = S(RealOf<S>(j == k ? 1 : 0));
  const Force<S> f = ws.X.load(i).apply_inverse(
      passed_on(model.body[i], ws.U_over_D.load(i),
                Force<S>{{unit[0], unit[1], unit[2]}, {unit[3], unit[4], unit[5]}}));
  numbers_of_row(f.n, f.f, column);
}

/// w_i = Y_{i+1} w_{i+1} + (X^T U / D)_{i+1} tau_{i+1} + Fhat_i
template <class S, class Real, template <class> class Array, class Torque>
RBD_KERNEL LinearStep<S> backward_step(const ModelView<Real>& model,
                                       const HybridAbiaWorkspace<S, Array>& ws, std::int32_t i,
                                       const Torque& torque) {
  LinearStep<S> step = LinearStep<S>::neutral();
  Force<S> b = ws.f.load(i);
  if (i + 1 < model.body_count) {
    for (int k = 0; k < 6; ++k) {
      S column[6];
      column_of_Y(model, ws, i + 1, k, column);
      for (int j = 0; j < 6; ++j) step.A[j][k] = column[j];
    }
    const Force<S> motor = torque(i + 1) * ws.U_over_D.load(i + 1);
    b += ws.X.load(i + 1).apply_inverse(motor);
  }
  numbers_of_row(b.n, b.f, step.b);
  return step;
}

/// l_i = Y_i^T l_{i-1} + s_i ch_i
template <class S, class Real, template <class> class Array>
RBD_KERNEL LinearStep<S> forward_step(const ModelView<Real>& model,
                                      const HybridAbiaWorkspace<S, Array>& ws, std::int32_t i) {
  LinearStep<S> step;
  for (int k = 0; k < 6; ++k) column_of_Y(model, ws, i, k, step.A[k]);
  Motion<S> b = Motion<S>::zero();
  visit_joint<S>(model.body[i], [&](const auto& joint) RBD_INLINE_LAMBDA {
    joint.template column<0>().add_to(b, ws.c_over_D.load(i));
  });
  numbers_of_row(b.w, b.v, step.b);
  return step;
}

/// Scan 1, from the base: velocities and the accelerations of qdd = 0; then the forces they ask
/// for.
template <class S, Executor Exec, class Real, template <class> class Array, class V, class F>
RBD_KERNEL void bias_by_scan(const Exec& executor, const ModelView<Real>& model,
                             const HybridAbiaWorkspace<S, Array>& ws, const V& v, const F& f_ext,
                             const Vec3<S>& gravity) {
  const std::int32_t n = model.body_count;
  executor.map(
      n, [&](std::int32_t i) { ws.motion_steps[i] = motion_step<S>(model, ws, i, v, gravity); }, 1);
  scan_steps(executor, ws.motion_steps, n, ws.motion_scratch);
  executor.map(
      n,
      [&](std::int32_t i) {
        const MotionStep<S> path =
            MotionStep<S>::combine(ws.motion_steps[i], motion_step<S>(model, ws, i, v, gravity));
        const Inertia<S> J = broadcast<S>(model.body[i].inertia);
        Force<S> f = J * path.a + cross(path.v, J * path.v);
        if constexpr (!std::is_same_v<F, NoForces>) f -= f_ext.load(i);
        ws.f.store(i, f);
      },
      2);
}

/// Scan 2, from the tip: the force w on each joint, and c = tau - s . w over D.
template <class S, Executor Exec, class Real, template <class> class Array, class Torque>
RBD_KERNEL void forces_by_scan(const Exec& executor, const ModelView<Real>& model,
                               const HybridAbiaWorkspace<S, Array>& ws, const Torque& torque) {
  const std::int32_t n = model.body_count;
  executor.map(
      n,
      [&](std::int32_t k) { ws.linear_steps[k] = backward_step<S>(model, ws, n - 1 - k, torque); },
      4);
  scan_steps(executor, ws.linear_steps, n, ws.linear_scratch);
  executor.map(
      n,
      [&](std::int32_t k) {
        const std::int32_t i = n - 1 - k;
        const LinearStep<S> path =
            LinearStep<S>::combine(ws.linear_steps[k], backward_step<S>(model, ws, i, torque));
        const Force<S> w{{path.b[0], path.b[1], path.b[2]}, {path.b[3], path.b[4], path.b[5]}};
        visit_joint<S>(model.body[i], [&](const auto& joint) {
          const S c = torque(i) - joint.template column<0>().dot(w);
          ws.c_over_D.store(i, c * ws.one_over_D.load(i));
        });
      },
      4);
}

/// Scan 3, from the base: qdd_i = ch_i - (X^T U / D)_i . l_{i-1}.
template <class S, Executor Exec, class Real, template <class> class Array, class Qdd>
RBD_KERNEL void accelerations_by_scan(const Exec& executor, const ModelView<Real>& model,
                                      const HybridAbiaWorkspace<S, Array>& ws, const Qdd& qdd) {
  const std::int32_t n = model.body_count;
  executor.map(
      n, [&](std::int32_t i) { ws.linear_steps[i] = forward_step<S>(model, ws, i); }, 4);
  scan_steps(executor, ws.linear_steps, n, ws.linear_scratch);
  executor.map(
      n,
      [&](std::int32_t i) {
        const S(&l)[6] = ws.linear_steps[i].b;
        const Motion<S> at_joint =
            ws.X.load(i).apply(Motion<S>{{l[0], l[1], l[2]}, {l[3], l[4], l[5]}});
        qdd.store(model.body[i].v_index, ws.c_over_D.load(i) - dot(at_joint, ws.U_over_D.load(i)));
      },
      1);
}

/// qdd = M^-1 (tau - C v - g - [friction] + J^T f_ext) of a chain of joints of one coordinate.
/// Arguments as for rnea (v is read always); qdd: writer of nv numbers. Returns 0, or 1 + the
/// coordinate at which the motion is singular (then qdd means nothing).
template <class S, Executor Exec, class Real, template <class> class Array, class Q, class V,
          class T, class F, class Qdd>
RBD_KERNEL S hybrid_abia(const Exec& executor, const ModelView<Real>& model,
                         const HybridAbiaWorkspace<S, Array>& ws, Q q, V v, T tau, F f_ext,
                         const Vec3<S>& gravity, bool friction, Qdd qdd) {
  executor.map(
      model.body_count, [&](std::int32_t i) { ws.X.store(i, body_transform<S>(model.body[i], q)); },
      1);
  const S singular = articulated_inertias(model, ws);
  const auto torque = [&](std::int32_t i) {
    return driving_torque<S>(model, model.body[i].v_index, v, tau, friction);
  };
  bias_by_scan(executor, model, ws, v, f_ext, gravity);
  forces_by_scan(executor, model, ws, torque);
  accelerations_by_scan(executor, model, ws, qdd);
  return singular;
}

}  // namespace rbd_parallel_core
