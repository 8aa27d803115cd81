// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <map>
#include <string>
#include <string_view>

#include "rbd_parallel_core/model/model.hpp"

/// What Python says of robots, as the core wants it. What cannot be read is refused with a
/// ValueError that names the argument.
namespace rbd_parallel_python {

using Armature = std::map<std::string, double>;

rbd_parallel_core::ModelOptions model_options(std::string_view base, nanobind::handle gravity,
                                              std::string_view mimic,
                                              std::string_view inertia_policy,
                                              const Armature& armature);

rbd_parallel_core::Vec3<double> vector_from(nanobind::handle object, std::string_view name);

/// (3, 3), or (3,) with roll, pitch, yaw.
rbd_parallel_core::Mat3<double> rotation_from(nanobind::handle object, std::string_view name);

/// About the centre of mass: 3 x 3 and symmetric, or xx xy xz yy yz zz; None: zeros.
rbd_parallel_core::SymMat3<double> rotational_inertia_from(nanobind::handle object);

}  // namespace rbd_parallel_python
