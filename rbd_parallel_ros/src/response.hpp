// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "rbd_parallel_core/backend.hpp"
#include "request_error.hpp"

/// What responses have in common: how the call went, and how each state did.
namespace rbd_parallel_ros {

/// What only a backend can refuse; sizes were checked before.
inline void check(const rbd_parallel_core::Result& result) {
  using rbd_parallel_core::Code;
  if (result.ok()) return;
  throw RequestError(
      result.code == Code::unsupported ? ErrorCode::unsupported : ErrorCode::backend_failed,
      rbd_parallel_core::message(result));
}

/// The joints at which states are singular, if any is.
template <class Out>
void put_status_joints(std::span<const rbd_parallel_core::StateStatus> states,
                       const rbd_parallel_core::Model& model, Out& out) {
  using Code = rbd_parallel_core::StateStatus::Code;
  const auto is_singular = [](const auto& state) { return state.code == Code::singular; };
  if (std::none_of(states.begin(), states.end(), is_singular)) return;
  out.status_joint.resize(states.size());
  for (std::size_t i = 0; i < states.size(); ++i) {
    const bool known = states[i].dof >= 0 && states[i].dof < model.nv();
    if (!is_singular(states[i]) || !known) continue;
    const auto joint = static_cast<std::size_t>(model.joint_of_dof(states[i].dof));
    out.status_joint[i] = model.joints()[joint].name;
  }
}

/// What is wrong with a state: the input that is to blame, where one is.
inline std::string reason_of(const rbd_parallel_core::StateStatus& status,
                             const rbd_parallel_core::Model& model, const std::string& input) {
  const bool blamed =
      status.code == rbd_parallel_core::StateStatus::Code::not_finite && !input.empty();
  return blamed ? input : rbd_parallel_core::message(status, model);
}

/// The status of each state, and a summary if one of them failed. `input_of(i)`: which input of
/// state i is not finite, or "". `called`: what the client calls a state.
template <class Out, class InputOf>
void put_status(std::span<const rbd_parallel_core::StateStatus> states,
                const rbd_parallel_core::Model& model, Out& out, const InputOf& input_of,
                const std::string& called = "state") {
  out.status.resize(states.size());
  std::size_t failed = 0, first = states.size();
  for (std::size_t i = 0; i < states.size(); ++i) {
    out.status[i] = static_cast<std::uint8_t>(states[i].code);
    if (states[i].ok()) continue;
    ++failed;
    first = std::min(first, i);
  }
  if (failed == 0) return;
  if constexpr (requires { out.status_joint; }) put_status_joints(states, model, out);
  out.error_code = static_cast<std::uint16_t>(ErrorCode::states_failed);
  out.error_msg = std::to_string(failed) + " of " + std::to_string(states.size()) + " " + called +
                  "s failed; the first is " + called + " " + std::to_string(first) + ": " +
                  reason_of(states[first], model, input_of(first));
}

}  // namespace rbd_parallel_ros
