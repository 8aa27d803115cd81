// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/composite_motion.hpp"
#include "rbd_parallel_core/algorithm/world_wrenches.hpp"

/// The partial derivatives of RNEA as matrices, in O(n d) for n bodies at depth d. The structure is
/// that of Carpentier and Mansard (2018) and of Singh, Russo and Wensing (2022): a pass outward for
/// how each coordinate changes the motion of its subtree, a pass inward for the composites that
/// answer. docs/derivatives.md derives the formulas for classical accelerations.
namespace rbd_parallel_core {

/// How a body lies and moves. Vectors have the axes of the world.
template <class S>
struct BodyMotion {
  Mat3<S> E;      ///< world axes to body axes
  Vec3<S> p, p2;  ///< from the origin of its run to its own, and twice its rate
  Vec3<S> w;      ///< angular velocity
  Motion<S> a;    ///< classical acceleration, gravity included as -g at the base
  Mat3<S> K;      ///< rotation_acceleration
  Vec3<S> r, u2;  ///< from the parent's origin to its own, and twice its rate
};

/// Where a point is, seen from another one, and twice its rate.
template <class S>
struct MovingPoint {
  Vec3<S> r, r2;
};

/// A column of a joint, seen from the origin of its body.
template <class S>
struct ColumnMotion {
  Motion<S> s;         ///< its motion
  Vec3<S> by_q, by_v;  ///< Variation::a
};

/// A column seen from the origin of its run (BodyView::head), which many columns share: what is
/// multiplied with columns of other bodies.
template <class S>
struct ColumnInRun {
  Motion<S> s;
  Variation<S> by_q, by_v;  ///< what q and v change
};

/// What the derivatives keep.
template <class S, template <class> class Array>
struct DerivativesWorkspace {
  JointTurns<S, Array> turns;
  Array<BodyMotion<S>> body;  ///< body_count + 1: the last one is the world
  /// Per head of a run: its origin, seen from the origin of the parent's run.
  Array<MovingPoint<S>> head;
  /// Per body: what children other than the next body add to its subtree.
  Array<CompositeMotion<S>> C;
  /// Per body: wrenches that keep to the world's axes, in the end those of its subtree.
  Array<WorldWrench<S>> wrench;
  Array<ColumnMotion<S>> column;  ///< per column
  Array<ColumnInRun<S>> in_run;   ///< per column
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
  /// Entries of coordinates that do not act on each other are zero already.
  bool zeros_persist = false;
};

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

/// The columns of one joint, seen from its body's origin.
template <class S>
struct JointColumns {
  Motion<S> s[6];
};

/// Places body i: its axes, its origin, its columns (times the multiplier of a mimic joint).
template <class S, class Real, template <class> class Array, class Q>
RBD_INLINE void place_body(const BodyView<Real>& body, const DerivativesWorkspace<S, Array>& ws,
                           const Q& q, std::int32_t i, const Mat3<S>& E_p, BodyMotion<S>& m,
                           JointColumns<S>& columns) {
  visit_body<S>(body, [&](const auto& joint, const auto& placement) RBD_INLINE_LAMBDA {
    const auto X = joint_transform(body, joint, placement, ws.turns, i, q);
    m.E = X.rotate_rows(E_p);
    m.r = X.origin_along(E_p, m.E);
    for_each_column(joint, [&](int k, const auto& column) RBD_INLINE_LAMBDA {
      columns.s[k] = Motion<S>::zero();
      column.add_along(m.E, columns.s[k], S(body.multiplier));
    });
  });
}

/// Keeps how column c of a body changes the motion of its subtree through q and through v.
/// A: acceleration of the point of the parent at the body's origin; v_J: the joint's linear rate,
/// which counts if joint_shifts.
template <bool only_turns, class S, template <class> class Array>
RBD_INLINE void vary_column(const DerivativesWorkspace<S, Array>& ws, std::int32_t c,
                            const Motion<S>& s, const BodyMotion<S>& parent,
                            const BodyMotion<S>& body, const Vec3<S>& A, const Vec3<S>& v_J,
                            bool joint_shifts, VelocityTerms terms) {
  const Vec3<S> w_sum = parent.w + body.w;
  Variation<S> by_q{cross(parent.w, s.w), parent.K * s.w, cross(A, s.w)};
  Variation<S> by_v{s.w, cross(w_sum, s.w), Vec3<S>::zero()};
  if constexpr (!only_turns) {
    by_q.a += parent.K * s.v;
    by_v.a = cross(w_sum, s.v);
  }
  if (joint_shifts) {
    const Vec3<S> turned = cross(by_q.w, v_J);
    by_q.a += turned + turned;
    by_v.a += cross(s.w, v_J);
  }
  if (terms == VelocityTerms::coriolis) {
    by_v = {S(RealOf<S>(0.5)) * s.w, cross(body.w, s.w), cross(body.w, s.v)};
  }
  ws.column.store(c, {s, by_q.a, by_v.a});
  by_q.a += cross(body.p, by_q.alpha) + cross(body.p2, by_q.w);
  by_v.a += cross(body.p, by_v.alpha) + cross(body.p2, by_v.w);
  ws.in_run.store(c, {{s.w, s.v + cross(body.p, s.w)}, by_q, by_v});
}

/// S qd and S qdd of a joint.
template <class S>
struct JointRates {
  Motion<S> first, second;
};
template <class S, class Real, class V, class A>
RBD_INLINE JointRates<S> joint_rates(const BodyView<Real>& body, const JointColumns<S>& columns,
                                     const V& v, const A& a, bool shifts) {
  JointRates<S> rates{Motion<S>::zero(), Motion<S>::zero()};
  const int nv = nv_of(body.type);
  for (int k = 0; k < nv; ++k) {
    const Motion<S>& s = columns.s[k];
    const S qd = v(body.v_index + k), qdd = a(body.v_index + k);
    rates.first.w = mul_add(qd, s.w, rates.first.w);
    rates.second.w = mul_add(qdd, s.w, rates.second.w);
    if (shifts) {
      rates.first.v = mul_add(qd, s.v, rates.first.v);
      rates.second.v = mul_add(qdd, s.v, rates.second.v);
    }
  }
  return rates;
}

/// The outward pass: where the bodies are, how they move, and how each column changes that. After
/// compute_turns.
template <class S, class Real, template <class> class Array, class Q, class V, class A>
RBD_KERNEL void derivatives_outward(const ModelView<Real>& robot,
                                    const DerivativesWorkspace<S, Array>& memory, Q q, V v, A a,
                                    const Vec3<S>& gravity, VelocityTerms terms) {
  const ModelView<Real> model = robot;  // copies, as in rnea
  const DerivativesWorkspace<S, Array> ws = memory;
  const Vec3<S> o = Vec3<S>::zero();
  ws.body.store(model.body_count,
                {Mat3<S>::identity(), o, o, o, {o, -gravity}, Mat3<S>::zero(), o, o});
  for (std::int32_t i = 0; i < model.body_count; ++i) {
    const BodyView<Real>& body = model.body[i];
    const BodyMotion<S>& parent = ws.body.load(body.parent >= 0 ? body.parent : model.body_count);
    const bool shifts = body.type != JointType::revolute && body.type != JointType::spherical;
    BodyMotion<S> m;
    JointColumns<S> columns;
    columns.s[0] = Motion<S>::zero();  // no joint is without columns, which compilers cannot know
    place_body(body, ws, q, i, parent.E, m, columns);
    const JointRates<S> rates = joint_rates(body, columns, v, a, shifts);
    m.w = parent.w + rates.first.w;
    const Vec3<S> point = parent.a.v + parent.K * m.r;  // the parent's at the body's origin
    m.a = {parent.a.w + rates.second.w + cross(parent.w, rates.first.w), point};
    Vec3<S> u = cross(parent.w, m.r);
    if (shifts) {
      m.a.v += rates.second.v + cross(parent.w + m.w, rates.first.v);
      u += rates.first.v;
    }
    m.u2 = u + u;
    m.K = rotation_acceleration(m.w, m.a.w);
    m.p = parent.p + m.r;
    m.p2 = parent.p2 + m.u2;
    if (body.head == i) {
      ws.head.store(i, {m.p, m.p2});
      m.p = m.p2 = o;
    }
    const int nv = nv_of(body.type);
    for (int k = 0; k < nv; ++k) {
      visit_kind(column_kind(body.type, k), [&](auto only_turns) RBD_INLINE_LAMBDA {
        vary_column<decltype(only_turns)::value>(ws, body.column + k, columns.s[k], parent, m,
                                                 point, rates.first.v, shifts, terms);
      });
    }
    ws.body.store(i, m);
  }
}

/// Whether there are forces: NoForces, or one Force per body at its origin in its axes.
template <class F>
RBD_INLINE bool any_forces(const F& f_ext) {
  if constexpr (std::is_same_v<F, NoForces>) {
    return false;
  } else if constexpr (requires { f_ext.any; }) {
    return f_ext.any;
  } else {
    return true;
  }
}

/// Body i alone as a subtree, with the external force on it taken off the force that it takes.
template <class S, class Real, class F>
RBD_INLINE CompositeMotion<S> own_motion(const BodyView<Real>& body, const BodyMotion<S>& m,
                                         std::int32_t i, const F& f_ext) {
  const Inertia<S> I = rotate_back(m.E, broadcast<S>(body.inertia));
  Force<S> f{I.I * m.a.w + cross(I.h, m.a.v) + cross(m.w, I.I * m.w),
             mul_add(I.m, m.a.v, m.K * I.h)};
  if constexpr (!std::is_same_v<F, NoForces>) {
    if (any_forces(f_ext)) {
      const Force<S> push = f_ext.load(i);
      f -= {transpose_times(m.E, push.n), transpose_times(m.E, push.f)};
    }
  }
  return rigid_body_motion(I, m.w, f);
}

/// Inward over all bodies, parents after children: visit(i, C) with the composite of each subtree.
/// `carried` goes from body i + 1 to its parent i; what other children add is kept.
template <class S, class Real, template <class> class Array, class F, class Visit>
RBD_INLINE void for_each_composite(const ModelView<Real>& model,
                                   const DerivativesWorkspace<S, Array>& ws, const F& f_ext,
                                   const Visit& visit) {
  for (std::int32_t i = 0; i < model.body_count; ++i) {
    if (model.body[i].has_more_children) ws.C.store(i, CompositeMotion<S>::zero());
  }
  CompositeMotion<S> carried = CompositeMotion<S>::zero();
  for (std::int32_t i = model.body_count - 1; i >= 0; --i) {
    const BodyView<Real>& body = model.body[i];
    const BodyMotion<S>& m = ws.body.load(i);
    CompositeMotion<S> C = own_motion(body, m, i, f_ext);
    if (body.next_is_child) C = C + carried;
    if (body.has_more_children) C = C + ws.C.load(i);
    visit(i, C);
    carried = shift(C, m.r, m.u2);
    if (body.parent >= 0 && body.parent != i - 1) {
      ws.C.store(body.parent, ws.C.load(body.parent) + carried);
    }
  }
}

/// What one column brings to the matrices. Entry (row, l) of a matrix is D_l . G, entry (l, row) is
/// S_l . F, where D_l and S_l are the variation and the motion of column l <= row.
template <class S>
struct ColumnForces {
  VariationForce<S> G;
  Force<S> by_q, by_v;  ///< F of the two matrices; that of M is part of G

