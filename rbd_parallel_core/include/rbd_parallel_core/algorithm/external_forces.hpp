// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/kinematics.hpp"

namespace rbd_parallel_core {

/// Reads the k-th wrench on links as a force: six numbers, force before torque.
template <class S, class Reader>
RBD_INLINE Force<S> read_wrench(const Reader& wrenches, std::int32_t k) {
  const std::int32_t at = 6 * k;
  return {{wrenches(at + 3), wrenches(at + 4), wrenches(at + 5)},
          {wrenches(at), wrenches(at + 1), wrenches(at + 2)}};
}

/// Sums wrenches on links into one force per body, at the body's origin and in its axes, as rnea
/// and aba take them. A wrench acts at the origin of its link, along the link's axes or
/// (in_world_axes) the world's; only the latter need forward_kinematics before. links: `count` link
/// indices; wrenches: reader of count x 6 numbers.
template <class S, class Real, template <class> class Array, class Reader, class Forces>
RBD_KERNEL void gather_external_forces(const ModelView<Real>& model,
                                       const KinematicsWorkspace<S, Array>& ws, const int* links,
                                       std::int32_t count, const Reader& wrenches,
                                       bool in_world_axes, const Forces& f_ext) {
  for (std::int32_t i = 0; i < model.body_count; ++i) f_ext.store(i, Force<S>::zero());
  for (std::int32_t k = 0; k < count; ++k) {
    const LinkView<Real>& link = model.link[links[k]];
    if (link.body < 0) continue;  // the world does not move
    Transform<S> X = broadcast<S>(link.offset);
    Force<S> wrench = read_wrench<S>(wrenches, k);
    if (in_world_axes) {
      const Mat3<S>& E = ws.X0.load(link.body).E;
      wrench = {E * wrench.n, E * wrench.f};
      X.E = Mat3<S>::identity();
    }
    f_ext.store(link.body, f_ext.load(link.body) + X.apply_inverse(wrench));
  }
}

}  // namespace rbd_parallel_core
