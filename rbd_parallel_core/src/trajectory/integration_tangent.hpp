// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rbd_parallel_core/model/model.hpp"

namespace rbd_parallel_core {

/// The derivative of next = integrate(q, step) of one joint of several coordinates, between the
/// tangent spaces of q and of next: d next = by_q dq + by_step dstep. For floating joints by_q is
/// the adjoint of the inverse of the displacement and by_step the right Jacobian of the
/// exponential.
struct JointTangent {
  static constexpr int most_coordinates = 6;
  using Matrix = double[most_coordinates][most_coordinates];
  Matrix by_q, by_step;
};

/// Joints of which both matrices are not just ones; all others have one coordinate.
std::vector<std::int32_t> joints_of_several_coordinates(const Model& model);

/// q, step: of this joint only.
void tangent_of_integration(const Model& model, std::int32_t joint, const double* q,
                            const double* step, JointTangent& out) noexcept;

}  // namespace rbd_parallel_core
