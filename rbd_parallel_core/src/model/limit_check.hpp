// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "rbd_parallel_core/model/description.hpp"

namespace rbd_parallel_core {

/// What is odd about the limits of such a joint and does no harm to dynamics, a phrase each:
/// "limit effort is negative". Infinity stands for no limit, NaN for one that is not known.
std::vector<std::string> odd_limits(JointKind kind, const JointLimits& limits);

}  // namespace rbd_parallel_core
