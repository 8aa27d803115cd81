// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include <algorithm>
#include <cstddef>
#include <random>

namespace rbd_parallel_bench {
namespace {

constexpr unsigned seed = 1;

double quantile(const std::vector<double>& sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double weight = position - static_cast<double>(below);
  return sorted[below] + weight * (sorted[above] - sorted[below]);
}

Timing summarise(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return {.median = quantile(seconds, 0.5),
          .lower_quartile = quantile(seconds, 0.25),
          .upper_quartile = quantile(seconds, 0.75),
          .percentile_99 = quantile(seconds, 0.99),
          .minimum = seconds.front()};
}

}  // namespace

DuelResult measure(const Duel& duel, int rounds, const std::function<void(int)>& after_round) {
  for (int i = 0; i < rounds / 10; ++i)
    duel.node(), duel.echo();  // until memory and caches are warm
  std::mt19937 random(seed);
  std::vector<double> node, echo;
  for (int i = 0; i < rounds; ++i) {
    const bool node_first = random() % 2 == 0;
    if (node_first) node.push_back(duel.node());
    echo.push_back(duel.echo());
    if (!node_first) node.push_back(duel.node());
    after_round(i + 1);
  }
  return {summarise(std::move(node)), summarise(std::move(echo))};
}

}  // namespace rbd_parallel_bench
