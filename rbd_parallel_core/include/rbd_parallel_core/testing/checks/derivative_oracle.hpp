// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "rbd_parallel_core/model/configuration.hpp"
#include "rbd_parallel_core/testing/checks/number_checks.hpp"

/// Derivatives of what the oracle gives, by differences: it knows no others.
namespace rbd_parallel_core::conformance {

namespace detail {

/// What the differences below are wrong by themselves, relative to the largest entry. Their error
/// is h^8 / 630 times a ninth derivative, that of a sine of up to about 4 times the coordinate,
/// where several joints follow one; and rounding over h.
inline constexpr double error_of_differences = 1e-10;

/// df/dt at 0 for f that gives numbers, by eight points, exact for polynomials of degree 8.
template <class F>
std::vector<double> slope(const F& f) {
  constexpr double h = 0.02, weights[4] = {4. / 5, -1. / 5, 4. / 105, -1. / 280};
  std::vector<double> sum;
  for (int k = 0; k < 4; ++k) {
    const std::vector<double> after = f((k + 1) * h), before = f(-(k + 1) * h);
    sum.resize(after.size(), 0.0);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weights[k] / h * (after[i] - before[i]);
  }
  return sum;
}

/// Where q gets to with the rates v in the time t.
inline std::vector<double> moved(const Model& model, const double* q, const std::vector<double>& v,
                                 double t) {
  std::vector<double> next(index(model.nq()));
  const Result result = integrate<double>(
      model, {.q = {q, next.size()}, .v = v, .dt = t, .next = next, .status = {}});
  if (!result.ok()) next.clear();
  return next;
}

inline std::vector<double> unit(std::size_t n, std::size_t k) {
  std::vector<double> e(n, 0.0);
  e[k] = 1;
  return e;
}

/// A matrix of `rows` rows, by its columns.
template <class Column>
std::vector<double> matrix_of_columns(std::size_t rows, std::size_t columns, const Column& column) {
  std::vector<double> matrix(rows * columns);
  for (std::size_t j = 0; j < columns; ++j) {
    const std::vector<double> numbers = column(j);
    for (std::size_t i = 0; i < rows; ++i) matrix[i * columns + j] = numbers[i];
  }
  return matrix;
}

inline std::vector<double> transposed(const std::vector<double>& A, std::size_t rows) {
  const std::size_t columns = rows == 0 ? 0 : A.size() / rows;
  return matrix_of_columns(columns, rows, [&](std::size_t i) {
    return std::vector<double>(A.begin() + static_cast<std::ptrdiff_t>(i * columns),
                               A.begin() + static_cast<std::ptrdiff_t>((i + 1) * columns));
  });
}

/// A B, where A has as many columns as B has rows.
inline std::vector<double> product(const std::vector<double>& A, const std::vector<double>& B,
                                   std::size_t inner) {
  if (inner == 0) return {};
  const std::size_t rows = A.size() / inner, columns = B.size() / inner;
  std::vector<double> AB(rows * columns, 0.0);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < inner; ++k) {
      for (std::size_t j = 0; j < columns; ++j) {
        AB[i * columns + j] += A[i * inner + k] * B[k * columns + j];
      }
    }
  }
  return AB;
}

/// a + factor b
inline std::vector<double> sum(std::vector<double> a, const std::vector<double>& b,
                               double factor = 1) {
  for (std::size_t k = 0; k < a.size(); ++k) a[k] += factor * b[k];
  return a;
}

/// M^-1 b for a positive definite M, by elimination.
inline std::vector<double> solved(std::vector<double> M, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = M[i * n + k] / M[k * n + k];
      for (std::size_t j = k; j < n; ++j) M[i * n + j] -= factor * M[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= M[k * n + j] * b[j];
    b[k] /= M[k * n + k];
  }
  return b;
}

/// One robot in one state, by the oracle: its dynamics and their slopes.
class DerivativeOracle {
 public:
  DerivativeOracle(const Robot& robot, const Model& model, const State& state,
                   std::vector<OracleWrench> wrenches, bool friction)
      : oracle_(robot),
        model_(model),
        x_(state),
        nv_(index(model.nv())),
        wrenches_(std::move(wrenches)),
        friction_(friction) {}

