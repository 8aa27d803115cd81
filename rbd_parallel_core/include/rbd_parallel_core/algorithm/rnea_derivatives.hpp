// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/composite_motion.hpp"
#include "rbd_parallel_core/algorithm/world_wrenches.hpp"

/// The partial derivatives of RNEA as matrices, in O(n d) for n bodies at depth d. The structure is
/// that of Carpentier and Mansard (2018) and of Singh, Russo and Wensing (2022): a pass outward for
/// how each coordinate changes the motion of its subtree, a pass inward for the composites that
/// answer. docs/algorithms.md, "Derivatives", derives the formulas for classical accelerations.
namespace rbd_parallel_core {

/// What the derivatives keep. All vectors have the axes of the world. What belongs to a body is
/// seen from its own origin; what is multiplied with columns of other bodies is seen from the
/// origin of the run (BodyView::head), as in CRBA.
template <class S, template <class> class Array>
struct DerivativesWorkspace {
  JointTurns<S, Array> turns;
  // per body
  Array<Mat3<S>> E;              ///< world axes to body axes
  Array<Vec3<S>> r, u2;          ///< from the parent's origin to its own, and twice its rate
  Array<Vec3<S>> p, p2;          ///< from the origin of its run to its own, and twice its rate
  Array<Vec3<S>> head, head2;    ///< per head: from the origin of the parent's run; twice its rate
  Array<Vec3<S>> w;              ///< angular velocity
  Array<Motion<S>> a;            ///< classical acceleration, gravity included as -g at the base
  Array<Mat3<S>> K;              ///< rotation_acceleration
  Array<CompositeMotion<S>> C;   ///< the body; in the end its subtree
  Array<WorldWrench<S>> wrench;  ///< likewise; only used where wrenches keep to the world's axes
  // per column
  Array<Motion<S>> s;        ///< its motion, seen from the body's origin
  Array<Motion<S>> axis;     ///< the same from the origin of the run
  Array<Vec3<S>> a_q, a_v;   ///< Variation::a about the body's origin
  Array<Variation<S>> q, v;  ///< what q and v change, about the origin of the run
};

/// Which velocity terms the second matrix holds.
enum class VelocityTerms : std::uint8_t {
  derivative,  ///< d tau / d v
  coriolis,    ///< C with tau = C v and dM/dt = C + C^T (Echeandia and Wensing, 2021)
};

/// Where the matrices go: nv x nv each, writers of one state. One that is not wanted is not
/// touched.
template <class Matrix>
struct DerivativeMatrices {
  Matrix q;  ///< d tau / d q, in the tangent of `integrate`
  Matrix v;  ///< as VelocityTerms say
  Matrix M;  ///< the mass matrix with armature
  bool wants_q = true, wants_v = true, wants_M = true;
  VelocityTerms terms = VelocityTerms::derivative;
};

/// The motion of what a body hangs on, world axes.
template <class S>
struct ParentMotion {
  Mat3<S> E;
  Vec3<S> p, p2;  ///< of its origin, from the origin of its run
  Vec3<S> w;
  Motion<S> a;
  Mat3<S> K;
};

template <class S, class Real, template <class> class Array>
RBD_INLINE ParentMotion<S> parent_motion(const DerivativesWorkspace<S, Array>& ws,
                                         const BodyView<Real>& body, const Vec3<S>& gravity) {
  const std::int32_t p = body.parent;
  if (p >= 0) {
    return {ws.E.load(p), ws.p.load(p), ws.p2.load(p), ws.w.load(p), ws.a.load(p), ws.K.load(p)};
  }
  const Vec3<S> o = Vec3<S>::zero();
  return {Mat3<S>::identity(), o, o, o, {o, -gravity}, Mat3<S>::zero()};
}

/// Whether a column turns, and whether it shifts the origin of its body.
struct ColumnKind {
  bool turns, shifts;
};
RBD_INLINE constexpr ColumnKind column_kind(JointType type, int k) {
  switch (type) {
    case JointType::prismatic:
      return {false, true};
    case JointType::helical:
      return {true, true};
    case JointType::planar:
      return {k == 2, k != 2};
    case JointType::floating:
      return {k >= 3, k < 3};
    default:
      return {true, false};
  }
}

/// Calls visit(std::true_type) where a column only turns, as most do; what is zero is left out
/// then.
template <class Visit>
RBD_INLINE void visit_kind(ColumnKind kind, const Visit& visit) {
  if (kind.shifts) {
    visit(std::false_type{});
  } else {
    visit(std::true_type{});
  }
}

/// Places body i: its axes, its origin, its columns (times the multiplier of a mimic joint).
template <class S, class Real, template <class> class Array, class Q>
RBD_INLINE void place_body(const BodyView<Real>& body, const DerivativesWorkspace<S, Array>& ws,
                           const Q& q, std::int32_t i, const Mat3<S>& E_p, Mat3<S>& E, Vec3<S>& r) {
  visit_body<S>(body, [&](const auto& joint, const auto& placement) RBD_INLINE_LAMBDA {
    const auto X = joint_transform(body, joint, placement, ws.turns, i, q);
    E = X.rotate_rows(E_p);
    r = X.origin_along(E_p, E);
    for_each_column(joint, [&](int k, const auto& column) RBD_INLINE_LAMBDA {
      Motion<S> s = Motion<S>::zero();
      column.add_along(E, s, S(body.multiplier));
      ws.s.store(body.column + k, s);
    });
  });
}

/// Keeps how column c changes the motion of its subtree through q and through v.
/// A: acceleration of the point of the parent at the body's origin; v_J: the joint's linear rate.
template <bool only_turns, class S, template <class> class Array>
RBD_INLINE void vary_column(const DerivativesWorkspace<S, Array>& ws, std::int32_t c,
                            const ParentMotion<S>& parent, const Vec3<S>& w, const Vec3<S>& A,
                            const Vec3<S>& v_J, const Vec3<S>& p, const Vec3<S>& p2,
                            bool joint_shifts, VelocityTerms terms) {
  const Motion<S> s = ws.s.load(c);
  Variation<S> by_q{cross(parent.w, s.w), parent.K * s.w, cross(A, s.w)};
  if constexpr (!only_turns) by_q.a += parent.K * s.v;
  Variation<S> by_v{s.w, cross(parent.w + w, s.w), Vec3<S>::zero()};
  if constexpr (!only_turns) by_v.a = cross(parent.w + w, s.v);
  if (joint_shifts) {
    const Vec3<S> turned = cross(by_q.w, v_J);
    by_q.a += turned + turned;
    by_v.a += cross(s.w, v_J);
  }
  if (terms == VelocityTerms::coriolis) {
    by_v = {S(RealOf<S>(0.5)) * s.w, cross(w, s.w), cross(w, s.v)};
  }
  ws.a_q.store(c, by_q.a);
  ws.a_v.store(c, by_v.a);
  const auto about_run = [&](const Variation<S>& d) RBD_INLINE_LAMBDA {
    return Variation<S>{d.w, d.alpha, d.a + cross(p, d.alpha) + cross(p2, d.w)};
  };
  ws.q.store(c, about_run(by_q));
  ws.v.store(c, about_run(by_v));
  ws.axis.store(c, {s.w, s.v + cross(p, s.w)});
}

/// The outward pass: where the bodies are, how they move, which force that takes, and how each
/// column changes it.
template <class S, class Real, template <class> class Array, class Q, class V, class A>
RBD_INLINE void derivatives_outward(const ModelView<Real>& model,
                                    const DerivativesWorkspace<S, Array>& ws, const Q& q,
                                    const V& v, const A& a, const Vec3<S>& gravity,
                                    VelocityTerms terms) {
  for (std::int32_t i = 0; i < model.body_count; ++i) {
    const BodyView<Real>& body = model.body[i];
    const ParentMotion<S> parent = parent_motion(ws, body, gravity);
    Mat3<S> E;
    Vec3<S> r;
    place_body(body, ws, q, i, parent.E, E, r);

    const int nv = nv_of(body.type);
    const bool shifts = body.type != JointType::revolute && body.type != JointType::spherical;
    Motion<S> rate = Motion<S>::zero(), rate2 = Motion<S>::zero();  // S qd, S qdd
    for (int k = 0; k < nv; ++k) {
      const Motion<S> s = ws.s.load(body.column + k);
      const S qd = v(body.v_index + k), qdd = a(body.v_index + k);
      rate.w = mul_add(qd, s.w, rate.w);
      rate2.w = mul_add(qdd, s.w, rate2.w);
      if (shifts) {
        rate.v = mul_add(qd, s.v, rate.v);
        rate2.v = mul_add(qdd, s.v, rate2.v);
      }
    }
    const Vec3<S> w = parent.w + rate.w;
    const Vec3<S> point = parent.a.v + parent.K * r;  // the parent's point at the body's origin
    Motion<S> acc{parent.a.w + rate2.w + cross(parent.w, rate.w), point};
    if (shifts) acc.v += rate2.v + cross(parent.w + w, rate.v);
    const Mat3<S> K = rotation_acceleration(w, acc.w);
    Vec3<S> u2 = cross(parent.w, r);
    if (shifts) u2 += rate.v;
    u2 += u2;
    Vec3<S> p = parent.p + r, p2 = parent.p2 + u2;
    if (body.head == i) {
      ws.head.store(i, p);
      ws.head2.store(i, p2);
      p = p2 = Vec3<S>::zero();
    }
    for (int k = 0; k < nv; ++k) {
      visit_kind(column_kind(body.type, k), [&](auto only_turns) RBD_INLINE_LAMBDA {
        vary_column<decltype(only_turns)::value>(ws, body.column + k, parent, w, point, rate.v, p,
                                                 p2, shifts, terms);
      });
    }
    const Inertia<S> I = rotate_back(E, broadcast<S>(body.inertia));
    const Force<S> f{I.I * acc.w + cross(I.h, acc.v) + cross(w, I.I * w),
                     mul_add(I.m, acc.v, K * I.h)};
    ws.E.store(i, E);
    ws.r.store(i, r);
    ws.u2.store(i, u2);
    ws.p.store(i, p);
    ws.p2.store(i, p2);
    ws.w.store(i, w);
    ws.a.store(i, acc);
    ws.K.store(i, K);
    ws.C.store(i, rigid_body_motion(I, w, f));
  }
}

/// f_ext: one Force per body, at its origin, in its axes.
template <class S, class Real, template <class> class Array, class F>
RBD_INLINE void subtract_from_composites(const ModelView<Real>& model,
                                         const DerivativesWorkspace<S, Array>& ws, const F& f_ext) {
  if constexpr (!std::is_same_v<F, NoForces>) {
    if constexpr (requires { f_ext.any; }) {
      if (!f_ext.any) return;
    }
    for (std::int32_t i = 0; i < model.body_count; ++i) {
      CompositeMotion<S> C = ws.C.load(i);
      const Mat3<S> E = ws.E.load(i);
      const Force<S> f = f_ext.load(i);
      C.f -= {transpose_times(E, f.n), transpose_times(E, f.f)};
      ws.C.store(i, C);
    }
  }
}

/// What one column brings to a matrix: entries (row, l) are D_l . G, entries (l, row) are S_l . F,
/// where D_l and S_l are the variation and the motion of column l <= row.
template <class S>
struct ColumnForces {
  VariationForce<S> G;
  Force<S> F;

