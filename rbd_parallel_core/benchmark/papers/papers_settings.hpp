// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/sampling.hpp"

namespace rbd_bench {

// Numbers of bodies for each experiment; one without any is not run.
struct PapersSettings {
  std::vector<std::size_t> links;     // Prefix sums: one chain, inverse and forward dynamics.
  std::vector<std::size_t> groups;    // Prefix sums: many chains at a time.
  std::vector<std::size_t> dcae;      // DCAe: chains cut in two.
  std::vector<std::size_t> accuracy;  // DCAe: errors against the length.
  std::vector<std::size_t> blocks;    // The thesis: large trees.
  std::vector<double> shares{0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85};
  std::size_t group_count = 1000;
  std::vector<int> threads{1, 2};
  SampleSettings sampling;
  std::string json_file;
};

// Throws std::runtime_error with what is wrong and how it is used.
PapersSettings parse_papers_settings(int argc, char** argv);

}  // namespace rbd_bench
