// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rbd_bench {

// `count` states of one robot, row-major, in this project's layout.
struct States {
  std::size_t count = 0;
  std::size_t nq = 0;
  std::size_t nv = 0;
  std::vector<double> q, v, a, tau;

  std::span<const double> q_of(std::size_t k) const { return {q.data() + k * nq, nq}; }
  std::span<const double> v_of(std::size_t k) const { return {v.data() + k * nv, nv}; }
  std::span<const double> a_of(std::size_t k) const { return {a.data() + k * nv, nv}; }
  std::span<const double> tau_of(std::size_t k) const { return {tau.data() + k * nv, nv}; }
};

// Random states: angles over the whole circle, the rest uniform in (-1, 1), unit quaternions.
// The same seed gives the same states.
States random_states(std::size_t count, std::size_t nv, bool floating_base, std::uint64_t seed);

// Some of the states, in the order of `which`.
States pick(const States& states, std::span<const std::size_t> which);

}  // namespace rbd_bench
