// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "operation.hpp"
#include "rbd_parallel_core/model/model.hpp"
#include "states.hpp"

namespace rbd_bench {

// Tells whether a contestant computes the right numbers, by the backend `reference`, one state at a
// time: a wrong number is not fast. Some of the states are looked at, the last one among them,
// since that is where a batch that does not fill its lanes would go wrong.
class Agreement {
 public:
  Agreement(std::shared_ptr<const rbd_parallel_core::Model> model, const States& states,
            std::span<const Operation> operations);

  // The states that are looked at.
  std::span<const std::size_t> states() const { return checked_; }

  // The largest disagreement of `results` with the reference, relative to the reference's largest
  // number of the same array. Forward dynamics is compared in torques, M (result - reference)
  // against tau: the accelerations of an ill-conditioned robot differ by rounding alone. Only for
  // the operations of the constructor.
  double disagreement(Operation operation, const std::vector<double>& results) const;

 private:
  std::size_t nv_;
  std::vector<std::size_t> checked_;
  std::vector<double> tau_;  // Of the checked states.
  std::vector<double> mass_matrix_;
  std::map<Operation, std::vector<double>> reference_;
};

// How a contestant computes.
enum class Precision { kDouble, kFloat, kFiniteDifferences };

// What rounding, or the step of finite differences, may explain.
double tolerance(Operation operation, Precision precision);

}  // namespace rbd_bench
