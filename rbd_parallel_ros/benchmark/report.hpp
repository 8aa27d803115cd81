// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "measure.hpp"

namespace rbd_parallel_bench {

struct Row {
  std::string service;
  std::size_t states;
  DuelResult result;
};

/// Everything that was measured, in microseconds, for programs.
std::string to_json(const std::vector<Row>& rows, int rounds);

}  // namespace rbd_parallel_bench
