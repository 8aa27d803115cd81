// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "grid.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "states.hpp"

namespace rbd_bench {

/// The arrays of one call, in the numbers of the backend.
template <class Real>
class Call {
 public:
  Call(const rbd_parallel_core::Model& model, const CallCase& what);
  /// Throws if the backend refuses it.
  void run(rbd_parallel_core::BasicBackend<Real>& backend);

 private:
  CallCase what_;
  std::vector<Real> q_, v_, a_, tau_, result_;
};

extern template class Call<double>;
extern template class Call<float>;

/// Microseconds of one call of each, the least of several samples that are taken in turn. One
/// thread is timed by what it ran, several by the clock.
std::vector<double> least_times(std::span<const std::function<void()>> calls, int threads,
                                double seconds);

}  // namespace rbd_bench
