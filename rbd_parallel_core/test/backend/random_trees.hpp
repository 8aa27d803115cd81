// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "rbd_parallel_core/testing/robots.hpp"

/// Trees for the tests of dynamics by blocks and by scans.
namespace rbd_parallel_core {

using SharedModel = std::shared_ptr<const Model>;

/// `bodies` links that hang on one of the `window` links before them, by joints of these kinds in
/// turn.
inline SharedModel random_tree(int bodies, int window, const std::vector<JointKind>& kinds,
                               std::uint64_t seed, Base base = Base::fixed) {
  conformance::RobotBuilder builder("tree", seed);
  conformance::Random random(seed);
  std::vector<std::string> links{"base"};
  for (int i = 0; i < bodies; ++i) {
    const int newest = static_cast<int>(links.size()) - 1;
    const int back = static_cast<int>(random.uniform(0, std::min(window, newest + 1)));
    const auto kind = kinds[static_cast<std::size_t>(i) % kinds.size()];
    const std::string& parent = links[static_cast<std::size_t>(newest - back)];
    links.push_back(builder.add(parent, std::to_string(i), kind).child);
  }
  return std::make_shared<const Model>(builder.robot(base).model());
}
inline SharedModel random_tree(int bodies, int window, const std::vector<JointKind>& kinds,
                               Base base) {
  return random_tree(bodies, window, kinds, 5, base);
}

inline const std::vector<JointKind> every_kind = {
    JointKind::revolute,  JointKind::revolute, JointKind::prismatic, JointKind::helical,
    JointKind::spherical, JointKind::planar,   JointKind::floating};

}  // namespace rbd_parallel_core
