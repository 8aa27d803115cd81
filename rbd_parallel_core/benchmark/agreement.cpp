// SPDX-License-Identifier: Apache-2.0
#include "agreement.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace rbd_bench {
namespace {

using Vector = std::vector<double>;

double largest(std::span<const double> x) {
  double result = 0.0;
  for (const double value : x) result = std::max(result, std::abs(value));
  return result;
}

Vector difference(const Vector& x, const Vector& y) {
  Vector result(x.size());
  std::transform(x.begin(), x.end(), y.begin(), result.begin(), std::minus<>());
  return result;
}

Vector multiply(const Vector& matrix, const Vector& x) {
  Vector result(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) result[i] += matrix[i * x.size() + j] * x[j];
  }
  return result;
}

// std::max ignores a NaN, so it is looked for by itself.
bool all_finite(const Vector& x) {
  return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
}

RbdPeerOperation reference_for(Operation operation) {
  switch (operation) {
    case Operation::kRnea:
      return RBD_PEER_RNEA;
    case Operation::kCrba:
      return RBD_PEER_CRBA_WORLD;
    case Operation::kAba:
      break;
  }
  return RBD_PEER_ABA_WORLD;
}

double disagreement_of_state(Operation operation, Ours& ours, Peer& peer, const States& states,
                             std::size_t k) {
  const Vector reference = peer.evaluate(reference_for(operation), k);
  const Vector result = ours.evaluate(operation, k);
  if (!all_finite(result)) return std::numeric_limits<double>::infinity();
  const Vector error = difference(result, reference);
  if (operation != Operation::kAba) return largest(error) / largest(reference);
  const Vector mass_matrix = peer.evaluate(RBD_PEER_CRBA_WORLD, k);
  return largest(multiply(mass_matrix, error)) / largest(states.tau_of(k));
}

}  // namespace

double disagreement(Operation operation, Ours& ours, Peer& peer, const States& states) {
  double worst = 0.0;
  for (std::size_t k = 0; k < states.count; ++k) {
    worst = std::max(worst, disagreement_of_state(operation, ours, peer, states, k));
  }
  return worst;
}

double tolerance(Operation operation) { return operation == Operation::kAba ? 1e-9 : 1e-12; }

}  // namespace rbd_bench
