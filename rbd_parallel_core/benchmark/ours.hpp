// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "aligned.hpp"
#include "operation.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "states.hpp"

namespace rbd_bench {

// How this library is used by one contestant.
struct Usage {
  std::string backend;
  std::size_t batch = 1;  // States in one call.
  int threads = 1;
  rbd_parallel_core::Layout layout = rbd_parallel_core::Layout::rows;
  rbd_parallel_core::InstructionSet instruction_set{};
};

std::shared_ptr<const rbd_parallel_core::Model> load_model(const std::string& urdf_xml,
                                                           bool floating_base);

// Where results go: one array for all contestants of a case, which take turns.
class ResultArray {
 public:
  template <class Real>
  std::span<Real> take(std::size_t count) {
    const std::size_t doubles = (count * sizeof(Real) + sizeof(double) - 1) / sizeof(double);
    if (numbers_.size() < doubles) numbers_.resize(doubles);
    return {reinterpret_cast<Real*>(numbers_.data()), count};
  }

 private:
  AlignedVector<double> numbers_;
};

// A backend of this library with states in its layout: with measure.hpp the part of the benchmark
// that is timed on our side.
template <class Real>
class Ours {
 public:
  // The number of states must be a multiple of the batch.
  Ours(std::shared_ptr<const rbd_parallel_core::Model> model, const Usage& usage,
       const States& states, ResultArray& results);

  // Evaluates every state once, a batch in each call.
  void run(Operation operation);

  // Of some of the states, one after the other: all arrays of the result.
  std::vector<double> results(Operation operation, std::span<const std::size_t> states);

 private:
  struct Batch {
    AlignedVector<Real> q, v, a, tau;
  };

  std::size_t padded() const;
  std::size_t place(std::size_t state, std::size_t k, std::size_t n) const;
  AlignedVector<Real> laid_out(std::span<const double> rows, std::size_t n) const;
  std::span<const Real> compute(Operation operation, const Batch& batch);

  std::unique_ptr<rbd_parallel_core::BasicBackend<Real>> backend_;
  Usage usage_;
  ResultArray& results_;
  std::vector<Batch> batches_;
};

extern template class Ours<double>;
extern template class Ours<float>;

}  // namespace rbd_bench
