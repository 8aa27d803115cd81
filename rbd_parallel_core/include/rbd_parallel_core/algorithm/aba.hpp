// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/newton_euler.hpp"

namespace rbd_parallel_core {

/// What one eliminated coordinate leaves for the last pass: qdd = u - U . a, both divided by D
/// already.
template <class S>
struct EliminatedCoordinate {
  Force<S> U;
  S u;
};

/// What ABA keeps of each body, in body coordinates, and of each coordinate.
template <class S, template <class> class Array>
struct AbaWorkspace {
  JointTurns<S, Array> turns;
  Array<Vec3<S>> w;    ///< angular velocity
  Array<Motion<S>> c;  ///< velocity products; later the acceleration
  Array<Force<S>> pA;  ///< bias force, and what children other than the next body add to it
  Array<ArticulatedInertia<S>> IA;            ///< what those children add to the inertia
  Array<EliminatedCoordinate<S>> eliminated;  ///< nv
};

/// What is not above this part of the numbers that it is the difference of counts as zero.
template <class Real>
constexpr Real singular_tolerance() {
  return Real(64) * std::numeric_limits<Real>::epsilon();
}
/// The same as a Scalar. Symbols bring that of the numbers that they stand for.
template <class S>
RBD_INLINE S singular_tolerance_of() {
  if constexpr (requires { ScalarTraits<S>::singular_tolerance(); }) {
    return ScalarTraits<S>::singular_tolerance();
  } else {
    return S(singular_tolerance<RealOf<S>>());
  }
}

/// Judges D = S^T IA S + armature. IA: of a body before its joint is let go.
template <class S>
class SingularityTest {
 public:
  template <class Real>
  RBD_INLINE SingularityTest(const ArticulatedInertia<S>& IA, const BodyView<Real>& body)
      : size_(size_of(IA, S(body.inertia.m), S(body.lever2))) {}

  /// `at` + 1 where D counts as zero, else what is known by now.
  template <class Column>
  RBD_INLINE S operator()(const Column& column, const S& D, std::int32_t at,
                          const S& singular) const {
    using Traits = ScalarTraits<S>;
    const S threshold = singular_tolerance_of<S>() * column.resistance_of(size_);
    return Traits::select(Traits::less_equal(D, threshold), S(RealOf<S>(at + 1)), singular);
  }

