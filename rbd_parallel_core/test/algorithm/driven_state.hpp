// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "rbd_parallel_core/testing/robots.hpp"

namespace rbd_parallel_core {

/// What forward dynamics takes.
struct DrivenState {
  std::vector<double> q, v, tau;
};

inline DrivenState random_state(const Model& model, std::uint64_t seed) {
  conformance::Random random(seed);
  const auto nv = static_cast<std::size_t>(model.nv());
  std::vector<double> q = conformance::random_configuration(model, random);
  return {std::move(q), random.numbers(nv, 1), random.numbers(nv, 10)};
}

}  // namespace rbd_parallel_core
