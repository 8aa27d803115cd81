// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "ours.hpp"

namespace rbd_bench {

// d tau / d q and d tau / d v by forward differences of batches of inverse dynamics: 2 nv + 1 of
// them for a state. What is timed is these batches and the differences; the states beside the given
// ones are made before, which favours it.
class FiniteDifferences {
 public:
  FiniteDifferences(std::shared_ptr<const rbd_parallel_core::Model> model, const Usage& usage,
                    const States& states, ResultArray& results);

  // Of every state once.
  void run();
  // Of some of the states, one after the other: d tau / d q, then d tau / d v, row-major.
  std::vector<double> results(std::span<const std::size_t> states);

 private:
  // States that are computed at once, each with its neighbours behind it.
  struct Batch {
    std::size_t first = 0, count = 0;
    AlignedVector<double> q, v, a;
  };

  void append(const rbd_parallel_core::Model& model, const States& states, std::size_t state,
              Batch& batch) const;
  std::span<double> matrices(std::size_t state);

  std::size_t nv_, count_;
  std::unique_ptr<rbd_parallel_core::Backend> backend_;
  ResultArray& results_;
  AlignedVector<double> tau_;
  std::vector<Batch> batches_;
};

}  // namespace rbd_bench
