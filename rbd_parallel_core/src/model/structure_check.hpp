// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "findings.hpp"
#include "rbd_parallel_core/model/description.hpp"

namespace rbd_parallel_core {

/// What a robot is made of as far as its tree is concerned: names, and who refers to whom. An empty
/// name is one that a fault was reported for already. Lines are those of the text, 0 without one.
struct Structure {
  struct Link {
    std::string_view name;
    int line = 0;
  };
  struct Joint {
    std::string_view name, parent, child, mimic;
    JointKind kind = JointKind::fixed;
    int line = 0, mimic_line = 0;
  };

  std::vector<Link> links;
  std::vector<Joint> joints;
  int line = 0;
  bool honours_mimic = true;  ///< else what cannot be followed is a warning
  const char* followable;     ///< the kinds of joints that can follow, for messages
};

/// The references of a Structure by index, -1 where there is none.
struct Connections {
  int root = -1;                             ///< link
  std::vector<int> parent_link, child_link;  ///< of each joint
  std::vector<int> followed;                 ///< of each joint: the one that it mimics
  std::unordered_map<std::string_view, int> joint_at;
};

/// A joint of one coordinate can follow or be followed; the others cannot.
bool has_one_coordinate(JointKind kind);

/// Finds names that are taken, references that lead nowhere, loops, roots and what cannot mimic.
/// Without faults the connections are a tree and the mimic joints follow in no circle.
Connections check_structure(const Structure& structure, Findings& findings);

}  // namespace rbd_parallel_core
