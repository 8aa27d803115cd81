// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "accuracy.hpp"
#include "common/sampling.hpp"

namespace rbd_bench {

// One part on one tree: all who did it.
struct TreeCase {
  std::string part;  // "inverse_dynamics", "dense", "sparse", "scans", "peer RNEA", "peer CRBA"
  std::string shape;
  std::size_t bodies = 0;
  std::int64_t pairs = 0;  // Of a body and one on its way to the root, itself included.
  std::vector<Runner> runners;
  std::vector<Samples> samples;  // One for each of them.
};

struct TreeErrors {
  std::string shape;
  std::size_t bodies = 0;
  std::vector<Errors> families;
};

struct TreeReport {
  std::string instruction_set;
  std::string peer;  // Name and version.
  std::vector<std::string> left_out;
  std::vector<TreeCase> cases;
  std::vector<TreeErrors> accuracy;
};

std::string to_json(const TreeReport& report);

}  // namespace rbd_bench
