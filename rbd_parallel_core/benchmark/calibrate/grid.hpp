// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "rbd_parallel_core/operation.hpp"

namespace rbd_bench {

/// A tree that the backends are measured on.
struct TreeCase {
  int bodies;
  double branching;
};

/// A call for it.
struct CallCase {
  rbd_parallel_core::Operation operation;
  std::size_t batch;
};

/// All trees: 6 to 10000 bodies, chains and two that branch.
std::vector<TreeCase> all_trees();

/// All calls for a tree whose states and results stay within some memory.
/// `entries`: of the lower triangle of its M that can differ from zero.
std::vector<CallCase> all_calls(const TreeCase& tree, std::size_t entries);

}  // namespace rbd_bench
