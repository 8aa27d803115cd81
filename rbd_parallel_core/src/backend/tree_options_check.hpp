// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include "rbd_parallel_core/backend.hpp"

/// Every backend is given the TreeOptions; one that would not read an option that was set refuses
/// it, so that nobody believes it to be at work. All of these throw std::invalid_argument.
namespace rbd_parallel_core {

/// "family is scans, which the backend cpu does not take; leave it out, or use tree"
[[noreturn]] inline void refuse_tree_option(const std::string& setting, const std::string& backend,
                                            const std::string& takers) {
  throw std::invalid_argument("configure: " + setting + ", which the backend " + backend +
                              " does not take; leave it out, or use " + takers);
}

inline void refuse_family(const TreeOptions& tree, const std::string& backend) {
  if (tree.family == TreeFamily::blocks) return;
  refuse_tree_option("family is scans", backend, "tree, or cuda with bodies_in_parallel");
}

inline void refuse_block(const TreeOptions& tree, const std::string& backend) {
  if (tree.block == 0) return;
  refuse_tree_option("block is " + std::to_string(tree.block), backend,
                     "tree, auto, or cuda with bodies_in_parallel");
}

inline void refuse_group_and_lanes(const TreeOptions& tree, const std::string& backend) {
  const std::string takers = "tree or auto, with the family blocks";
  if (tree.group != 0) {
    refuse_tree_option("group is " + std::to_string(tree.group), backend, takers);
  }
  if (!tree.lanes) refuse_tree_option("lanes is false", backend, takers);
}

/// Of a backend that cuts no trees.
inline void refuse_tree_options(const TreeOptions& tree, const std::string& backend) {
  refuse_family(tree, backend);
  refuse_block(tree, backend);
  refuse_group_and_lanes(tree, backend);
}

/// Of one that cuts them.
inline void require_lengths(const TreeOptions& tree) {
  const auto require = [](const std::string& what, int bodies) {
    if (bodies >= 0) return;
    throw std::invalid_argument("configure: a " + what + " has " + std::to_string(bodies) +
                                " bodies; expected a positive number, or 0 to have it chosen");
  };
  require("block", tree.block);
  require("group", tree.group);
}

}  // namespace rbd_parallel_core
