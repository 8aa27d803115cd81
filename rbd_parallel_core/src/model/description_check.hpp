// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "rbd_parallel_core/model/model.hpp"

namespace rbd_parallel_core {

/// The tree behind a description, by index.
struct DescriptionTree {
  int root = -1;                               ///< link
  std::vector<std::vector<int>> child_joints;  ///< of each link, in the order of joint names
  std::vector<int> child_link;                 ///< of each joint
  /// Of each joint: which one it follows in the end, mimics of mimics resolved; itself if it
  /// follows none.
  struct Leader {
    int joint;
    double multiplier = 1, offset = 0;
  };
  std::vector<Leader> leader;
};

/// Checks all that build_model relies on. Throws ModelError with every fault found.
DescriptionTree check_description(const RobotDescription& robot, const ModelOptions& options);

}  // namespace rbd_parallel_core
