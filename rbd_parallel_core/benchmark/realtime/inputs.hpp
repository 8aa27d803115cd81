// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "states.hpp"

namespace rbd_bench {

// Names of kinds of states; the first is the ordinary one.
std::vector<std::string> input_kinds();

// Random states of that kind. Throws std::runtime_error with the list of kinds.
States states_of_kind(const std::string& kind, std::size_t count, std::size_t nv);

}  // namespace rbd_bench
