// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/sampling.hpp"

namespace rbd_bench {

// Numbers of bodies for each part of the benchmark; a part without any is not run.
struct TreeSettings {
  std::vector<std::size_t> inverse_dynamics, forward_dynamics, dense, sparse, scans, peer, accuracy;
  std::size_t largest_values = 2'000'000'000;  // Bytes of a sparse mass matrix.
  std::size_t largest_diagonal = 10'000;       // Bodies up to which the accuracy of M is looked at.
  std::vector<int> threads{1, 2};
  SampleSettings sampling;
  std::string json_file;
};

// Throws std::runtime_error with what is wrong and how it is used.
TreeSettings parse_tree_settings(int argc, char** argv);

}  // namespace rbd_bench
