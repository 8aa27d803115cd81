// SPDX-License-Identifier: Apache-2.0
#include "grid.hpp"

namespace rbd_bench {
namespace {

using rbd_parallel_core::Operation;

/// Of the states of a batch, and of their results: 8 and 128 MB in double. More would measure the
/// memory of the machine, and take long.
constexpr std::size_t most_coordinates = 1'000'000, most_results = 16'000'000;

std::size_t results(Operation operation, std::size_t bodies, std::size_t entries) {
  if (operation == Operation::mass_matrix) return bodies * bodies;
  if (operation == Operation::sparse_mass_matrix) return entries;
  return bodies;
}

}  // namespace

std::vector<TreeCase> all_trees() {
  std::vector<TreeCase> trees;
  for (const int bodies : {6,   12,  24,  40,  64,   90,   120,  130,  180,  250,  260,
                           360, 500, 512, 700, 1000, 1200, 1600, 2000, 3000, 4000, 10000}) {
    for (const double branching : {1.0, 1.5, 2.0}) trees.push_back({bodies, branching});
  }
  return trees;
}

std::vector<CallCase> all_calls(const TreeCase& tree, std::size_t entries) {
  const auto bodies = static_cast<std::size_t>(tree.bodies);
  std::vector<CallCase> calls;
  for (const Operation operation : {Operation::inverse_dynamics, Operation::forward_dynamics,
                                    Operation::mass_matrix, Operation::sparse_mass_matrix}) {
    for (const std::size_t batch : {1U, 2U, 8U, 64U, 1000U}) {
      if (batch * bodies > most_coordinates) continue;
      if (batch * results(operation, bodies, entries) > most_results) continue;
      calls.push_back({operation, batch});
    }
  }
  return calls;
}

}  // namespace rbd_bench
