// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "rbd_parallel_core/algorithm/workspace.hpp"
#include "rbd_parallel_core/model/converted_model.hpp"
#include "tree/shapes.hpp"

namespace rbd_bench {

// The texts of aba.hpp and rnea.hpp in long double on one chain: the truth that methods are
// measured by.
class ExactChain {
 public:
  explicit ExactChain(const Tree& chain);
  ExactChain(const ExactChain&) = delete;
  ExactChain& operator=(const ExactChain&) = delete;

  // Largest error of an acceleration, relative to the largest one but at least 1.
  double forward_error(const std::vector<double>& qdd) const;
  // Largest error of a torque that these accelerations take, relative to the largest one but at
  // least 1.
  double residual(const std::vector<double>& qdd);

 private:
  using Exact = long double;

  rbd_parallel_core::ConvertedModel<Exact> numbers_;
  std::vector<Exact> q_, v_, tau_, qdd_, memory_;
  rbd_parallel_core::Workspace<Exact> workspace_{};
};

}  // namespace rbd_bench