  /// From a point of reference to another one, from which the first is seen at r, with twice its
  /// rate r2.
  RBD_INLINE void shift_by(const Vec3<S>& r, const Vec3<S>& r2) {
    by_q.n += cross(r, by_q.f);
    by_v.n += cross(r, by_v.f);
    G.gamma += cross(r2, G.force.f);
    G.force.n += cross(r, G.force.f);
  }
};

/// Writes the entries of column `row` with the columns first <= l < last, which share a run, and
/// adds to `taint` what makes it NaN where an entry is not finite. entries(l, below, above): gives
/// entry (row, l) and entry (l, row).
template <class S, class Real, class Entries, class Matrix>
RBD_INLINE void store_pairs(const ModelView<Real>& model, std::int32_t row, std::int32_t first,
                            std::int32_t last, const Matrix& out, S& taint,
                            const Entries& entries) {
  const S zero(RealOf<S>(0));
  for (std::int32_t l = first; l < last; ++l) {
    S below, above;
    entries(l, below, above);
    taint = mul_add(zero, below, taint);
    taint = mul_add(zero, above, taint);
    if (!model.has_mimic) {
      out.store(row, l, below);
      out.store(l, row, above);
    } else {
      // Bodies that share a coordinate meet the same entry several times: then they add up.
      const std::int32_t column = model.column_dof[l];
      out.store(row, column, out.load(row, column) + below);
      out.store(column, row, out.load(column, row) + above);
    }
  }
}

/// Calls those for all wanted matrices.
template <class S, class Real, template <class> class Array, class Matrix>
RBD_INLINE void store_all_pairs(const ModelView<Real>& model,
                                const DerivativesWorkspace<S, Array>& ws,
                                const ColumnForces<S>& forces, std::int32_t row, std::int32_t first,
                                std::int32_t last, const DerivativeMatrices<Matrix>& out,
                                S& taint) {
  if (out.wants_q) {
    store_pairs(model, row, first, last, out.q, taint,
                [&](std::int32_t l, S& below, S& above) RBD_INLINE_LAMBDA {
                  const ColumnInRun<S>& c = ws.in_run.load(l);
                  below = dot(c.by_q, forces.G);
                  above = dot(c.s, forces.by_q);
                });
  }
  if (out.wants_v) {
    store_pairs(model, row, first, last, out.v, taint,
                [&](std::int32_t l, S& below, S& above) RBD_INLINE_LAMBDA {
                  const ColumnInRun<S>& c = ws.in_run.load(l);
                  below = dot(c.by_v, forces.G);
                  above = dot(c.s, forces.by_v);
                });
  }
  if (out.wants_M) {
    store_pairs(model, row, first, last, out.M, taint,
                [&](std::int32_t l, S& below, S& above) RBD_INLINE_LAMBDA {
                  below = above = dot(ws.in_run.load(l).s, forces.G.force);
                });
  }
}

/// Adds to the diagonal entry of a column, or writes it.
template <class S, class Real, class Matrix>
RBD_INLINE void store_diagonal(const ModelView<Real>& model, std::int32_t row, const S& x,
                               const Matrix& out, S& taint) {
  taint = mul_add(S(RealOf<S>(0)), x, taint);
  out.store(row, row, model.has_mimic ? out.load(row, row) + x : x);
}

/// Writes the entries of column k of body i with all columns before it, from the body's own joint
/// to the root. `forces`: about the body's origin. `beyond`: what the columns of other joints find
/// besides by_q, since they do not turn with this one.
template <class S, class Real, template <class> class Array, class Matrix>
RBD_INLINE void store_column(const ModelView<Real>& model, const DerivativesWorkspace<S, Array>& ws,
                             std::int32_t i, int k, ColumnForces<S> forces, const Force<S>& beyond,
                             const DerivativeMatrices<Matrix>& out, S& taint) {
  const BodyView<Real>& body = model.body[i];
  const std::int32_t row = body.v_index + k, own = body.column + k;
  const Vec3<S> p = ws.body.load(i).p;
  forces.shift_by(p, ws.body.load(i).p2);
  if (k > 0) store_all_pairs(model, ws, forces, row, body.column, own, out, taint);
  const ColumnInRun<S>& c = ws.in_run.load(own);
  if (out.wants_q) store_diagonal(model, row, dot(c.by_q, forces.G), out.q, taint);
  if (out.wants_v) store_diagonal(model, row, dot(c.by_v, forces.G), out.v, taint);
  if (out.wants_M) store_diagonal(model, row, dot(c.s, forces.G.force), out.M, taint);
  forces.by_q += {beyond.n + cross(p, beyond.f), beyond.f};
  std::int32_t last = body.column;
  for (std::int32_t j = i;;) {
    const std::int32_t head = model.body[j].head;
    store_all_pairs(model, ws, forces, row, model.body[head].column, last, out, taint);
    j = model.body[head].parent;
    if (j < 0) return;
    forces.shift_by(ws.head.load(head).r, ws.head.load(head).r2);
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
      const S x = dot(ws.column.load(body.column + l).s.w, gamma);
      dq.store(row, column, dq.load(row, column) + x);
    }
  }
}

