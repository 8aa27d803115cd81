// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shapes.hpp"

namespace rbd_bench {

// How far a family is from the texts of rnea.hpp and crba.hpp run in long double, on the same
// state. Not a number where the family gave one.
struct Errors {
  std::string family;     // "recursion" (backend reference), "blocks", "scans"
  std::string precision;  // "double", "float"
  double torques = 0;     // largest error of a torque, relative to the largest torque
  double tail = 0;        // the same of the last five torques alone
  // Largest error of a diagonal entry of M, relative to that entry.
  std::optional<double> diagonal;
};

struct Question {
  bool scans = true;         // Whether that family is asked too: its M of n bodies is n^2 numbers.
  bool mass_matrix = false;  // Whether the diagonal is.
  int threads = 1;
};

// Of every family, in both precisions.
std::vector<Errors> errors_of(const Tree& tree, const Question& question);

}  // namespace rbd_bench
