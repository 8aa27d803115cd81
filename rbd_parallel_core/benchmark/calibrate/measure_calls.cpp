// SPDX-License-Identifier: Apache-2.0
#include "measure_calls.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "cpu_clock.hpp"
#include "rbd_parallel_core/model/mass_matrix_pattern.hpp"

namespace rbd_bench {

using rbd_parallel_core::Operation;
using rbd_parallel_core::Result;

template <class Real>
Call<Real>::Call(const rbd_parallel_core::Model& model, const CallCase& what) : what_(what) {
  const auto nv = static_cast<std::size_t>(model.nv());
  const States states = random_states(what.batch, nv, false, 1);
  q_.assign(states.q.begin(), states.q.end());
  v_.assign(states.v.begin(), states.v.end());
  a_.assign(states.a.begin(), states.a.end());
  tau_.assign(states.tau.begin(), states.tau.end());
  std::size_t numbers = nv;
  if (what.operation == Operation::mass_matrix) numbers = nv * nv;
  if (what.operation == Operation::sparse_mass_matrix) {
    numbers = static_cast<std::size_t>(mass_matrix_nonzeros(model));
  }
  result_.resize(what.batch * numbers);
}

template <class Real>
void Call<Real>::run(rbd_parallel_core::BasicBackend<Real>& backend) {
  Result result;
  switch (what_.operation) {
    case Operation::forward_dynamics:
      result = backend.forward_dynamics(
          {.batch = what_.batch, .q = q_, .v = v_, .tau = tau_, .qdd = result_});
      break;
    case Operation::mass_matrix:
      result = backend.mass_matrix({.batch = what_.batch, .q = q_, .mass_matrix = result_});
      break;
    case Operation::sparse_mass_matrix:
      result = backend.mass_matrix({.batch = what_.batch, .q = q_, .sparse = result_});
      break;
    default:
      result = backend.inverse_dynamics(
          {.batch = what_.batch, .q = q_, .v = v_, .a = a_, .tau = result_});
  }
  if (!result.ok()) throw std::runtime_error(message(result));
}

template class Call<double>;
template class Call<float>;

namespace {

double wall_nanoseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::nano>(now).count();
}

double sample_us(const std::function<void()>& call, int repetitions, int threads) {
  const auto clock = threads == 1 ? cpu_nanoseconds : wall_nanoseconds;
  const double start = clock();
  for (int k = 0; k < repetitions; ++k) call();
  return (clock() - start) / 1e3 / repetitions;
}

/// The least but for a tenth of them: the CPU time of a thread in a virtual machine stands still
/// now and then.
double least_of(std::vector<double>& times) {
  const auto place = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 10);
  std::nth_element(times.begin(), place, times.end());
  return *place;
}

}  // namespace

std::vector<double> least_times(std::span<const std::function<void()>> calls, int threads,
                                double seconds) {
  // A sample is long enough for the clock, and short enough to fit between interruptions.
  constexpr double sample_length_us = 30;
  constexpr int fewest_samples = 4;
  std::vector<std::vector<double>> times(calls.size());
  std::vector<int> repetitions;
  for (const auto& call : calls) {
    call();  // what the first call brings into the caches is not to be measured
    const double once = std::max(sample_us(call, 1, threads), 1e-2);
    repetitions.push_back(static_cast<int>(std::clamp(sample_length_us / once, 1.0, 1000.0)));
  }
  // Several threads take longer to be caught while nothing else runs.
  const double end =
      wall_nanoseconds() + 1e9 * seconds * threads * static_cast<double>(calls.size());
  for (int sample = 0; sample < fewest_samples || wall_nanoseconds() < end; ++sample) {
    for (std::size_t k = 0; k < calls.size(); ++k) {
      times[k].push_back(sample_us(calls[k], repetitions[k], threads));
    }
  }
  std::vector<double> least;
  for (std::vector<double>& of_call : times) least.push_back(least_of(of_call));
  return least;
}

}  // namespace rbd_bench