/// Computes the columns of body i of all wanted matrices. C: the composite of its subtree.
template <class S, class Real, template <class> class Array, class Matrix>
RBD_INLINE void store_body(const ModelView<Real>& model, const DerivativesWorkspace<S, Array>& ws,
                           std::int32_t i, const CompositeMotion<S>& C, bool turning_wrenches,
                           const DerivativeMatrices<Matrix>& out, S& taint) {
  const BodyView<Real>& body = model.body[i];
  const int nv = nv_of(body.type);
  for (int k = 0; k < nv; ++k) {
    const std::int32_t at = body.column + k;
    const ColumnMotion<S>& column = ws.column.load(at);
    const ColumnInRun<S>& in_run = ws.in_run.load(at);
    const Motion<S> s = column.s;
    ColumnForces<S> forces;
    Force<S> beyond;
    visit_kind(column_kind(body.type, k), [&](auto only_turns) RBD_INLINE_LAMBDA {
      if constexpr (decltype(only_turns)::value) {
        forces.G = C.transpose_times(s.w);
        beyond = {cross(s.w, C.f.n), cross(s.w, C.f.f)};
      } else {
        forces.G = C.transpose_times(s);
        beyond = cross(s, C.f);
      }
    });
    forces.by_q = C * Variation<S>{in_run.by_q.w, in_run.by_q.alpha, column.by_q};
    forces.by_v = C * Variation<S>{in_run.by_v.w, in_run.by_v.alpha, column.by_v};
    if (turning_wrenches) forces.by_q += ws.wrench.load(i) * s.w;
    store_column(model, ws, i, k, forces, beyond, out, taint);
    if (turning_wrenches && out.wants_q) turn_wrenches(model, ws, i, k, s, out.q);
  }
}

