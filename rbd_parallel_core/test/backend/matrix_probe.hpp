// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "algorithm/scalar_model.hpp"
#include "rbd_parallel_core/model/converted_model.hpp"
#include "rbd_parallel_core/testing/robots.hpp"

/// Rounding of large mass matrices, against long double.
namespace rbd_parallel_core {

/// The diagonal and the last rows of a matrix that is too large to keep.
template <class S>
struct Probe {
  static constexpr bool zeros_persist = true;
  static constexpr std::int32_t rows = 40;

  S *diagonal, *tail;  ///< n; rows x n
  std::int32_t n;

  S load(std::int32_t i, std::int32_t j) const { return i == j ? diagonal[i] : S(0); }
  void store(std::int32_t i, std::int32_t j, const S& x) const {
    if (i == j) diagonal[i] = x;
    if (i >= n - rows) tail[static_cast<std::ptrdiff_t>(i - (n - rows)) * n + j] = x;
  }
  void clear() const {}
};

template <class S>
struct Probed {
  std::vector<S> diagonal, tail;
};

/// What crba.hpp gives in numbers of type S.
template <class S>
Probed<S> probe(const Model& model, const std::vector<double>& q) {
  const ConvertedModel<S> converted(model.view());
  const std::vector<S> state(q.begin(), q.end());
  const std::size_t n = conformance::index(model.nv());
  Probed<S> result{std::vector<S>(n), std::vector<S>(n * Probe<S>::rows)};
  std::vector<S> memory(Workspace<S>::bytes(n, n) / sizeof(S) + 1);
  const auto ws = Workspace<S>::in(reinterpret_cast<std::byte*>(memory.data()), n, n);
  crba(converted.view(), ws.crba, Row<S>{state.data()},
       Probe<S>{result.diagonal.data(), result.tail.data(), model.nv()});
  return result;
}

struct ProbeErrors {
  double diagonal, tail;  ///< relative to the entry; to the roots of the diagonal entries
};

template <class S>
ProbeErrors errors_of(const Probed<S>& actual, const Probed<long double>& exact) {
  ProbeErrors errors{0, 0};
  const std::size_t n = exact.diagonal.size();
  for (std::size_t i = 0; i < n; ++i) {
    const long double M_ii = exact.diagonal[i];
    errors.diagonal =
        std::max(errors.diagonal, static_cast<double>(std::abs(actual.diagonal[i] - M_ii) / M_ii));
  }
  for (std::size_t e = 0; e < exact.tail.size(); ++e) {
    const std::size_t i = n - Probe<S>::rows + e / n, j = e % n;
    const long double scale = std::sqrt(exact.diagonal[i] * exact.diagonal[j]);
    errors.tail = std::max(errors.tail,
                           static_cast<double>(std::abs(actual.tail[e] - exact.tail[e]) / scale));
  }
  return errors;
}

}  // namespace rbd_parallel_core
