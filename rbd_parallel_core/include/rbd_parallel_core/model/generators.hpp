// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/model/model.hpp"

namespace rbd_parallel_core {

/// Featherstone's autoTree: n bodies, body i on parent floor((i - 1 + ceil(branching)) / branching)
/// - 1.
struct AutoTree {
  static constexpr int max_bodies = 4'000'000;  ///< a Model takes 1.7 kB for each: 7 GB

  int bodies = 10;
  double branching = 1;  ///< >= 1; 1 is a chain, 2 a binary tree
  double skew = 0;       ///< rad: turn about x from one body to the next
  double taper = 1;      ///< body i has length taper^i and mass taper^(3 i)
};

/// Thin-walled cylinders of length 1 m, radius 0.05 m and 1 kg along x (times taper), revolute
/// joints about z, each child at the tip of its parent, body 0 at the world's origin.
RobotDescription describe_auto_tree(const AutoTree& tree);
Model auto_tree(const AutoTree& tree, const ModelOptions& options = {});

/// A serial chain: auto_tree with branching 1.
Model serial_chain(int bodies, double skew = 0, double taper = 1, const ModelOptions& options = {});

}  // namespace rbd_parallel_core