/// The inward pass: composites, and the matrices. Returns NaN where an entry is not finite.
template <class S, class Real, template <class> class Array, class F, class Matrix>
RBD_INLINE S derivatives_inward(const ModelView<Real>& model,
                                const DerivativesWorkspace<S, Array>& ws, const F& f_ext,
                                bool turning_wrenches, const DerivativeMatrices<Matrix>& out) {
  S taint(RealOf<S>(0));
  for_each_composite(
      model, ws, f_ext, [&](std::int32_t i, const CompositeMotion<S>& C) RBD_INLINE_LAMBDA {
        store_body(model, ws, i, C, turning_wrenches, out, taint);
        const std::int32_t p = model.body[i].parent;
        if (!turning_wrenches || p < 0) return;
        ws.wrench.store(p, ws.wrench.load(p) + shift(ws.wrench.load(i), ws.body.load(i).r));
      });
  return taint;
}

/// Sets a matrix to zero where the pass inward does not write all of it, or adds to it.
template <class S, class Real, class Matrix>
RBD_INLINE void clear_for_pairs(const ModelView<Real>& model, const Matrix& out,
                                bool zeros_persist) {
  if (!model.has_mimic && (!model.has_branches || zeros_persist)) return;
  for (std::int32_t i = 0; i < model.nv; ++i) {
    for (std::int32_t j = 0; j < model.nv; ++j) out.store(i, j, S(RealOf<S>(0)));
  }
}

