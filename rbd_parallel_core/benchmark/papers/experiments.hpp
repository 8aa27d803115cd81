// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "papers_settings.hpp"
#include "tree/tree_report.hpp"

namespace rbd_bench {

// How far a method is from ABA in long double on the same state of a chain: the largest error,
// relative to the largest number but at least 1. Not a number where the method gave one.
struct MethodErrors {
  std::size_t bodies = 0;
  std::string method;
  double forward = 0;   // Of the accelerations.
  double residual = 0;  // Of the torques that they take.
};

struct PapersReport {
  TreeReport timed;  // Without its accuracy.
  std::vector<MethodErrors> errors;
};

// One for each experiment, on so many bodies. They throw std::runtime_error where a result is
// wrong.
void run_links(std::size_t bodies, const PapersSettings& settings, PapersReport& report);
void run_groups(std::size_t bodies, const PapersSettings& settings, PapersReport& report);
void run_dcae(std::size_t bodies, const PapersSettings& settings, PapersReport& report);
void run_accuracy_of_methods(std::size_t bodies, const PapersSettings& settings,
                             PapersReport& report);
void run_blocks(std::size_t bodies, const PapersSettings& settings, PapersReport& report);

std::string to_json(const PapersReport& report);

}  // namespace rbd_bench
