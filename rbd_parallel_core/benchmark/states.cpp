// SPDX-License-Identifier: Apache-2.0
#include "states.hpp"

#include <cmath>
#include <numbers>
#include <random>

namespace rbd_bench {
namespace {

constexpr std::size_t kPositionSize = 3;
constexpr std::size_t kFloatingNq = 7;

void fill_uniform(std::span<double> out, double bound, std::mt19937_64& generator) {
  std::uniform_real_distribution<double> uniform(-bound, bound);
  for (double& x : out) x = uniform(generator);
}

// Normal components, normalised: uniform over all orientations.
void fill_unit_quaternion(std::span<double> out, std::mt19937_64& generator) {
  std::normal_distribution<double> normal;
  double squared = 0.0;
  for (double& x : out) {
    x = normal(generator);
    squared += x * x;
  }
  for (double& x : out) x /= std::sqrt(squared);
}

void fill_configuration(std::span<double> q, bool floating_base, std::mt19937_64& generator) {
  if (floating_base) {
    fill_uniform(q.first(kPositionSize), 1.0, generator);
    fill_unit_quaternion(q.subspan(kPositionSize, kFloatingNq - kPositionSize), generator);
    q = q.subspan(kFloatingNq);
  }
  fill_uniform(q, std::numbers::pi, generator);
}

}  // namespace

States random_states(std::size_t count, std::size_t nv, bool floating_base, std::uint64_t seed) {
  States s;
  s.count = count;
  s.nv = nv;
  s.nq = nv + (floating_base ? 1 : 0);
  s.q.resize(count * s.nq);
  s.v.resize(count * nv);
  s.a.resize(count * nv);
  s.tau.resize(count * nv);

  std::mt19937_64 generator(seed);
  for (std::size_t k = 0; k < count; ++k) {
    fill_configuration(std::span(s.q).subspan(k * s.nq, s.nq), floating_base, generator);
  }
  fill_uniform(s.v, 1.0, generator);
  fill_uniform(s.a, 1.0, generator);
  fill_uniform(s.tau, 1.0, generator);
  return s;
}

States pick(const States& states, std::span<const std::size_t> which) {
  States s{.count = which.size(), .nq = states.nq, .nv = states.nv, .q{}, .v{}, .a{}, .tau{}};
  const auto append = [](std::vector<double>& all, std::span<const double> row) {
    all.insert(all.end(), row.begin(), row.end());
  };
  for (const std::size_t k : which) {
    append(s.q, states.q_of(k));
    append(s.v, states.v_of(k));
    append(s.a, states.a_of(k));
    append(s.tau, states.tau_of(k));
  }
  return s;
}

}  // namespace rbd_bench