  /// From a point of reference to another one, from which the first is seen at r, with twice its
  /// rate r2.
  RBD_INLINE void shift_by(const Vec3<S>& r, const Vec3<S>& r2) {
    F.n += cross(r, F.f);
    G.gamma += cross(r2, G.force.f);
    G.force.n += cross(r, G.force.f);
  }
};

/// Writes the entries of column `row` with the columns first <= l < last, which share a run.
template <class S, class Real, class Axes, class Variations, class Matrix>
RBD_INLINE void store_pairs(const ModelView<Real>& model, const Axes& axis,
                            const Variations& variation, const ColumnForces<S>& forces,
                            std::int32_t row, std::int32_t first, std::int32_t last,
                            const Matrix& out) {
  if (!model.has_mimic) {
    for (std::int32_t l = first; l < last; ++l) {
      out.store(row, l, dot(variation.load(l), forces.G));
      out.store(l, row, dot(axis.load(l), forces.F));
    }
    return;
  }
  // Bodies that share a coordinate meet the same entry several times: then they add up.
  for (std::int32_t l = first; l < last; ++l) {
    const std::int32_t column = model.column_dof[l];
    out.store(row, column, out.load(row, column) + dot(variation.load(l), forces.G));
    out.store(column, row, out.load(column, row) + dot(axis.load(l), forces.F));
  }
}

/// The columns of the mass matrix: a variation of accelerations only.
template <class S, class Axes>
struct AccelerationVariations {
  Axes axis;
  RBD_INLINE Motion<S> load(std::int32_t l) const { return axis.load(l); }
};
template <class S>
RBD_INLINE S dot(const Motion<S>& s, const VariationForce<S>& g) {
  return dot(s, g.force);
}

/// Writes the entries of column k of body i with all columns before it, from the body's own joint
/// to the root. `forces`: about the body's origin. `beyond`: what the columns of other joints find
/// besides F, since they do not turn with this one.
template <class S, class Real, template <class> class Array, class Variations, class Matrix>
RBD_KERNEL void store_column(const ModelView<Real> model, const DerivativesWorkspace<S, Array> ws,
                             const Variations variation, std::int32_t i, int k,
                             const ColumnForces<S>& forces_of_body, const Force<S>& beyond,
                             Matrix out) {
  ColumnForces<S> forces = forces_of_body;
  const BodyView<Real>& body = model.body[i];
  const std::int32_t row = body.v_index + k;
  forces.shift_by(ws.p.load(i), ws.p2.load(i));
  store_pairs(model, ws.axis, variation, forces, row, body.column, body.column + k, out);
  const S diagonal = dot(variation.load(body.column + k), forces.G);
  out.store(row, row, model.has_mimic ? out.load(row, row) + diagonal : diagonal);
  forces.F += {beyond.n + cross(ws.p.load(i), beyond.f), beyond.f};
  std::int32_t last = body.column;
  for (std::int32_t j = i;;) {
    const std::int32_t head = model.body[j].head;
    store_pairs(model, ws.axis, variation, forces, row, model.body[head].column, last, out);
    j = model.body[head].parent;
    if (j < 0) return;
    forces.shift_by(ws.head.load(head), ws.head2.load(head));
    last = model.body[j].column + nv_of(model.body[j].type);
  }
}

/// Wrenches that keep to the world's axes: adds to row k of body i of dq what a turn about the
/// columns before it, and about itself, does.
template <class S, class Real, template <class> class Array, class Matrix>
RBD_INLINE void turn_wrenches(const ModelView<Real>& model,
                              const DerivativesWorkspace<S, Array>& ws, std::int32_t i, int k,
                              const Motion<S>& s, const Matrix& dq) {
  const Vec3<S> gamma = ws.wrench.load(i).transpose_times(s);
  const std::int32_t row = model.body[i].v_index + k;
  for (std::int32_t j = i; j >= 0; j = model.body[j].parent) {
    const BodyView<Real>& body = model.body[j];
    const int count = j == i ? k + 1 : nv_of(body.type);
    for (int l = 0; l < count; ++l) {
      const std::int32_t column = body.v_index + l;
      const S x = dot(ws.s.load(body.column + l).w, gamma);
      dq.store(row, column, dq.load(row, column) + x);
    }
  }
}

/// Computes the columns of body i of all wanted matrices. C: the composite of its subtree.
template <class S, class Real, template <class> class Array, class Matrix>
RBD_INLINE void store_body(const ModelView<Real>& model, const DerivativesWorkspace<S, Array>& ws,
                           std::int32_t i, const CompositeMotion<S>& C, bool turning_wrenches,
                           const DerivativeMatrices<Matrix>& out) {
  const BodyView<Real>& body = model.body[i];
  const int nv = nv_of(body.type);
  for (int k = 0; k < nv; ++k) {
    const std::int32_t c = body.column + k;
    const Motion<S> s = ws.s.load(c);
    VariationForce<S> G;
    visit_kind(column_kind(body.type, k), [&](auto only_turns) RBD_INLINE_LAMBDA {
      if constexpr (decltype(only_turns)::value) {
        G = C.transpose_times(s.w);
      } else {
        G = C.transpose_times(s);
      }
    });
    if (out.wants_q) {
      const Variation<S>& d = ws.q.load(c);
      Force<S> F = C * Variation<S>{d.w, d.alpha, ws.a_q.load(c)};
      if (turning_wrenches) F += ws.wrench.load(i) * s.w;
      store_column(model, ws, ws.q, i, k, ColumnForces<S>{G, F}, cross(s, C.f), out.q);
      if (turning_wrenches) turn_wrenches(model, ws, i, k, s, out.q);
    }
    if (out.wants_v) {
      const Variation<S>& d = ws.v.load(c);
      const Force<S> F = C * Variation<S>{d.w, d.alpha, ws.a_v.load(c)};
      store_column(model, ws, ws.v, i, k, ColumnForces<S>{G, F}, Force<S>::zero(), out.v);
    }
    if (out.wants_M) {
      store_column(model, ws, AccelerationVariations<S, Array<Motion<S>>>{ws.axis}, i, k,
                   ColumnForces<S>{G, G.force}, Force<S>::zero(), out.M);
    }
  }
}

/// The inward pass: composites, and the matrices.
template <class S, class Real, template <class> class Array, class Matrix>
RBD_INLINE void derivatives_inward(const ModelView<Real>& model,
                                   const DerivativesWorkspace<S, Array>& ws, bool turning_wrenches,
                                   const DerivativeMatrices<Matrix>& out) {
  for (std::int32_t i = model.body_count - 1; i >= 0; --i) {
    const std::int32_t p = model.body[i].parent;
    const CompositeMotion<S> C = ws.C.load(i);
    store_body(model, ws, i, C, turning_wrenches, out);
    if (p < 0) continue;
    ws.C.store(p, ws.C.load(p) + shift(C, ws.r.load(i), ws.u2.load(i)));
    if (turning_wrenches) {
      ws.wrench.store(p, ws.wrench.load(p) + shift(ws.wrench.load(i), ws.r.load(i)));
    }
  }
}

/// Sets a matrix to zero where the pass inward does not write all of it, or adds to it.
template <class S, class Real, class Matrix>
RBD_INLINE void clear_for_pairs(const ModelView<Real>& model, const Matrix& out) {
  if (!model.has_mimic && !model.has_branches) return;
  for (std::int32_t i = 0; i < model.nv; ++i) {
    for (std::int32_t j = 0; j < model.nv; ++j) out.store(i, j, S(RealOf<S>(0)));
  }
}

/// Partial derivatives of tau = rnea(q, v, a): d tau / d q in the tangent of `integrate` (the frame
/// of v), d tau / d v, and the mass matrix, which is d tau / d a. Coordinates of different branches
/// have exact zeros. q, v, a: readers of one state. f_ext: as for rnea; `wrenches` has what of them
/// keeps to the world's axes (NoWorldWrenches: all keep to the axes of their links). friction: adds
/// damping to the diagonal of d tau / d v; the sign of a velocity has no derivative and counts as
/// constant. gravity: m/s^2, world frame.
template <class S, class Real, template <class> class Array, class Q, class V, class A, class F,
          class Wrenches, class Matrix>
RBD_KERNEL void rnea_derivatives(const ModelView<Real>& robot,
                                 const DerivativesWorkspace<S, Array>& memory, Q q, V v, A a,
                                 F f_ext, const Wrenches& wrenches, const Vec3<S>& gravity,
                                 bool friction, const DerivativeMatrices<Matrix>& out) {
  const ModelView<Real> model = robot;  // copies, as in rnea
  const DerivativesWorkspace<S, Array> ws = memory;
  compute_turns(model, ws.turns, q);
  if (out.wants_q) clear_for_pairs<S>(model, out.q);
  if (out.wants_v) clear_for_pairs<S>(model, out.v);
  if (out.wants_M) clear_for_pairs<S>(model, out.M);
  derivatives_outward(model, ws, q, v, a, gravity, out.terms);
  subtract_from_composites(model, ws, f_ext);
  const bool turning = wrenches.place(model, ws);
  derivatives_inward(model, ws, turning, out);
  for (std::int32_t k = 0; k < model.nv; ++k) {
    if (out.wants_v && friction && out.terms == VelocityTerms::derivative) {
      out.v.store(k, k, out.v.load(k, k) + S(model.damping[k]));
    }
    if (out.wants_M) out.M.store(k, k, out.M.load(k, k) + S(model.armature[k]));
  }
}

}  // namespace rbd_parallel_core
