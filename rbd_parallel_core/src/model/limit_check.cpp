// SPDX-License-Identifier: Apache-2.0
#include "limit_check.hpp"

namespace rbd_parallel_core {

std::vector<std::string> odd_limits(JointKind kind, const JointLimits& limits) {
  std::vector<std::string> odd;
  if (limits.effort < 0) odd.emplace_back("limit effort is negative");
  if (limits.velocity < 0) odd.emplace_back("limit velocity is negative");
  const bool has_range =
      kind == JointKind::revolute || kind == JointKind::prismatic || kind == JointKind::helical;
  if (has_range && limits.lower > limits.upper) {
    odd.emplace_back("limit lower is above limit upper");
  }
  return odd;
}

}  // namespace rbd_parallel_core
