// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "measure.hpp"
#include "rbd_parallel_core/instruction_set.hpp"

namespace rbd_bench {

struct Robot {
  std::string name;
  std::string urdf_xml;
  bool floating_base = false;
  std::vector<std::size_t> batches;
};

struct Options {
  std::vector<Robot> robots;
  std::vector<std::string> operations;  // Names; empty: all.
  bool derivatives = false;             // These, and what they are compared with, instead.
  // For our backends. The last one runs every case, the others those of the batch they are
  // compared at.
  std::vector<rbd_parallel_core::InstructionSet> instruction_sets;
  std::string json_file;
  Settings settings;
};

// Throws std::runtime_error with what is wrong and, where that helps, how it is used.
Options parse_options(int argc, char** argv);

}  // namespace rbd_bench
