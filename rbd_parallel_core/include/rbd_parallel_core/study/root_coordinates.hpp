// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/access.hpp"
#include "rbd_parallel_core/vtree/tree_scan.hpp"

/// The bodies of a robot in root coordinates: the frame of the world for all of them. There the
/// recursions of RNEA and CRBA are plain sums along paths, which tree scans compute
/// (docs/vtree.md).
namespace rbd_parallel_core {

/// Which columns of the joints belong to each coordinate of v (several, where joints mimic), and to
/// which body. Kept by the owner of the ModelView.
struct ColumnOwners {
  const std::int32_t* first;   ///< nv + 1: columns first[k], ..., first[k + 1] - 1 of `column`
  const std::int32_t* column;  ///< column_count, sorted by coordinate
  const std::int32_t* body;    ///< column_count: body of a column
};

/// A robot as the scan forms read it.
template <class Real>
struct ScanRobot {
  ModelView<Real> model;
  VTreeView tree;  ///< of the bodies; those on the world hang on its virtual root
  ColumnOwners owners;
};

/// What the scan forms keep of the placement of bodies.
template <class S, template <class> class Array>
struct RootCoordinates {
  Array<Transform<S>> X0;  ///< per body: iX_0, from root coordinates to the body's
  Array<Motion<S>> axis;   ///< per column: S0 = X0^-1 S, in root coordinates
};

/// Transforms multiplied along a path, the root's first: combine(X_p, X_i) = X_i X_p.
template <class S>
struct PathProduct {
  RBD_INLINE Transform<S> neutral() const { return Transform<S>::identity(); }
  RBD_INLINE Transform<S> combine(const Transform<S>& before, const Transform<S>& next) const {
    return next * before;
  }
  RBD_INLINE Transform<S> inverse(const Transform<S>& X) const {
    return rbd_parallel_core::inverse(X);
  }
};

/// iX_parent of one body in the state q. A function of its own, as the one below: inlined into the
/// maps of every executor, the many forms of joints and placements would be compiled as often.
template <class S, class Real, class Q>
RBD_KERNEL Transform<S> body_transform(const BodyView<Real>& body, const Q& q) {
  Transform<S> X;
  visit_body<S>(body, [&](const auto& joint, const auto& placement) RBD_INLINE_LAMBDA {
    const JointCoordinates<Real, Q> coordinates{body, q};
    S sine, cosine;
    ScalarTraits<S>::sincos(joint.angle(coordinates), sine, cosine);
    const auto motion = joint.motion(ZTurn<S>{cosine, sine}, coordinates);
    const StagedTransform<std::remove_cvref_t<decltype(motion)>,
                          std::remove_cvref_t<decltype(placement)>>
        staged{motion, placement};
    X = {staged.rotation(), staged.origin()};
  });
  return X;
}

/// Keeps iX_0 of body i and the columns of its joint that follow from it.
template <class S, class Real, template <class> class Array>
RBD_KERNEL void store_place(const BodyView<Real>& body, const RootCoordinates<S, Array>& place,
                            std::int32_t i, const Transform<S>& X0) {
  place.X0.store(i, X0);
  visit_joint<S>(body, [&](const auto& joint) RBD_INLINE_LAMBDA {
    for_each_column(joint, [&](int k, const auto& column) RBD_INLINE_LAMBDA {
      place.axis.store(body.column + k, column.seen_from(X0.E, X0.r));
    });
  });
}

/// X0 = irootfix of iX_parent: the one scan that is more than a sum.
template <class S, Executor Exec, class Real, template <class> class Array, class Q>
RBD_DRIVER void place_bodies(const Exec& executor, const ScanRobot<Real>& robot,
                             const RootCoordinates<S, Array>& place, const TourMemory<S>& tour,
                             const Q& q) {
  const PathProduct<S> product;
  irootfix(
      executor, robot.tree, product, tour.template steps<Transform<S>>(executor, product),
      [=] RBD_LAMBDA(std::int32_t i) { return body_transform<S>(robot.model.body[i], q); },
      [=] RBD_LAMBDA(std::int32_t i, const Transform<S>& X0) {
        store_place(robot.model.body[i], place, i, X0);
      });
}

}  // namespace rbd_parallel_core
