// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace rbd_parallel_ros::testing {

/// What is wrong with an answer, "" if it is consistent: either refused, with a reason and nothing
/// else, or every array has the size that the message promises. `base_rows` is 6 where the base
/// floats.
template <class Response>
std::string inconsistency_of(const Response& response, std::size_t base_rows) {
  if (response.error_code == Response::INTERNAL_ERROR) return "internal: " + response.error_msg;
  if (response.error_code != Response::OK && response.error_code != Response::STATES_FAILED) {
    if (response.error_msg.empty()) return "refused without a reason";
    if (!response.status.empty() || !response.joint_names.empty()) return "refused, with results";
    return "";
  }
  const std::size_t batch = response.batch_size, n = response.joint_names.size();
  if (batch == 0) return "no state";
  if (response.status.size() != batch) return "status has the wrong size";
  if constexpr (requires { response.effort; }) {
    if (response.effort.size() != batch * n) return "effort has the wrong size";
  }
  if constexpr (requires { response.acceleration; }) {
    if (response.acceleration.size() != batch * n) return "acceleration has the wrong size";
  }
  if constexpr (requires { response.mass_matrix; }) {
    if (response.rows != n + base_rows) return "rows is wrong";
    if (response.mass_matrix.size() != batch * response.rows * response.rows)
      return "mass_matrix has the wrong size";
  }
  return "";
}

}  // namespace rbd_parallel_ros::testing
