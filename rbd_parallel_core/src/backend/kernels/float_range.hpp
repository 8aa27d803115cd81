// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <initializer_list>
#include <stdexcept>
#include <string>

#include "rbd_parallel_core/model/model.hpp"

namespace rbd_parallel_core {

/// Refuses numbers so large that products of a few overflow in float. In double the numbers of a
/// Model are fine.
inline void require_float_range(std::initializer_list<float> numbers, const std::string& whose) {
  for (const float number : numbers) {
    if (std::abs(number) < 1e12f) continue;
    throw std::invalid_argument(
        "configure: " + whose +
        " has numbers of 1e12 and more, which overflow in float; use double");
  }
}

inline void require_float_range(const Inertia<float>& I, const std::string& whose) {
  require_float_range({I.m, I.h.x, I.h.y, I.h.z, I.I.xx, I.I.yy, I.I.zz}, whose);
}

inline void require_float_range(const ModelView<float>& model, const Model& names) {
  for (std::int32_t i = 0; i < model.body_count; ++i) {
    const BodyView<float>& body = model.body[i];
    const Vec3<float>& r = body.placement.r;
    const std::string whose =
        "joint '" + names.joints()[static_cast<std::size_t>(i)].name + "' or the link it carries";
    require_float_range({r.x, r.y, r.z, body.shift, body.pitch, body.multiplier, body.offset},
                        whose);
    require_float_range(body.inertia, whose);
  }
  for (std::int32_t i = 0; i < model.link_count; ++i) {
    const Vec3<float>& r = model.link[i].offset.r;
    require_float_range({r.x, r.y, r.z},
                        "link '" + names.links()[static_cast<std::size_t>(i)].name + "'");
  }
  for (std::int32_t k = 0; k < model.nv; ++k) {
    require_float_range(
        {model.armature[k], model.damping[k], model.friction[k]},
        "joint '" + names.joints()[static_cast<std::size_t>(names.joint_of_dof(k))].name + "'");
  }
  require_float_range({model.gravity.x, model.gravity.y, model.gravity.z}, "gravity");
  require_float_range(model.base_inertia, "the link that is fixed to the world");
}

}  // namespace rbd_parallel_core
