// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>

#include "rbd_parallel_core/model/model_view.hpp"

namespace rbd_parallel_core {

/// Sets BodyView::lever2 of all bodies, from placements and inertias. Over such a distance the
/// inertia of a child is moved to the body and may cancel: from the child's origin, or, where a
/// joint slides, from as far as its mass lies beside that.
inline void set_levers(std::span<BodyView<double>> bodies) {
  for (BodyView<double>& body : bodies) body.lever2 = 0;
  for (const BodyView<double>& body : bodies) {
    if (body.parent < 0) continue;
    const Inertia<double>& I = body.inertia;
    const Vec3<double> origin = mul_add(body.shift, body.placement.E.z, body.placement.r);
    const double mass_lever2 = I.m > 0 ? dot(I.h, I.h) / (I.m * I.m) : 0;
    double& lever2 = bodies[static_cast<std::size_t>(body.parent)].lever2;
    lever2 = std::max({lever2, dot(origin, origin), mass_lever2});
  }
}

}  // namespace rbd_parallel_core
