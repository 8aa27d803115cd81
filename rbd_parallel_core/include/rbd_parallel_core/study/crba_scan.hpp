// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/study/root_coordinates.hpp"

/// CRBA without a recursion: composite inertias by a tree scan, the entries of M each by itself
/// (T. Lynghus, "Data Parallel Rigid Body Dynamics"; docs/vtree.md).
namespace rbd_parallel_core {

/// What the scan form of CRBA keeps.
template <class S, template <class> class Array>
struct CrbaScanWorkspace {
  RootCoordinates<S, Array> place;
  Array<Force<S>> F;   ///< per column: F0 = Ic S0, the force that moves the subtree along it
  TourMemory<S> tour;  ///< for a Transform at each step
};

/// Ic = ileaffix(+) of X0^T I X0, ten numbers a body, and F0 = Ic S0 for every column.
template <class S, Executor Exec, class Real, template <class> class Array>
RBD_DRIVER void composite_forces(const Exec& executor, const ScanRobot<Real>& robot,
                                 const CrbaScanWorkspace<S, Array>& ws) {
  const Sum<Inertia<S>> sum;
  ileaffix(
      executor, robot.tree, sum, ws.tour.template steps<Inertia<S>>(executor, sum),
      [=] RBD_LAMBDA(std::int32_t i) {
        return apply_inverse(ws.place.X0.load(i), broadcast<S>(robot.model.body[i].inertia));
      },
      [=] RBD_LAMBDA(std::int32_t i, const Inertia<S>& Ic) {
        const BodyView<Real>& body = robot.model.body[i];
        for (std::int32_t l = body.column; l < body.column + nv_of(body.type); ++l) {
          ws.F.store(l, Ic * ws.place.axis.load(l));
        }
      });
}

/// Zeros where no entry will be written. Row by row and before all entries: with an entry's mirror
/// image each zero would cost a line of the cache.
template <class S, Executor Exec, class Real, class Matrix>
RBD_DRIVER void clear_rows(const Exec& executor, const ModelView<Real>& model, const Matrix& M) {
  const OutMatrix<S>& one_by_one = M;
  executor.map(
      model.nv,
      [=] RBD_LAMBDA(std::int32_t k) {
        for (std::int32_t l = 0; l < model.nv; ++l) one_by_one.store(k, l, S(Real(0)));
      },
      1 + model.nv / 64);
}

/// Row k of the lower triangle, where every column is a coordinate: M(k, l) = S0_l . F0_k for k and
/// all columns before it on the way to the root, six multiplications each.
template <class S, class Real, template <class> class Array, class Matrix>
RBD_INLINE void fill_row(const ScanRobot<Real>& robot, const CrbaScanWorkspace<S, Array>& ws,
                         std::int32_t k, const Matrix& M) {
  const ModelView<Real>& model = robot.model;
  const Force<S> F = ws.F.load(k);
  M.store(k, k, S(model.armature[k]) + dot(ws.place.axis.load(k), F));
  std::int32_t i = robot.owners.body[k], last = k;
  for (;;) {  // the columns of a run of bodies stand side by side
    const BodyView<Real>& head = model.body[model.body[i].head];
    for (std::int32_t l = head.column; l < last; ++l) {
      M.store(k, l, dot(ws.place.axis.load(l), F));
    }
    if (head.parent < 0) return;
    i = head.parent;
    last = model.body[i].column + nv_of(model.body[i].type);
  }
}

/// The entry of two columns in the mass matrix of the joints, zero unless one body supports the
/// other, which the vtree tells by two comparisons.
template <class S, class Real, template <class> class Array>
RBD_INLINE S column_entry(const ScanRobot<Real>& robot, const CrbaScanWorkspace<S, Array>& ws,
                          std::int32_t k, std::int32_t l) {
  const std::int32_t i = robot.owners.body[k], j = robot.owners.body[l];
  if (robot.tree.is_ancestor_or_self(j, i)) return dot(ws.place.axis.load(l), ws.F.load(k));
  if (robot.tree.is_ancestor_or_self(i, j)) return dot(ws.place.axis.load(k), ws.F.load(l));
  return S(Real(0));
}

/// Row k of the lower triangle, where several columns may share a coordinate: every entry is the
/// sum over all pairs of columns of its two coordinates, so that no two rows write to one place.
template <class S, class Real, template <class> class Array, class Matrix>
RBD_INLINE void fill_shared_row(const ScanRobot<Real>& robot, const CrbaScanWorkspace<S, Array>& ws,
                                std::int32_t k, const Matrix& M) {
  const ModelView<Real>& model = robot.model;
  const ColumnOwners& owners = robot.owners;
  for (std::int32_t l = 0; l <= k; ++l) {
    S entry(k == l ? model.armature[k] : Real(0));
    for (std::int32_t m = owners.first[k]; m < owners.first[k + 1]; ++m) {
      for (std::int32_t n = owners.first[l]; n < owners.first[l + 1]; ++n) {
        const std::int32_t of_k = owners.column[m], of_l = owners.column[n];
        const S multipliers(model.column_multiplier[of_k] * model.column_multiplier[of_l]);
        entry = mul_add(multipliers, column_entry(robot, ws, of_k, of_l), entry);
      }
    }
    M.store(k, l, entry);
  }
}

/// The same numbers as crba() but for rounding, which grows with the distance of a body from the
/// root and with the number of bodies (docs/vtree.md). q and M as there.
template <class S, Executor Exec, class Real, template <class> class Array, class Q, class Matrix>
RBD_DRIVER void crba_scan(const Exec& executor, const ScanRobot<Real>& robot,
                          const CrbaScanWorkspace<S, Array>& ws, const Q& q, const Matrix& M) {
  place_bodies<S>(executor, robot, ws.place, ws.tour, q);
  composite_forces(executor, robot, ws);
  if (robot.model.has_branches && !robot.model.has_mimic && !Matrix::zeros_persist) {
    clear_rows<S>(executor, robot.model, M);
  }
  const int work_of_a_row = 1 + robot.model.nv / 8;
  executor.map(
      robot.model.nv,
      [=] RBD_LAMBDA(std::int32_t k) {
        if (robot.model.has_mimic) {
          fill_shared_row(robot, ws, k, M);
        } else {
          fill_row(robot, ws, k, M);
        }
      },
      work_of_a_row);
}

}  // namespace rbd_parallel_core
