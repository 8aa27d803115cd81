// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/access.hpp"

namespace rbd_parallel_core {

/// What CRBA keeps of each body. Axes are those of the world, origins those of the bodies: moving a force
/// to the parent is then one cross product, and no number grows with the distance to the root.
template <class S, template <class> class Array>
struct CrbaWorkspace {
  Array<Mat3<S>> E;      ///< world axes to body axes
  Array<Vec3<S>> d;      ///< from the parent's origin to the own
  Array<Inertia<S>> Ic;  ///< composite inertia of the subtree, about the own origin
};

/// Adds x to an entry of M and to its mirror image. Adding, because two bodies that share a coordinate through
/// mimic joints meet the same entry several times.
template <class S, class Matrix>
RBD_INLINE void add_symmetric(const Matrix& M, std::int32_t row, std::int32_t column, const S& x) {
  M.store(row, column, M.load(row, column) + x);
  M.store(column, row, M.load(column, row) + x);
}

/// Carries the force F, which accelerates the subtree of body i along coordinate `row`, from body to body down
/// to the root: M(row, l) = S_l . F for the coordinates l on the way.
template <class S, class Real, template <class> class Array, class Matrix>
RBD_HD inline void project_on_ancestors(const ModelView<Real>& model,
                                        const CrbaWorkspace<S, Array>& ws, std::int32_t i,
                                        std::int32_t row, Force<S> F, const Matrix& M) {
  for (std::int32_t j = i; model.body[j].parent >= 0;) {
    F.n += cross(ws.d.load(j), F.f);
    j = model.body[j].parent;
    const BodyView<Real>& body = model.body[j];
    const Mat3<S>& E = ws.E.load(j);
    visit_joint(body.type, S(body.pitch), [&](const auto& joint) {
      for_each_column(joint, [&](int l, const auto& column) {
        const S x = S(body.multiplier) * column.dot_in_world_axes(F, E);
        add_symmetric(M, row, body.v_index + l, x);
      });
    });
  }
}

/// Composite-rigid-body algorithm (Featherstone, table 6.2): the mass matrix, full and symmetric, with the
/// armature on its diagonal. q: reader of one state; M: writer of nv x nv numbers.
template <class S, class Real, template <class> class Array, class Q, class Matrix>
RBD_HD inline void crba(const ModelView<Real>& model, const CrbaWorkspace<S, Array>& ws, const Q& q,
                        const Matrix& M) {
  for (std::int32_t i = 0; i < model.nv; ++i) {
    for (std::int32_t j = 0; j < model.nv; ++j) M.store(i, j, S(Real(0)));
    M.store(i, i, S(model.armature[i]));
  }

  for (std::int32_t i = 0; i < model.body_count; ++i) {
    const BodyView<Real>& body = model.body[i];
    const std::int32_t p = body.parent;
    visit_joint(body.type, S(body.pitch), [&](const auto& joint) {
      const Transform<S> X = joint_transform<S>(body, joint, q);
      const Mat3<S> E = p < 0 ? X.E : X.E * ws.E.load(p);
      ws.E.store(i, E);
      ws.d.store(i, p < 0 ? X.r : transpose_times(ws.E.load(p), X.r));
      ws.Ic.store(i, rotate_back(E, broadcast<S>(body.inertia)));
    });
  }

  for (std::int32_t i = model.body_count - 1; i >= 0; --i) {
    const BodyView<Real>& body = model.body[i];
    const Inertia<S> Ic = ws.Ic.load(i);
    const Mat3<S> E = ws.E.load(i);
    if (body.parent >= 0) {
      ws.Ic.store(body.parent, ws.Ic.load(body.parent) + shift(Ic, ws.d.load(i)));
    }
    visit_joint(body.type, S(body.pitch), [&](const auto& joint) {
      for_each_column(joint, [&](int k, const auto& column) {
        const std::int32_t row = body.v_index + k;
        const Force<S> F = S(body.multiplier) * column.times_in_world_axes(Ic, E);
        const S x = S(body.multiplier) * column.dot_in_world_axes(F, E);
        M.store(row, row, M.load(row, row) + x);
        for_each_column(joint, [&](int l, const auto& other) {
          if (l < k) add_symmetric(M, row, body.v_index + l, other.dot_in_world_axes(F, E));
        });
        project_on_ancestors(model, ws, i, row, F, M);
      });
    });
  }
}

}  // namespace rbd_parallel_core
