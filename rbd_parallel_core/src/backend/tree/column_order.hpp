// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

/// What the order of the coordinates says about their tree, where a robot has no mimic joints:
/// bodies stand depth-first. dof_parent: as in ModelView.
namespace rbd_parallel_core {

/// Of each coordinate, one past its last descendant: they follow it without a gap.
std::vector<std::int32_t> subtree_ends(std::span<const std::int32_t> dof_parent);

/// Of each coordinate, the first of those before it that follow each other up to it, each the
/// parent of the next.
std::vector<std::int32_t> chain_begins(std::span<const std::int32_t> dof_parent);

}  // namespace rbd_parallel_core
