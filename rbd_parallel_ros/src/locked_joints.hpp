// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "rbd_parallel_core/model/model.hpp"

namespace rbd_parallel_ros {

/// Makes every moving joint a fixed one, at position 0, that is not among `joints`. A joint that
/// mimics a fixed one is held where its rule puts it (unless mimic joints are independent). Throws
/// std::invalid_argument for names that are not known, come twice or cannot be chosen.
void lock_all_but(std::span<const std::string> joints, rbd_parallel_core::MimicPolicy mimic,
                  rbd_parallel_core::RobotDescription& robot);

}  // namespace rbd_parallel_ros