  std::vector<double> mass_matrix() const { return oracle_.mass_matrix(x_.q); }

  /// qdd of the state's tau.
  std::vector<double> accelerations() const {
    const std::vector<double> bias =
        oracle_.inverse_dynamics(x_.q, x_.v, zeros().data(), wrenches_, true, friction_);
    return solved(mass_matrix(), sum({x_.tau, x_.tau + nv_}, bias, -1));
  }

  std::vector<double> dtau_dq(const double* a) const {
    return matrix_of_columns(nv_, nv_, [&](std::size_t k) {
      return slope([&](double t) {
        return oracle_.inverse_dynamics(moved(model_, x_.q, unit(nv_, k), t).data(), x_.v, a,
                                        wrenches_, true, false);
      });
    });
  }

  /// tau has no higher power of v than the second: a difference over any distance is exact. What
  /// friction adds has a jump at zero, which the derivative leaves out.
  std::vector<double> dtau_dv(const double* a) const {
    return matrix_of_columns(nv_, nv_, [&](std::size_t k) {
      const auto tau = [&](double step) {
        std::vector<double> v(x_.v, x_.v + nv_);
        v[k] += step;
        return oracle_.inverse_dynamics(x_.q, v.data(), a, {}, false, false);
      };
      std::vector<double> column = sum(tau(0.5), tau(-0.5), -1);
      if (friction_) column = sum(column, sum(resistance(k, 2), resistance(k, 1), -1));
      return column;
    });
  }

  std::vector<double> coriolis_forces() const {
    return oracle_.inverse_dynamics(x_.q, x_.v, zeros().data(), {}, false, false);
  }

  std::vector<double> mass_matrix_rate() const {
    return along_the_motion(
        [&](const std::vector<double>& q) { return oracle_.mass_matrix(q.data()); });
  }

  /// C of the Christoffel symbols, (dM/dt + P - P^T) / 2 with P = d (M v) / d q for a constant v.
  std::vector<double> christoffel_matrix() const {
    const std::vector<double> v(x_.v, x_.v + nv_);
    const std::vector<double> P = matrix_of_columns(nv_, nv_, [&](std::size_t k) {
      return slope([&](double t) {
        return product(oracle_.mass_matrix(moved(model_, x_.q, unit(nv_, k), t).data()), v, nv_);
      });
    });
    std::vector<double> C = sum(mass_matrix_rate(), sum(P, transposed(P, nv_), -1));
    for (double& entry : C) entry /= 2;
    return C;
  }

  std::vector<double> momentum_matrix() const { return oracle_.momentum_matrix(x_.q); }
  std::vector<double> momentum_matrix_rate() const {
    return along_the_motion(
        [&](const std::vector<double>& q) { return oracle_.momentum_matrix(q.data()); });
  }

  /// d/dt f(q(t)) while the state moves with its v.
  template <class F>
  std::vector<double> along_the_motion(const F& f) const {
    const std::vector<double> v(x_.v, x_.v + nv_);
    // A tenth of the usual distance: all coordinates move, by up to 2 each.
    std::vector<double> rate = slope([&](double t) { return f(moved(model_, x_.q, v, 0.1 * t)); });
    for (double& x : rate) x *= 10;
    return rate;
  }

 private:
  std::vector<double> zeros() const { return std::vector<double>(nv_, 0.0); }

  /// What friction and damping take where coordinate k alone moves.
  std::vector<double> resistance(std::size_t k, double rate) const {
    std::vector<double> v = zeros();
    v[k] = rate;
    const auto tau = [&](bool friction) {
      return oracle_.inverse_dynamics(x_.q, v.data(), zeros().data(), {}, false, friction);
    };
    return sum(tau(true), tau(false), -1);
  }

  NewtonOracle oracle_;
  const Model& model_;
  State x_;
  std::size_t nv_;
  std::vector<OracleWrench> wrenches_;
  bool friction_;
};

}  // namespace detail

}  // namespace rbd_parallel_core::conformance
