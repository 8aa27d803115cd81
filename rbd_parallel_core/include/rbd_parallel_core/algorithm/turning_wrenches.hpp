// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/rnea_derivatives.hpp"
#include "rbd_parallel_core/algorithm/rnea_vjp.hpp"

/// What one wrench that keeps to the axes of the world brings to the derivatives. Wrenches: a force
/// f and a moment n at the origin of a link that a body carries.
namespace rbd_parallel_core {

/// About the origin of its body. E: world axes to the body's.
template <class S, class Real>
RBD_INLINE WorldWrench<S> world_wrench(const Mat3<S>& E, const LinkView<Real>& link,
                                       const Vec3<S>& f, const Vec3<S>& n) {
  const Vec3<S> p = transpose_times(E, broadcast<S>(link.offset.r));
  return {f, outer_add(f, p, skew(n))};
}

/// Adds it to the WorldWrench of its body, for rnea_derivatives.
template <class S, class Real, template <class> class Array>
RBD_INLINE void place_wrench(const DerivativesWorkspace<S, Array>& ws, const LinkView<Real>& link,
                             const Vec3<S>& f, const Vec3<S>& n) {
  const WorldWrench<S> wrench = world_wrench<S>(ws.body.load(link.body).E, link, f, n);
  ws.wrench.store(link.body, ws.wrench.load(link.body) + wrench);
}

/// Adds it to VjpForces::turned of its body, for rnea_vjp. E: world axes to the body's.
template <class S, class Real, template <class> class Array>
RBD_INLINE void turn_wrench(const VjpWorkspace<S, Array>& ws, const Mat3<S>& E,
                            const LinkView<Real>& link, const Vec3<S>& f, const Vec3<S>& n) {
  const Motion<S> mu = ws.mu.load(link.body);
  const Vec3<S> at_link = mu.v + cross(mu.w, broadcast<S>(link.offset.r));
  VjpForces<S> forces = ws.forces.load(link.body);
  forces.turned += cross(E * n, mu.w) + cross(E * f, at_link);
  ws.forces.store(link.body, forces);
}

}  // namespace rbd_parallel_core
