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

/// A column of a joint, seen from the origin of its run (BodyView::head), which many columns share:
/// what is multiplied with columns of other bodies.
template <class S>
struct ColumnInRun {
  Motion<S> s;
  Variation<S> by_q, by_v;  ///< what q and v change
};

/// What the same column is to the origin of its body, of which most joints keep the place.
template <class S>
struct ShiftOfOrigin {
  Vec3<S> s;     ///< linear part of its motion
  Vec3<S> by_v;  ///< Variation::a
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
  Array<ColumnInRun<S>> in_run;      ///< per column
  Array<Vec3<S>> by_q;               ///< per column: Variation::a seen from the body's origin
  Array<ShiftOfOrigin<S>> of_shift;  ///< per column of a joint that shifts
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

/// Whether a joint shifts the origin of its body.
RBD_INLINE constexpr bool shifts_origin(JointType type) {
  return type != JointType::revolute && type != JointType::spherical;
}

/// Calls visit(shifts) with that as a type: most joints only turn, and what is zero then is left
/// out.
template <class Visit>
RBD_INLINE void visit_kind(JointType type, const Visit& visit) {
  if (shifts_origin(type)) {
    visit(std::true_type{});
  } else {
    visit(std::false_type{});
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
/// which counts if the joint shifts.
template <bool shifts, class S, template <class> class Array>
RBD_INLINE void vary_column(const DerivativesWorkspace<S, Array>& ws, std::int32_t c,
                            const Motion<S>& s, const BodyMotion<S>& parent,
                            const BodyMotion<S>& body, const Vec3<S>& A, const Vec3<S>& v_J,
                            VelocityTerms terms) {
  const bool coriolis = terms == VelocityTerms::coriolis;
  const Vec3<S> w_sum = parent.w + body.w;
  Variation<S> by_q{cross(parent.w, s.w), parent.K * s.w, cross(A, s.w)};
  Variation<S> by_v{s.w, cross(w_sum, s.w), Vec3<S>::zero()};
  if (coriolis) by_v = {S(RealOf<S>(0.5)) * s.w, cross(body.w, s.w), Vec3<S>::zero()};
  // What the point of reference of the run sees of a turn about the origin of the body.
  const auto seen = [&](const Variation<S>& d)
                        RBD_INLINE_LAMBDA { return cross(body.p, d.alpha) + cross(body.p2, d.w); };
  const Vec3<S> s_seen = cross(body.p, s.w), by_v_seen = seen(by_v);
  if constexpr (shifts) {
    const Vec3<S> turned = cross(by_q.w, v_J);
    by_q.a += parent.K * s.v + (turned + turned);
    by_v.a = coriolis ? cross(body.w, s.v) : cross(w_sum, s.v) + cross(s.w, v_J);
    ws.of_shift.store(c, {s.v, by_v.a});
  }
  ws.by_q.store(c, by_q.a);
  by_q.a += seen(by_q);
  if constexpr (shifts) {
    by_v.a += by_v_seen;
    ws.in_run.store(c, {{s.w, s.v + s_seen}, by_q, by_v});
  } else {
    by_v.a = by_v_seen;
    ws.in_run.store(c, {{s.w, s_seen}, by_q, by_v});
  }
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
    const bool shifts = shifts_origin(body.type);
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
    visit_kind(body.type, [&](auto joint_shifts) RBD_INLINE_LAMBDA {
      for (int k = 0; k < nv; ++k) {
        vary_column<decltype(joint_shifts)::value>(ws, body.column + k, columns.s[k], parent, m,
                                                   point, rates.first.v, terms);
      }
    });
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
/// adds them to `sum`. entries(l, below, above): gives entry (row, l) and entry (l, row).
template <class S, class Real, class Entries, class Matrix>
RBD_INLINE void store_pairs(const ModelView<Real>& model, std::int32_t row, std::int32_t first,
                            std::int32_t last, const Matrix& out, S& sum, const Entries& entries) {
  for (std::int32_t l = first; l < last; ++l) {
    S below, above;
    entries(l, below, above);
    sum = sum + (below + above);
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
                                std::int32_t last, const DerivativeMatrices<Matrix>& out, S& sum) {
  if (out.wants_q) {
    store_pairs(model, row, first, last, out.q, sum,
                [&](std::int32_t l, S& below, S& above) RBD_INLINE_LAMBDA {
                  const ColumnInRun<S>& c = ws.in_run.load(l);
                  below = dot(c.by_q, forces.G);
                  above = dot(c.s, forces.by_q);
                });
  }
  if (out.wants_v) {
    store_pairs(model, row, first, last, out.v, sum,
                [&](std::int32_t l, S& below, S& above) RBD_INLINE_LAMBDA {
                  const ColumnInRun<S>& c = ws.in_run.load(l);
                  below = dot(c.by_v, forces.G);
                  above = dot(c.s, forces.by_v);
                });
  }
  if (out.wants_M) {
    store_pairs(model, row, first, last, out.M, sum,
                [&](std::int32_t l, S& below, S& above) RBD_INLINE_LAMBDA {
                  below = above = dot(ws.in_run.load(l).s, forces.G.force);
                });
  }
}

/// Adds to the diagonal entry of a column, or writes it.
template <class S, class Real, class Matrix>
RBD_INLINE void store_diagonal(const ModelView<Real>& model, std::int32_t row, const S& x,
                               const Matrix& out, S& sum) {
  sum = sum + x;
  out.store(row, row, model.has_mimic ? out.load(row, row) + x : x);
}

/// Writes the entries of column k of body i with all columns before it, from the body's own joint
/// to the root. `forces`: about the body's origin. `beyond`: what the columns of other joints find
/// besides by_q, since they do not turn with this one.
template <class S, class Real, template <class> class Array, class Matrix>
RBD_INLINE void store_column(const ModelView<Real>& model, const DerivativesWorkspace<S, Array>& ws,
                             std::int32_t i, int k, ColumnForces<S> forces, const Force<S>& beyond,
                             const DerivativeMatrices<Matrix>& out, S& sum) {
  const BodyView<Real>& body = model.body[i];
  const std::int32_t row = body.v_index + k, own = body.column + k;
  const Vec3<S> p = ws.body.load(i).p;
  forces.shift_by(p, ws.body.load(i).p2);
  if (k > 0) store_all_pairs(model, ws, forces, row, body.column, own, out, sum);
  const ColumnInRun<S>& c = ws.in_run.load(own);
  if (out.wants_q) store_diagonal(model, row, dot(c.by_q, forces.G), out.q, sum);
  if (out.wants_v) store_diagonal(model, row, dot(c.by_v, forces.G), out.v, sum);
  if (out.wants_M) store_diagonal(model, row, dot(c.s, forces.G.force), out.M, sum);
  forces.by_q += {beyond.n + cross(p, beyond.f), beyond.f};
  std::int32_t last = body.column;
  for (std::int32_t j = i;;) {
    const std::int32_t head = model.body[j].head;
    store_all_pairs(model, ws, forces, row, model.body[head].column, last, out, sum);
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
      const S x = dot(ws.in_run.load(body.column + l).s.w, gamma);
      dq.store(row, column, dq.load(row, column) + x);
    }
  }
}

/// Column k of a body, seen from its origin.
template <class S, class Real, template <class> class Array>
RBD_INLINE Motion<S> column_at_origin(const DerivativesWorkspace<S, Array>& ws,
                                      const BodyView<Real>& body, int k) {
  const std::int32_t at = body.column + k;
  const bool shifts = shifts_origin(body.type);
  return {ws.in_run.load(at).s.w, shifts ? ws.of_shift.load(at).s : Vec3<S>::zero()};
}

/// Computes the columns of body i of all wanted matrices. C: the composite of its subtree.
template <class S, class Real, template <class> class Array, class Matrix>
RBD_INLINE void store_body(const ModelView<Real>& model, const DerivativesWorkspace<S, Array>& ws,
                           std::int32_t i, const CompositeMotion<S>& C, bool turning_wrenches,
                           const DerivativeMatrices<Matrix>& out, S& sum) {
  const BodyView<Real>& body = model.body[i];
  const int nv = nv_of(body.type);
  for (int k = 0; k < nv; ++k) {
    const std::int32_t at = body.column + k;
    const ColumnInRun<S>& c = ws.in_run.load(at);
    Motion<S> s{c.s.w, Vec3<S>::zero()};
    ColumnForces<S> forces;
    Force<S> beyond;
    visit_kind(body.type, [&](auto shifts) RBD_INLINE_LAMBDA {
      if constexpr (decltype(shifts)::value) {
        const ShiftOfOrigin<S>& of_shift = ws.of_shift.load(at);
        s.v = of_shift.s;
        forces.G = C.transpose_times(s);
        forces.by_v = C * Variation<S>{c.by_v.w, c.by_v.alpha, of_shift.by_v};
        beyond = cross(s, C.f);
      } else {
        forces.G = C.transpose_times(s.w);
        forces.by_v = C.times_turn(c.by_v.w, c.by_v.alpha);
        beyond = {cross(s.w, C.f.n), cross(s.w, C.f.f)};
      }
    });
    forces.by_q = C * Variation<S>{c.by_q.w, c.by_q.alpha, ws.by_q.load(at)};
    if (turning_wrenches) forces.by_q += ws.wrench.load(i) * s.w;
    store_column(model, ws, i, k, forces, beyond, out, sum);
    if (turning_wrenches && out.wants_q) turn_wrenches(model, ws, i, k, s, out.q);
  }
}

/// The inward pass: composites, and the matrices. Returns the sum of all entries.
template <class S, class Real, template <class> class Array, class F, class Matrix>
RBD_INLINE S derivatives_inward(const ModelView<Real>& model,
                                const DerivativesWorkspace<S, Array>& ws, const F& f_ext,
                                bool turning_wrenches, const DerivativeMatrices<Matrix>& out) {
  S sum(RealOf<S>(0));
  for_each_composite(
      model, ws, f_ext, [&](std::int32_t i, const CompositeMotion<S>& C) RBD_INLINE_LAMBDA {
        store_body(model, ws, i, C, turning_wrenches, out, sum);
        const std::int32_t p = model.body[i].parent;
        if (!turning_wrenches || p < 0) return;
        ws.wrench.store(p, ws.wrench.load(p) + shift(ws.wrench.load(i), ws.body.load(i).r));
      });
  return sum;
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

/// What rnea_derivatives does after derivatives_outward, with its arguments and its result.
template <class S, class Real, template <class> class Array, class F, class Wrenches, class Matrix>
RBD_KERNEL S derivative_matrices(const ModelView<Real>& robot,
                                 const DerivativesWorkspace<S, Array>& memory, const F& f_ext,
                                 const Wrenches& wrenches, bool friction,
                                 const DerivativeMatrices<Matrix>& out) {
  const ModelView<Real> model = robot;  // copies, as in rnea
  const DerivativesWorkspace<S, Array> ws = memory;
  if (out.wants_q) clear_for_pairs<S>(model, out.q, out.zeros_persist);
  if (out.wants_v) clear_for_pairs<S>(model, out.v, out.zeros_persist);
  if (out.wants_M) clear_for_pairs<S>(model, out.M, out.zeros_persist);
  const bool turning = wrenches.place(model, ws);
  const S sum = derivatives_inward(model, ws, f_ext, turning, out);
  for (std::int32_t k = 0; k < model.nv; ++k) {
    if (out.wants_v && friction && out.terms == VelocityTerms::derivative) {
      out.v.store(k, k, out.v.load(k, k) + S(model.damping[k]));
    }
    if (out.wants_M) out.M.store(k, k, out.M.load(k, k) + S(model.armature[k]));
  }
  return S(RealOf<S>(0)) * sum;
}

/// Partial derivatives of tau = rnea(q, v, a): d tau / d q in the tangent of `integrate` (the frame
/// of v), d tau / d v, and the mass matrix, which is d tau / d a. Coordinates of different branches
/// have exact zeros. q, v, a: readers of one state. f_ext: as for rnea; `wrenches` has what of them
/// keeps to the world's axes (NoWorldWrenches: all keep to the axes of their links). friction: adds
/// damping to the diagonal of d tau / d v; the sign of a velocity has no derivative and counts as
/// constant. gravity: m/s^2, world frame. Returns zero times the sum of all entries: NaN where one
/// of them is not finite, or where they are so large that their sum is not.
template <class S, class Real, template <class> class Array, class Q, class V, class A, class F,
          class Wrenches, class Matrix>
RBD_INLINE S rnea_derivatives(const ModelView<Real>& model,
                              const DerivativesWorkspace<S, Array>& ws, Q q, V v, A a, F f_ext,
                              const Wrenches& wrenches, const Vec3<S>& gravity, bool friction,
                              const DerivativeMatrices<Matrix>& out) {
  compute_turns(model, ws.turns, q);
  derivatives_outward(model, ws, q, v, a, gravity, out.terms);
  return derivative_matrices(model, ws, f_ext, wrenches, friction, out);
}

}  // namespace rbd_parallel_core
