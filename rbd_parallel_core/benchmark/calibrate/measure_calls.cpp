// SPDX-License-Identifier: Apache-2.0
#include "measure_calls.hpp"

#include <algorithm>
#include <stdexcept>

#include "common/sampling.hpp"
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

std::vector<double> least_times(std::span<const std::function<void()>> calls, int threads,
                                double seconds) {
  std::vector<Runner> runners;
  for (const auto& call : calls) runners.push_back({"", threads, call, 0.0});
  // A sample is long enough for the clock, and short enough to fit between interruptions. Several
  // threads take longer to be caught while nothing else runs.
  const std::vector<Samples> samples =
      sample(runners, {.case_seconds = seconds * threads * static_cast<double>(calls.size()),
                       .sample_seconds = 30e-6,
                       .settling_seconds = 0,
                       .warm_up = false,
                       .least_rounds = 4,
                       .most_rounds = 100'000});
  // The least but for a tenth of them: the CPU time of a thread in a virtual machine stands still
  // now and then.
  std::vector<double> least;
  for (const Samples& of_call : samples) {
    std::vector<double> times = threads == 1 ? of_call.cpu_ns : of_call.wall_ns;
    std::sort(times.begin(), times.end());
    least.push_back(quantile(times, 0.1) / 1e3);
  }
  return least;
}

}  // namespace rbd_bench
