// SPDX-License-Identifier: Apache-2.0
#include "model_arguments.hpp"

#include "arrays.hpp"

namespace rbd_parallel_python {

using namespace rbd_parallel_core;

ModelOptions model_options(std::string_view base, nb::handle gravity, std::string_view mimic,
                           std::string_view inertia_policy, const Armature& armature) {
  ModelOptions options;
  options.base = choice("base", base, {"fixed", "floating"}) == 0 ? Base::fixed : Base::floating;
  options.gravity = vector_from(gravity, "gravity");
  options.mimic = choice("mimic", mimic, {"honour", "independent"}) == 0 ? MimicPolicy::honour
                                                                         : MimicPolicy::independent;
  switch (choice("inertia_policy", inertia_policy, {"warn", "error", "zero"})) {
    case 0:
      options.inertia_policy = InertiaPolicy::warn;
      break;
    case 1:
      options.inertia_policy = InertiaPolicy::error;
      break;
    default:
      options.inertia_policy = InertiaPolicy::zero;
      break;
  }
  options.armature = armature;
  return options;
}

Vec3<double> vector_from(nb::handle object, std::string_view name) {
  const std::vector<double> a = numbers(object, name, 3);
  return {a[0], a[1], a[2]};
}

Mat3<double> rotation_from(nb::handle object, std::string_view name) {
  const auto array = Array<double>::view(object, name);
  const double* a = array.data();
  if (array.shape() == Shape{3}) return pose_from_rpy({0, 0, 0}, a[0], a[1], a[2]).rotation;
  if (array.shape() == Shape{3, 3}) {
    return {{a[0], a[1], a[2]}, {a[3], a[4], a[5]}, {a[6], a[7], a[8]}};
  }
  refuse(std::string(name) +
         ": expected shape (3,) with roll, pitch, yaw, or a matrix (3, 3), got " +
         text(array.shape()));
}

SymMat3<double> rotational_inertia_from(nb::handle object) {
  if (object.is_none()) return {0, 0, 0, 0, 0, 0};
  const auto array = Array<double>::view(object, "inertia");
  const double* a = array.data();
  if (array.shape() == Shape{6}) return {a[0], a[1], a[2], a[3], a[4], a[5]};
  if (array.shape() != Shape{3, 3}) {
    refuse("inertia: expected shape (3, 3), or (6,) with xx xy xz yy yz zz, got " +
           text(array.shape()));
  }
  // Written so that NaN passes: the core refuses it, and says so better.
  if (a[1] > a[3] || a[1] < a[3] || a[2] > a[6] || a[2] < a[6] || a[5] > a[7] || a[5] < a[7]) {
    refuse("inertia: expected a symmetric matrix, got one that is not");
  }
  return {a[0], a[1], a[2], a[4], a[5], a[8]};
}

}  // namespace rbd_parallel_python
