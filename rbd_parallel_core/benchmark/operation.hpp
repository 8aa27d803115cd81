// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "peer.h"

namespace rbd_bench {

enum class Operation {
  kRnea = RBD_PEER_RNEA,
  kCrba = RBD_PEER_CRBA,
  kAba = RBD_PEER_ABA,
  kRneaDerivatives = RBD_PEER_RNEA_DERIVATIVES,
  kAbaDerivatives = RBD_PEER_ABA_DERIVATIVES,
  // Products with derivatives, which no peer has.
  kRneaJvp,
  kRneaVjp,
  kAbaJvp,
  kAbaVjp,
};

// Those of ./dev bench, and those of ./dev bench --derivatives.
inline constexpr std::array kOperations{Operation::kRnea, Operation::kCrba, Operation::kAba};
inline constexpr std::array kDerivativeOperations{
    Operation::kRnea,           Operation::kAba,     Operation::kRneaDerivatives,
    Operation::kAbaDerivatives, Operation::kRneaJvp, Operation::kRneaVjp,
    Operation::kAbaJvp,         Operation::kAbaVjp};

constexpr const char* name_of(Operation operation) {
  constexpr std::array kNames{
      "RNEA",     "CRBA",     "ABA",     "RNEA derivatives", "ABA derivatives",
      "RNEA jvp", "RNEA vjp", "ABA jvp", "ABA vjp"};
  return kNames[static_cast<std::size_t>(operation)];
}

// The arrays that the result for one state consists of, and how many numbers each has.
struct ResultShape {
  std::size_t arrays = 1;
  std::size_t size = 0;
};

constexpr ResultShape result_shape(Operation operation, std::size_t nv) {
  switch (operation) {
    case Operation::kCrba:
      return {1, nv * nv};
    case Operation::kRneaDerivatives:
      return {2, nv * nv};
    case Operation::kAbaDerivatives:
      return {3, nv * nv};
    case Operation::kRneaVjp:
    case Operation::kAbaVjp:
      return {3, nv};
    default:
      return {1, nv};
  }
}

// How many numbers the result for one state has.
constexpr std::size_t result_size(Operation operation, std::size_t nv) {
  const ResultShape shape = result_shape(operation, nv);
  return shape.arrays * shape.size;
}

// Whether it solves for accelerations, so that its numbers are as good as M is conditioned.
constexpr bool solves(Operation operation) {
  return operation == Operation::kAba || operation == Operation::kAbaDerivatives ||
         operation == Operation::kAbaJvp || operation == Operation::kAbaVjp;
}

}  // namespace rbd_bench