/// Partial derivatives of tau = rnea(q, v, a): d tau / d q in the tangent of `integrate` (the frame
/// of v), d tau / d v, and the mass matrix, which is d tau / d a. Coordinates of different branches
/// have exact zeros. q, v, a: readers of one state. f_ext: as for rnea; `wrenches` has what of them
/// keeps to the world's axes (NoWorldWrenches: all keep to the axes of their links). friction: adds
/// damping to the diagonal of d tau / d v; the sign of a velocity has no derivative and counts as
/// constant. gravity: m/s^2, world frame. Returns NaN where an entry is not finite, else zero.
template <class S, class Real, template <class> class Array, class Q, class V, class A, class F,
          class Wrenches, class Matrix>
RBD_KERNEL S rnea_derivatives(const ModelView<Real>& robot,
                              const DerivativesWorkspace<S, Array>& memory, Q q, V v, A a, F f_ext,
                              const Wrenches& wrenches, const Vec3<S>& gravity, bool friction,
                              const DerivativeMatrices<Matrix>& out) {
  const ModelView<Real> model = robot;  // copies, as in rnea
  const DerivativesWorkspace<S, Array> ws = memory;
  compute_turns(model, ws.turns, q);
  if (out.wants_q) clear_for_pairs<S>(model, out.q, out.zeros_persist);
  if (out.wants_v) clear_for_pairs<S>(model, out.v, out.zeros_persist);
  if (out.wants_M) clear_for_pairs<S>(model, out.M, out.zeros_persist);
  derivatives_outward(model, ws, q, v, a, gravity, out.terms);
  const bool turning = wrenches.place(model, ws);
  const S taint = derivatives_inward(model, ws, f_ext, turning, out);
  for (std::int32_t k = 0; k < model.nv; ++k) {
    if (out.wants_v && friction && out.terms == VelocityTerms::derivative) {
      out.v.store(k, k, out.v.load(k, k) + S(model.damping[k]));
    }
    if (out.wants_M) out.M.store(k, k, out.M.load(k, k) + S(model.armature[k]));
  }
  return taint;
}

}  // namespace rbd_parallel_core
