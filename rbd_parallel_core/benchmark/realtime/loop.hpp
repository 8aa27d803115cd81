// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "histogram.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "states.hpp"
#include "usage.hpp"

namespace rbd_bench {

// What is timed: calls with one state. The last one is no call but simple arithmetic, to see what
// the machine does to any code.
constexpr std::array kOperations = {"gravity_forces", "bias_forces",      "inverse_dynamics",
                                    "mass_matrix",    "forward_dynamics", "control"};

// What a loop has counted.
struct Counts {
  std::array<Histogram, kOperations.size()> calls;  // Nanoseconds, by operation.
  Histogram wake_up;                                // Nanoseconds from the set time to the wake-up.
  Usage inside;                                     // While the calls ran.
  Usage outside;                                    // Between them: sleeping, counting.
  std::uint64_t refused = 0;                        // Calls that did not return ok.
  std::uint64_t missed = 0;                         // Cycles that began after the next was due.
};

// Calls a backend again and again as a controller does, with one state after the other, and counts.
// Takes all memory when it is made.
class Loop {
 public:
  // `backend`: configured for a robot with nq = nv. Both must outlive the loop.
  Loop(rbd_parallel_core::Backend& backend, const States& states);

  // One call of each operation in each cycle; between the cycles it sleeps.
  void run_periodically(std::uint64_t cycles, std::int64_t period_ns) noexcept;
  // Blocks of calls of one operation in a row, this many of each in all. It sleeps a little between
  // the blocks: a thread of SCHED_FIFO that never does is stopped by the kernel.
  void run_back_to_back(std::uint64_t calls) noexcept;

  const Counts& counts() const { return *counts_; }
  // Of the very first call of each operation, in nanoseconds, and what happened meanwhile.
  // run_first_calls comes before the others.
  void run_first_calls() noexcept;
  const std::array<std::int64_t, kOperations.size()>& first_calls() const { return first_; }
  const Usage& first_usage() const { return first_usage_; }

 private:
  rbd_parallel_core::Result call(std::size_t operation) noexcept;
  std::int64_t timed_call(std::size_t operation) noexcept;
  void block(std::uint64_t repeats) noexcept;

  rbd_parallel_core::Backend& backend_;
  const States& states_;
  std::size_t state_ = 0;
  std::vector<double> vector_, matrix_;
  std::vector<std::uint64_t> control_;
  std::size_t first_of_block_ = 0;  // Each operation in turn is the first after the sleep.
  std::array<std::int64_t, kOperations.size()> first_{};
  Usage first_usage_;
  std::unique_ptr<Counts> counts_ = std::make_unique<Counts>();
};

}  // namespace rbd_bench
