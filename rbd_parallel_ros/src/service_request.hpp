// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bad_input.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "request.hpp"
#include "response.hpp"

/// What the services that take batches of states have in common: their fields have the same names.
namespace rbd_parallel_ros {

/// Joints and number of states of a request.
template <class In>
Request open(const rbd_parallel_core::Backend& backend, const JointTable& joints, const In& in) {
  return Request(joints, in.joint_names, in.batch_size, backend.options().max_batch,
                 in.position.size(), in.base_pose.size());
}

/// What every response starts with.
template <class Out>
void put_header(const Request& request, Out& out) {
  out.joint_names = request.joints().names;
  out.batch_size = static_cast<std::uint32_t>(request.batch());
}

/// The status of each state; `inputs` is what they were computed from.
template <class Out>
void report_states(std::span<const rbd_parallel_core::StateStatus> status,
                   const rbd_parallel_core::Model& model, const Inputs& inputs, Out& out) {
  put_status(status, model, out,
             [&](std::size_t state) { return bad_input(inputs, model, state); });
}

inline Input positions(const ModelArray& q) {
  return {"position", "base_pose", q.values(), Input::Columns::q};
}
inline Input velocities(const ModelArray& v) { return {"velocity", "base_twist", v.values()}; }

}  // namespace rbd_parallel_ros