 private:
  InertiaSize<S> size_;
};

/// The outward pass of aba: velocities, velocity products, bias forces of the single bodies. After
/// compute_turns. base: WorldBase, or MovingBase of which only w is read. The robot
/// and the workspace by value, for the reason that rnea gives.
template <class S, class Real, template <class> class Array, class Q, class V, class Base>
RBD_KERNEL void aba_velocities(const ModelView<Real> model, const AbaWorkspace<S, Array> ws, Q q,
                               V v, const Base& base) {
  constexpr bool moves = !is_zero<V>;
  for (std::int32_t i = 0; i < model.body_count; ++i) {
    const BodyView<Real>& body = model.body[i];
    const std::int32_t p = body.parent;
    visit_body<S>(body, [&](const auto& joint, const auto& placement) RBD_INLINE_LAMBDA {
      const auto X = joint_transform(body, joint, placement, ws.turns, i, q);
      const Inertia<S> I = broadcast<S>(body.inertia);
      if (body.has_more_children) ws.IA.store(i, ArticulatedInertia<S>::zero());

      Force<S> bias = Force<S>::zero();
      if constexpr (moves) {
        Motion<S> c = Motion<S>::zero();
        Vec3<S> w_before = Vec3<S>::zero();
        if (Base::moves || p >= 0) {
          Vec3<S> w_p;
          if constexpr (Base::moves) {
            w_p = p >= 0 ? ws.w.load(p) : base.w;
          } else {
            w_p = ws.w.load(p);
          }
          w_before = X.rotate(w_p);
          c.v = X.rotate(cross(w_p, cross(w_p, X.origin())));
        }
        Vec3<S> w = w_before;
        for_each_column(joint, [&](int k, const auto& column) RBD_INLINE_LAMBDA {
          column.add_angular_to(w, joint_rate(body, v, k));
        });
        const Vec3<S> w_sum = w_before + w;
        for_each_column(joint, [&](int k, const auto& column) RBD_INLINE_LAMBDA {
          column.add_velocity_product_to(c, w, w_sum, joint_rate(body, v, k));
        });
        ws.w.store(i, w);
        ws.c.store(i, c);
        bias = {cross(w, I.I * w), cross(w, cross(w, I.h))};
      }
      ws.pA.store(i, bias);
    });
  }
}

/// Nothing hangs on the last body: the end of aba_inward that costs nothing.
struct FreeEnd {
  template <class... Anything>
  RBD_INLINE void let_go(const Anything&...) const {}
  template <class... Anything>
  RBD_INLINE void pass(const Anything&...) const {}
};

/// What aba_inward leaves: how the first body resists acceleration, in the frame of its base.
template <class S>
struct ArticulatedBody {
  ArticulatedInertia<S> IA;
  Force<S> pA;
  S singular;  ///< 0, or 1 + the coordinate at which the motion is singular
};

/// The inward pass of aba: lets every joint go and hands what is left to the parent. `end` is told
/// of each step, outward ones first: FreeEnd, or an OpenEnd (two_port.hpp) where the bodies are a
/// piece of a larger tree.
template <class S, class Real, template <class> class Array, class Q, class V, class T, class Base,
          class End>
RBD_KERNEL ArticulatedBody<S> aba_inward(const ModelView<Real> model,
                                         const AbaWorkspace<S, Array> ws, Q q, V v, T tau,
                                         bool friction, const Base&, End& open_end) {
  constexpr bool moves = !is_zero<V>;
  End end = open_end;
  // From body i + 1 to its parent i it is carried along; what other children leave is kept in the
  // workspace.
  ArticulatedInertia<S> carried_IA = ArticulatedInertia<S>::zero();
  Force<S> carried_pA = Force<S>::zero();
  S singular(RealOf<S>(0));
  for (std::int32_t i = model.body_count - 1; i >= 0; --i) {
    const BodyView<Real>& body = model.body[i];
    visit_body<S>(body, [&](const auto& joint, const auto& placement) RBD_INLINE_LAMBDA {
      ArticulatedInertia<S> IA = articulated(broadcast<S>(body.inertia));
      Force<S> pA = ws.pA.load(i);
      if (body.has_more_children) IA += ws.IA.load(i);
      if (body.next_is_child) {
        IA += carried_IA;
        pA += carried_pA;
      }
      const SingularityTest<S> test(IA, body);
      for_each_column_backwards(joint, [&](int k, const auto& column) RBD_INLINE_LAMBDA {
        const std::int32_t at = body.v_index + k;
        const Force<S> U = column.times(IA);
        const S D = column.dot(U) + S(model.armature[at]);
        singular = test(column, D, at, singular);
        const S one_over_D = S(RealOf<S>(1)) / D;
        const S u = tau(at) - joint_terms<S>(model, at, v, Zeros<S>{}, friction) - column.dot(pA);
        const EliminatedCoordinate<S> e{one_over_D * U, one_over_D * u};
        ws.eliminated.store(at, e);
        IA = rank_one_downdate(IA, U, e.U);
        pA = mul_add(e.u, U, pA);
        end.let_go(at, column, one_over_D, e);
      });
      if (!Base::moves && body.parent < 0) return;
      const auto X = joint_transform(body, joint, placement, ws.turns, i, q);
      if constexpr (moves) {
        pA += IA * ws.c.load(i);
        end.pass(X, ws.c.load(i));
      } else {
        end.pass(X, Zeros<S>{});
      }
      carried_IA = X.apply_inverse(IA);
      carried_pA = X.apply_inverse(pA);
      if (body.parent != i - 1) {
        ws.IA.store(body.parent, ws.IA.load(body.parent) + carried_IA);
        ws.pA.store(body.parent, ws.pA.load(body.parent) + carried_pA);
      }
    });
  }
  open_end = end;
  return {carried_IA, carried_pA, singular};
}

/// The last pass of aba, outward: accelerations. pull(at): what hangs on the end takes from the
/// acceleration of coordinate `at`. base: WorldBase, or MovingBase of which only a is read.
template <class S, class Real, template <class> class Array, class Q, class V, class Base,
          class Pull, class Qdd>
RBD_KERNEL void aba_accelerations(const ModelView<Real> model, const AbaWorkspace<S, Array> ws, Q q,
                                  V, const Base& base, const Pull& pull, Qdd qdd) {
  constexpr bool moves = !is_zero<V>;
  for (std::int32_t i = 0; i < model.body_count; ++i) {
    const BodyView<Real>& body = model.body[i];
    const std::int32_t p = body.parent;
    visit_body<S>(body, [&](const auto& joint, const auto& placement) RBD_INLINE_LAMBDA {
      const auto X = joint_transform(body, joint, placement, ws.turns, i, q);
      Motion<S> a;
      if constexpr (Base::moves) {
        a = X.apply(p < 0 ? base.a : ws.c.load(p));
      } else {
        a = p < 0 ? Motion<S>{Vec3<S>::zero(), X.rotate(-base.gravity)} : X.apply(ws.c.load(p));
      }
      if constexpr (moves) a += ws.c.load(i);
      for_each_column(joint, [&](int k, const auto& column) RBD_INLINE_LAMBDA {
        const std::int32_t at = body.v_index + k;
        const EliminatedCoordinate<S>& e = ws.eliminated.load(at);
        S acceleration = e.u - dot(a, e.U);
        if constexpr (!std::is_same_v<Pull, NoForces>) acceleration = acceleration - pull(at);
        qdd.store(at, acceleration);
        column.add_to(a, acceleration);
      });
      ws.c.store(i, a);
    });
  }
}

/// Articulated-body algorithm (Featherstone, table 7.1, with classical accelerations):
///   qdd = M^-1 (tau - C v - g - [friction] + J^T f_ext)
/// Joints of several coordinates are let go one coordinate after the other, as if each were a joint
/// of its own on a massless body; every elimination is then the same rank-one step and no small
/// matrix is inverted. The model must have no mimic joints. Arguments as for rnea; qdd: writer of
/// nv numbers. Returns 0, or 1 + the coordinate at which the motion is singular (then qdd means
/// nothing).
template <class S, class Real, template <class> class Array, class Q, class V, class T, class F,
          class Qdd>
RBD_KERNEL S aba(const ModelView<Real>& model, const AbaWorkspace<S, Array>& ws, Q q, V v, T tau,
                 F f_ext, const Vec3<S>& gravity, bool friction, Qdd qdd) {
  const WorldBase<S> base{gravity};
  FreeEnd end;
  compute_turns(model, ws.turns, q);
  aba_velocities(model, ws, q, v, base);
  subtract_forces(model, ws.pA, f_ext);
  const S singular = aba_inward(model, ws, q, v, tau, friction, base, end).singular;
  aba_accelerations(model, ws, q, v, base, NoForces{}, qdd);
  return singular;
}

}  // namespace rbd_parallel_core
