// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "peer.h"

namespace rbd_bench {

enum class Operation { kRnea = RBD_PEER_RNEA, kCrba = RBD_PEER_CRBA, kAba = RBD_PEER_ABA };

inline constexpr std::array kOperations{Operation::kRnea, Operation::kCrba, Operation::kAba};

constexpr const char* name_of(Operation operation) {
  constexpr std::array kNames{"RNEA", "CRBA", "ABA"};
  return kNames[static_cast<std::size_t>(operation)];
}

// How many numbers the result for one state has.
constexpr std::size_t result_size(Operation operation, std::size_t nv) {
  return operation == Operation::kCrba ? nv * nv : nv;
}

}  // namespace rbd_bench
