// SPDX-License-Identifier: Apache-2.0
// The gate before the benchmark lets right results pass and stops wrong ones.
#include "agreement.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>

#include "chain.hpp"
#include "ours.hpp"

namespace {

using rbd_bench::Operation;

constexpr std::size_t kStates = 70;  // Fills no pack and no number of packs.

void require(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error(what);
}

void check(Operation operation) {
  const auto model = rbd_bench::load_model(rbd_bench::chain_urdf(5, 0.5), false);
  const auto nv = static_cast<std::size_t>(model->nv());
  const rbd_bench::States states = rbd_bench::random_states(kStates, nv, false, 1);
  const rbd_bench::Agreement agreement(model, states, std::span(&operation, 1));
  rbd_bench::ResultArray memory;
  const std::string name = name_of(operation);
  for (const auto layout : {rbd_parallel_core::Layout::rows, rbd_parallel_core::Layout::lanes}) {
    rbd_bench::Ours<double> ours(model,
                                 {.backend = "cpu",
                                  .batch = kStates,
                                  .layout = layout,
                                  .instruction_set = rbd_parallel_core::choose_instruction_set()},
                                 states, memory);
    std::vector<double> results = ours.results(operation, agreement.states());
    const double limit = tolerance(operation, rbd_bench::Precision::kDouble);
    require(agreement.disagreement(operation, results) <= limit, name + ": right results fail");
    // Of the last state, in the lanes that are not full. It may be a number that is always zero.
    results.back() += 1e-3 * *std::max_element(results.begin(), results.end());
    require(agreement.disagreement(operation, results) > limit, name + ": a wrong result passes");
  }
}

}  // namespace

int main() {
  try {
    for (const Operation operation : rbd_bench::kOperations) check(operation);
    for (const Operation operation : rbd_bench::kDerivativeOperations) check(operation);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "agreement_test: %s\n", e.what());
    return 1;
  }
}
