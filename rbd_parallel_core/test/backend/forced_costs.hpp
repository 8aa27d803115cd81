// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "auto/cost_table.hpp"

namespace rbd_parallel_core {

/// Costs of one backend alone: what the other would cost is not known, so it is not chosen.
inline CostTable only(Candidate candidate) {
  std::string text;
  for (const Operation operation : all_operations) {
    if (priced_as(operation) != operation) continue;
    for (const char* precision : {" float64", " float32"}) {
      text += name_of(candidate) + " " + name_of(operation) + precision + " 1- 1- 0 1 0 0 0 1\n";
    }
  }
  return CostTable::parse(text, "only " + name_of(candidate));
}

}  // namespace rbd_parallel_core
