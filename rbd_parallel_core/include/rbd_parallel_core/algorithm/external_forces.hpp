// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/kinematics.hpp"

namespace rbd_parallel_core {

template <class Real, class Forces>
RBD_INLINE void clear_external_forces(const ModelView<Real>& model, const Forces& f_ext) {
  using Zero = std::remove_cvref_t<decltype(f_ext.load(0))>;
  for (std::int32_t i = 0; i < model.body_count; ++i) f_ext.store(i, Zero::zero());
}

/// Adds a wrench on a link to the forces on the bodies, each at its body's origin and in its axes,
/// as rnea and aba take them. The wrench acts at the origin of its link, along the link's axes or
/// (in_world_axes) the world's; only the latter need forward_kinematics before. wrench: reader of
/// six numbers, force before torque.
template <class S, class Real, template <class> class Array, class Reader, class Forces>
RBD_KERNEL void add_external_force(const ModelView<Real>& model,
                                   const KinematicsWorkspace<S, Array>& ws, std::int32_t link_index,
                                   const Reader& wrench, bool in_world_axes, const Forces& f_ext) {
  const LinkView<Real>& link = model.link[link_index];
  if (link.body < 0) return;  // the world does not move
  Transform<S> X = broadcast<S>(link.offset);
  Force<S> force{{wrench(3), wrench(4), wrench(5)}, {wrench(0), wrench(1), wrench(2)}};
  if (in_world_axes) {
    const Mat3<S>& E = ws.X0.load(link.body).E;
    force = {E * force.n, E * force.f};
    X.E = Mat3<S>::identity();
  }
  f_ext.store(link.body, f_ext.load(link.body) + X.apply_inverse(force));
}

}  // namespace rbd_parallel_core
