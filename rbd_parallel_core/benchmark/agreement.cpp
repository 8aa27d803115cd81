// SPDX-License-Identifier: Apache-2.0
#include "agreement.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "ours.hpp"

namespace rbd_bench {
namespace {

constexpr std::size_t kChecked = 16;

double largest(std::span<const double> x) {
  double result = 0.0;
  for (const double value : x) result = std::max(result, std::abs(value));
  return result;
}

std::vector<double> difference(std::span<const double> x, std::span<const double> y) {
  std::vector<double> result(x.size());
  std::transform(x.begin(), x.end(), y.begin(), result.begin(), std::minus<>());
  return result;
}

std::vector<double> multiply(std::span<const double> matrix, std::span<const double> x) {
  std::vector<double> result(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) result[i] += matrix[i * x.size() + j] * x[j];
  }
  return result;
}

// std::max ignores a NaN, so it is looked for by itself.
bool all_finite(std::span<const double> x) {
  return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
}

std::vector<std::size_t> some_of(std::size_t count) {
  std::vector<std::size_t> result(std::min(count, kChecked));
  std::iota(result.begin(), result.end(), std::size_t{0});
  result.back() = count - 1;
  return result;
}

std::span<const double> part(const std::vector<double>& all, std::size_t k, std::size_t n) {
  return std::span(all).subspan(k * n, n);
}

}  // namespace

Agreement::Agreement(std::shared_ptr<const rbd_parallel_core::Model> model, const States& states,
                     std::span<const Operation> operations)
    : nv_(states.nv), checked_(some_of(states.count)) {
  const States checked = pick(states, checked_);
  tau_ = checked.tau;
  ResultArray memory;
  Ours<double> ours(
      std::move(model),
      {.backend = "reference", .instruction_set = rbd_parallel_core::choose_instruction_set()},
      checked, memory);
  std::vector<std::size_t> all(checked.count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  mass_matrix_ = ours.results(Operation::kCrba, all);
  for (const Operation operation : operations) {
    reference_[operation] = ours.results(operation, all);
  }
}

double Agreement::disagreement(Operation operation, const std::vector<double>& results) const {
  if (!all_finite(results)) return std::numeric_limits<double>::infinity();
  const auto& reference = reference_.at(operation);
  const auto [arrays, n] = result_shape(operation, nv_);
  double worst = 0.0;
  for (std::size_t k = 0; k < arrays * checked_.size(); ++k) {
    const auto expected = part(reference, k, n);
    const std::vector<double> error = difference(part(results, k, n), expected);
    worst = std::max(worst, operation == Operation::kAba
                                ? largest(multiply(part(mass_matrix_, k, nv_ * nv_), error)) /
                                      largest(part(tau_, k, nv_))
                                : largest(error) / largest(expected));
  }
  return worst;
}

// Forward dynamics of the longest chain, whose M is the most ill-conditioned one, sets its limits:
// the numbers of different algorithms, all of them sound, are that far apart.
double tolerance(Operation operation, Precision precision) {
  switch (precision) {
    case Precision::kDouble:
      return solves(operation) ? 1e-7 : 1e-12;
    case Precision::kFloat:
      return solves(operation) ? 1e-2 : 1e-4;
    case Precision::kFiniteDifferences:
      return 1e-3;
  }
  throw std::invalid_argument("unknown precision");
}

}  // namespace rbd_bench
