// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <span>

#include "interruptible.hpp"
#include "rbd_parallel_core/backend.hpp"

/// A large batch is computed in slices, so that signals are seen meanwhile. States do not depend on
/// each other, and slices start at whole groups of lanes: the results are the same in every bit.
namespace rbd_parallel_python {

/// Slices start at multiples of it: of every lane width, and of the cache lines of a status.
inline constexpr std::size_t slice_unit = 64;

/// The states [first, first + count) of `args`, whose arrays hold `batch` of them. `first` is a
/// multiple of slice_unit.
template <class Args>
Args slice_of(const Args& args, std::size_t first, std::size_t count, std::size_t lane_width) {
  using namespace rbd_parallel_core;
  const auto whole_groups = [&](std::size_t states) {
    return args.layout == Layout::rows ? states
                                       : (states + lane_width - 1) / lane_width * lane_width;
  };
  Args slice = args;
  slice.batch = count;
  const auto cut = [&](auto& array) {
    if (array.empty()) return;
    const std::size_t numbers = array.size() / whole_groups(args.batch);
    array = array.subspan(first * numbers, whole_groups(count) * numbers);
  };
  for_each_field<Args>([&](const auto& field) {
    if constexpr (requires { field.array; }) {
      cut(slice.*field.array);
    } else if constexpr (requires { field.wrenches; }) {
      cut((slice.*field.wrenches).wrenches);
    }
  });
  if (!slice.status.empty()) slice.status = slice.status.subspan(first, count);
  return slice;
}

/// How many states the next slice takes: few at first, since nobody knows what a state costs, then
/// twice as many until a slice takes a good part of signal_interval.
class SliceLength {
 public:
  /// The first slice is to take about a millisecond: robots of a few joints take 0.1 us for each,
  /// and what is done with a matrix grows with its size.
  explicit SliceLength(std::size_t nv)
      : states_(rounded(std::size_t{1} << 19) / std::max<std::size_t>(nv * nv, 1)) {
    states_ = rounded(states_);
  }

  std::size_t states() const { return states_; }
  void took(std::chrono::steady_clock::duration time) {
    if (4 * time < signal_interval) {
      states_ *= 2;
    } else if (time > signal_interval) {
      states_ = rounded(states_ / 2);
    }
  }

 private:
  static std::size_t rounded(std::size_t states) {
    return std::max(states / slice_unit, std::size_t{1}) * slice_unit;
  }
  std::size_t states_;
};

/// compute(first, count) for one slice of the batch after the other, without the GIL, which the
/// caller holds, until one is refused. `nv`: of the model. Raises what a signal handler raises;
/// then the results are only in part written.
template <class Compute>
rbd_parallel_core::Result in_slices(std::size_t batch, int nv, const Compute& compute) {
  using Clock = std::chrono::steady_clock;
  SliceLength length(static_cast<std::size_t>(nv));
  std::size_t first = 0;
  for (;;) {
    {
      const nb::gil_scoped_release release;
      const Clock::time_point start = Clock::now();
      Clock::time_point before = start;
      do {
        const std::size_t left = batch - first;
        // Never one state alone at the end: it would be computed by other instructions.
        const bool is_last = left < length.states() + slice_unit;
        const std::size_t count = is_last ? left : length.states();
        const rbd_parallel_core::Result result = compute(first, count);
        if (is_last || !result) return result;
        first += count;
        const Clock::time_point now = Clock::now();
        length.took(now - before);
        before = now;
      } while (before - start < signal_interval);
    }
    check_signals();
  }
}

/// backend.compute(args) in slices.
template <rbd_parallel_core::Operation operation, class Real>
rbd_parallel_core::Result compute_in_slices(
    rbd_parallel_core::BasicBackend<Real>& backend, rbd_parallel_core::OperationTag<operation> tag,
    const rbd_parallel_core::ArgumentsOf<operation, Real>& args) {
  return in_slices(args.batch, backend.model().nv(), [&](std::size_t first, std::size_t count) {
    const bool is_whole = count == args.batch;
    return backend.compute(
        {tag, is_whole ? args : slice_of(args, first, count, backend.lane_width())});
  });
}

}  // namespace rbd_parallel_python
