// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/access.hpp"

namespace rbd_parallel_core {

/// What CRBA keeps. The composite inertias and the forces they give rise to stay in body
/// coordinates; the products S_j . F_i of many bodies need common ones. These have the axes of the
/// world, and the origin of the first body of the run (BodyView::head): a product then costs six
/// multiplications, and no number grows with the distance to the root, as it would with one origin
/// for all.
template <class S, template <class> class Array>
struct CrbaWorkspace {
  JointTurns<S, Array> turns;
  Array<Mat3<S>> E;        ///< per body: world axes to body axes
  Array<Vec3<S>> p;        ///< per body: from the origin of its run to its own
  Array<Vec3<S>> to_head;  ///< per head of a run: from the origin of the parent's run to its own
  Array<Inertia<S>> Ic;    ///< per body: what children other than the next body add to its inertia
  Array<Motion<S>> axis;   ///< per column: its motion seen from the origin of its run
};

/// What the first bodies hang on: the world, whose axes are the common ones.
struct WorldAxes {
  static constexpr bool given = false;
};

/// What a piece of a tree hangs on: another body.
template <class S>
struct BaseAxes {
  static constexpr bool given = true;
  Mat3<S> E;  ///< world axes to those of the base
};

/// M(row, l) = S_l . F for the columns first <= l < last of one run.
template <class S, class Real, template <class> class Array, class Matrix>
RBD_INLINE void project_on_columns(const ModelView<Real>& model, const CrbaWorkspace<S, Array>& ws,
                                   const Force<S>& F, std::int32_t row, const S& multiplier,
                                   std::int32_t first, std::int32_t last, const Matrix& M) {
  if (!model.has_mimic) {
#pragma GCC unroll 4
    for (std::int32_t l = first; l < last; ++l) {
      M.store(row, l, dot(ws.axis.load(l), F));
    }
    return;
  }
  // Bodies that share a coordinate meet the same entry several times: then they add up.
  for (std::int32_t l = first; l < last; ++l) {
    const std::int32_t column = model.column_dof[l];
    const S x = multiplier * S(model.column_multiplier[l]) * dot(ws.axis.load(l), F);
    if (row == column) {
      M.store(row, row, M.load(row, row) + (x + x));
    } else {
      const std::int32_t i = row > column ? row : column, j = row > column ? column : row;
      M.store(i, j, M.load(i, j) + x);
    }
  }
}

/// The same for all six columns of a floating joint at the head of its run, where S is a rotation:
/// M(row, l) are the force and moment along the body's axes.
template <class S, class Matrix>
RBD_INLINE void project_on_floating(const Mat3<S>& E, const Force<S>& F, std::int32_t row,
                                    std::int32_t first, const Matrix& M) {
  const Vec3<S> f = E * F.f, n = E * F.n;
  const S entries[6] = {f.x, f.y, f.z, n.x, n.y, n.z};
  for (std::int32_t l = 0; l < 6; ++l) {
    M.store(row, first + l, entries[l]);
  }
}

/// M(row, l) = S_l . F for all columns l from the root to column `last` of body i, where F is the
/// force that accelerates what lies beyond along coordinate `row`, in the common coordinates of the
/// run of body i.
template <class S, class Real, template <class> class Array, class Matrix>
RBD_KERNEL void project_on_ancestors(ModelView<Real> model, CrbaWorkspace<S, Array> ws,
                                     std::int32_t i, std::int32_t last, std::int32_t row,
                                     const Force<S>& F_of_run, Matrix M) {
  Force<S> F = F_of_run;
  const S multiplier(model.body[i].multiplier);
  for (;;) {
    const BodyView<Real>& head = model.body[model.body[i].head];
    std::int32_t first = head.column;
    if (head.type == JointType::floating && last >= first + 6 && !model.has_mimic) {
      project_on_floating(ws.E.load(model.body[i].head), F, row, first, M);
      first += 6;
    }
    project_on_columns(model, ws, F, row, multiplier, first, last, M);
    if (head.parent < 0) return;
    F.n += cross(ws.to_head.load(model.body[i].head), F.f);
    i = head.parent;
    last = model.body[i].column + nv_of(model.body[i].type);
  }
}

/// Outward over the bodies begin <= i < end: their axes, the origins of their runs, and every
/// column seen from the origin of its run. After the sines and cosines, and after the parents.
/// `base`: WorldAxes or BaseAxes; with the latter a first run is seen from the origin of the base.
template <class S, class Real, template <class> class Array, class Q, class Base = WorldAxes>
RBD_KERNEL void crba_axes(const ModelView<Real>& robot, const CrbaWorkspace<S, Array>& memory, Q q,
                          std::int32_t begin, std::int32_t end, const Base& base = {}) {
  // Copies: a store of a pack may alias anything, and what lies behind a reference would be read
  // again after each.
  const ModelView<Real> model = robot;
  const CrbaWorkspace<S, Array> ws = memory;
  for (std::int32_t i = begin; i < end; ++i) {
    const BodyView<Real>& body = model.body[i];
    visit_body<S>(body, [&](const auto& joint, const auto& placement) RBD_INLINE_LAMBDA {
      const auto X = joint_transform(body, joint, placement, ws.turns, i, q);
      if (body.has_more_children) ws.Ic.store(i, Inertia<S>::zero());
      Mat3<S> E;
      Vec3<S> p = Vec3<S>::zero();
      const auto hang_on = [&](const Mat3<S>& E_p, const Vec3<S>& p_p) RBD_INLINE_LAMBDA {
        E = X.rotate_rows(E_p);
        p = p_p + X.origin_along(E_p, E);
        if (body.head == i) {
          ws.to_head.store(i, p);
          p = Vec3<S>::zero();
        }
      };
      if (body.parent >= 0) {
        hang_on(ws.E.load(body.parent), ws.p.load(body.parent));
      } else if constexpr (Base::given) {
        hang_on(base.E, Vec3<S>::zero());
      } else {
        E = X.rotation();
      }
      ws.E.store(i, E);
      ws.p.store(i, p);
      for_each_column(joint, [&](int k, const auto& column) RBD_INLINE_LAMBDA {
        ws.axis.store(body.column + k, column.seen_from(E, p));
      });
    });
  }
}

/// Inward over the bodies end > i >= begin: composite inertias, and for each column k of each body
/// i the force F = Ic S_k that accelerates the subtree along it. Calls on_diagonal(i, k, S_k . F),
/// then, unless no column comes before it, on_force(i, k, F in the common coordinates of the run).
/// `carried`: in, the composite inertia of body `end` as its parent sees it, if that is the one
/// before it; out, that of body `begin`. What body `begin` adds to a parent further before is left
/// to the caller. `base`: as in crba_axes. After that.
template <class S, class Real, template <class> class Array, class Q, class OnDiagonal,
          class OnForce, class Base = WorldAxes>
RBD_INLINE void crba_forces(const ModelView<Real>& model, const CrbaWorkspace<S, Array>& ws,
                            const Q& q, std::int32_t begin, std::int32_t end, Inertia<S>& carried,
                            const OnDiagonal& on_diagonal, const OnForce& on_force,
                            const Base& = {}) {
  // The composite inertia of body i + 1 is carried along to its parent i; other children's are
  // kept.
  for (std::int32_t i = end - 1; i >= begin; --i) {
    const BodyView<Real>& body = model.body[i];
    Inertia<S> Ic = broadcast<S>(body.inertia);
    if (body.next_is_child) Ic += carried;
    if (body.has_more_children) Ic += ws.Ic.load(i);
    visit_body<S>(body, [&](const auto& joint, const auto& placement) RBD_INLINE_LAMBDA {
      // First what the next body waits for, then what nothing waits for.
      if (Base::given || body.parent >= 0) {
        const auto X = joint_transform(body, joint, placement, ws.turns, i, q);
        carried = X.apply_inverse(Ic);
        if (body.parent != i - 1 && body.parent >= begin)
          ws.Ic.store(body.parent, ws.Ic.load(body.parent) + carried);
      }
      const Mat3<S>& E = ws.E.load(i);
      for_each_column(joint, [&](int k, const auto& column) RBD_INLINE_LAMBDA {
        on_diagonal(i, k, column.dot(column.times(Ic)));
        if (!Base::given && k == 0 && body.parent < 0) return;  // nothing before it
        Force<S> F = column.times_along(Ic, E);
        F.n += cross(ws.p.load(i), F.f);
        on_force(i, k, F);
      });
    });
  }
}

/// Composite-rigid-body algorithm (Featherstone, table 6.2): the mass matrix, with the armature on
/// its diagonal. q: reader of one state; M: OutSymmetric, OutLower or OutSparse.
template <class S, class Real, template <class> class Array, class Q, class Matrix>
RBD_KERNEL void crba(const ModelView<Real>& robot, const CrbaWorkspace<S, Array>& memory, Q q,
                     Matrix M) {
  const ModelView<Real> model = robot;  // copies, as in crba_axes
  const CrbaWorkspace<S, Array> ws = memory;
  compute_turns(model, ws.turns, q);
  // What is not written below is zero; what mimic joints share is added to.
  if (model.has_mimic || (model.has_branches && !Matrix::zeros_persist)) M.clear();
  for (std::int32_t k = 0; k < model.nv; ++k) M.store(k, k, S(model.armature[k]));
  crba_axes(model, ws, q, 0, model.body_count);
  Inertia<S> carried = Inertia<S>::zero();
  crba_forces(
      model, ws, q, 0, model.body_count, carried,
      [&](std::int32_t i, int k, const S& product) RBD_INLINE_LAMBDA {
        const BodyView<Real>& body = model.body[i];
        const std::int32_t row = body.v_index + k;
        const S square = S(body.multiplier) * S(body.multiplier);
        M.store(row, row, mul_add(square, product, M.load(row, row)));
      },
      [&](std::int32_t i, int k, const Force<S>& F) RBD_INLINE_LAMBDA {
        const BodyView<Real>& body = model.body[i];
        project_on_ancestors(model, ws, i, body.column + k, body.v_index + k, F, M);
      });
}

}  // namespace rbd_parallel_core
