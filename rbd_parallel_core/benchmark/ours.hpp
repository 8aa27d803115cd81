// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rbd_parallel_core/backend.hpp"
#include "states.hpp"

namespace rbd_bench {

enum class Operation { kRnea, kCrba, kAba };

// A robot in this library: the one place of the benchmark that knows its interface.
class Ours {
 public:
  Ours(const std::string& urdf_xml, bool floating_base, const std::string& backend);

  std::size_t nv() const { return static_cast<std::size_t>(backend_->model().nv()); }
  std::size_t nq() const { return static_cast<std::size_t>(backend_->model().nq()); }
  const std::vector<std::string>& joint_names() const { return backend_->model().joint_names(); }

  void set_states(States states) { states_ = std::move(states); }

  // Evaluates every prepared state once, in a call of its own; the results are dropped.
  void run(Operation operation);

  // Evaluates one prepared state: nv numbers, or nv x nv for a mass matrix.
  std::vector<double> evaluate(Operation operation, std::size_t state);

 private:
  void compute(Operation operation, std::size_t state);

  std::unique_ptr<rbd_parallel_core::Backend> backend_;
  States states_;
  std::vector<double> vector_result_, matrix_result_;
};

}  // namespace rbd_bench
