// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/trajectory/identification.hpp"

#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>

#include "rbd_parallel_core/model/configuration.hpp"

namespace rbd_parallel_core {
namespace {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double largest_rate = 3, largest_acceleration = 10;
constexpr std::size_t states_at_once = 64;

std::size_t size(Index n) { return static_cast<std::size_t>(n); }
Index index(std::size_t n) { return static_cast<Index>(n); }

void require(const Result& result, const char* what) {
  if (!result.ok()) throw std::runtime_error(std::string(what) + ": " + message(result));
}

std::vector<double> uniform_numbers(std::mt19937_64& engine, std::size_t n, double largest) {
  std::vector<double> numbers(n);
  for (double& x : numbers) {
    x = largest * (2 * (static_cast<double>(engine() >> 11) * 0x1p-53) - 1);
  }
  return numbers;
}

/// The regressors of states at random, one below the other.
Rows stacked_regressors(std::shared_ptr<const Model> model, std::size_t states,
                        std::uint64_t seed) {
  const auto nq = static_cast<std::size_t>(model->nq()), nv = static_cast<std::size_t>(model->nv());
  const std::size_t parameters =
      static_cast<std::size_t>(model->body_count()) * parameters_per_body;
  std::mt19937_64 engine(seed);
  std::vector<double> q(states * nq);
  random_configurations(*model, engine, q);
  const std::vector<double> v = uniform_numbers(engine, states * nv, largest_rate);
  const std::vector<double> a = uniform_numbers(engine, states * nv, largest_acceleration);
  Rows Y(index(states * nv), index(parameters));
  const auto backend = make_backend("cpu");
  backend->configure(std::move(model), {.max_batch = states});
  require(backend->regressor(
              {.batch = states, .q = q, .v = v, .a = a, .regressor = {Y.data(), size(Y.size())}}),
          "base_parameters");
  if (!Y.allFinite()) throw std::runtime_error("base_parameters: the regressor is not finite");
  return Y;
}

/// The lengths of the columns; one where a column vanishes beside the others.
Vector column_lengths(const Rows& Y, double tolerance) {
  Vector lengths = Y.colwise().norm();
  const double largest = lengths.size() > 0 ? lengths.maxCoeff() : 0;
  for (double& length : lengths) {
    if (length <= tolerance * largest) length = std::numeric_limits<double>::infinity();
  }
  return lengths;
}

}  // namespace

std::vector<double> BaseParameters::of(std::span<const double> pi) const {
  if (pi.size() != parameters) {
    throw std::invalid_argument("base parameters: expected " + std::to_string(parameters) +
                                " inertial parameters, ten for each body, got " +
                                std::to_string(pi.size()));
  }
  std::vector<double> base(independent.size(), 0.0);
  for (std::size_t i = 0; i < base.size(); ++i) {
    for (std::size_t k = 0; k < parameters; ++k) base[i] += regroup[i * parameters + k] * pi[k];
  }
  return base;
}

BaseParameters base_parameters(std::shared_ptr<const Model> model,
                               const BaseParametersOptions& options) {
  if (model == nullptr) throw std::invalid_argument("base_parameters: the model is null");
  if (!(options.tolerance > 0 && options.tolerance < 1)) {
    throw std::invalid_argument("base_parameters: tolerance is " +
                                std::to_string(options.tolerance) +
                                ", expected a number between 0 and 1");
  }
  BaseParameters result;
  result.parameters = static_cast<std::size_t>(model->body_count()) * parameters_per_body;
  if (model->nv() == 0) return result;
  // Twice as many equations as parameters, and for each joint as many as a body has parameters.
  const std::size_t enough =
      2 * result.parameters / static_cast<std::size_t>(model->nv()) + 2 * parameters_per_body;
  Rows Y = stacked_regressors(std::move(model), options.states > 0 ? options.states : enough,
                              options.seed);
  const Vector lengths = column_lengths(Y, options.tolerance);
  Y = Y * lengths.cwiseInverse().asDiagonal();

  // Y P = Q [R1 R2; 0 0]: the columns that R2 stands for are Y1 R1^-1 R2.
  const Eigen::ColPivHouseholderQR<Matrix> qr(Y);
  const Vector pivots = qr.matrixQR().diagonal().cwiseAbs();
  const Index columns = index(result.parameters);
  Index rank = 0;
  while (rank < pivots.size() && pivots[rank] > options.tolerance) ++rank;
  result.smallest_kept = rank > 0 ? pivots[rank - 1] : 0;
  result.largest_dropped = rank < pivots.size() ? pivots[rank] : 0;
  const Matrix R = qr.matrixQR().topRows(rank).triangularView<Eigen::Upper>();
  const Matrix dependence =
      R.leftCols(rank).triangularView<Eigen::Upper>().solve(R.rightCols(columns - rank));

  const auto& order = qr.colsPermutation().indices();
  std::vector<Index> rows(size(rank));  // in the order of their columns
  for (Index i = 0; i < rank; ++i) rows[size(i)] = i;
  std::sort(rows.begin(), rows.end(), [&](Index a, Index b) { return order[a] < order[b]; });
  result.regroup.assign(size(rank) * result.parameters, 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const int column = order[rows[i]];
    double* const row = result.regroup.data() + i * result.parameters;
    result.independent.push_back(column);
    row[column] = 1;
    for (Index k = rank; k < columns; ++k) {
      const int other = order[k];
      const double share = dependence(rows[i], k - rank);
      if (std::isinf(lengths[other]) || std::abs(share) <= options.tolerance) continue;  // rounding
      row[other] = share * lengths[other] / lengths[column];
    }
  }
  return result;
}

// ---- least squares ------------------------------------------------------------------------------

namespace {

void check(const Model& model, const BaseParameters& parameters, const Measurements& measured) {
  const auto nq = static_cast<std::size_t>(model.nq()), nv = static_cast<std::size_t>(model.nv());
  const auto expect = [](const char* name, std::span<const double> array, std::size_t expected) {
    if (array.size() != expected) {
      throw std::invalid_argument("identify: " + std::string(name) + " has " +
                                  std::to_string(array.size()) + " elements, expected " +
                                  std::to_string(expected));
    }
    if (!std::all_of(array.begin(), array.end(), [](double x) { return std::isfinite(x); })) {
      throw std::invalid_argument("identify: " + std::string(name) +
                                  " has a number that is not finite; leave such samples out");
    }
  };
  expect("q", measured.q, measured.samples * nq);
  expect("v", measured.v, measured.samples * nv);
  expect("a", measured.a, measured.samples * nv);
  expect("tau", measured.tau, measured.samples * nv);
  if (!measured.noise.empty()) expect("noise", measured.noise, nv);
  if (std::any_of(measured.noise.begin(), measured.noise.end(), [](double x) { return x <= 0; })) {
    throw std::invalid_argument("identify: noise has a number that is not above zero");
  }
  if (parameters.parameters != static_cast<std::size_t>(model.body_count()) * parameters_per_body) {
    throw std::invalid_argument("identify: the base parameters are those of a robot with " +
                                std::to_string(parameters.parameters / parameters_per_body) +
                                " bodies, this one has " + std::to_string(model.body_count()));
  }
  if (measured.samples * nv <= parameters.independent.size()) {
    throw std::invalid_argument(
        "identify: " + std::to_string(measured.samples * nv) + " torques do not tell " +
        std::to_string(parameters.independent.size()) + " base parameters; give more samples");
  }
}

/// The triangle of a QR factorisation of [Y_base tau], to which rows are added block by block: as
/// much memory as a block takes, however many samples there are.
class Equations {
 public:
  Equations(Backend& backend, const BaseParameters& parameters)
      : backend_(backend),
        parameters_(parameters),
        pi_(backend.model().inertial_parameters()),
        triangle_(Matrix::Zero(index(parameters.independent.size() + 1),
                               index(parameters.independent.size() + 1))) {}

  void add(const Measurements& some) {
    const auto nv = static_cast<std::size_t>(backend_.model().nv());
    const std::size_t rows = some.samples * nv;
    Rows Y(index(rows), index(parameters_.parameters));
    Vector modelled(index(rows));
    require(backend_.regressor({.batch = some.samples,
                                .q = some.q,
                                .v = some.v,
                                .a = some.a,
                                .regressor = {Y.data(), size(Y.size())}}),
            "identify");
    require(backend_.inverse_dynamics({.batch = some.samples,
                                       .q = some.q,
                                       .v = some.v,
                                       .a = some.a,
                                       .tau = {modelled.data(), rows}}),
            "identify");
    // What the model says without its inertial parameters: armature and friction.
    const Vector known = modelled - Y * Eigen::Map<const Vector>(pi_.data(), index(pi_.size()));
    const Index n = triangle_.cols() - 1;
    Matrix block(triangle_.rows() + index(rows), n + 1);
    block.topRows(n + 1) = triangle_;
    for (std::size_t r = 0; r < rows; ++r) {
      const double weight = some.noise.empty() ? 1 : 1 / some.noise[r % nv];
      const Index from = index(r), to = n + 1 + from;
      for (Index k = 0; k < n; ++k) {
        block(to, k) = weight * Y(from, parameters_.independent[size(k)]);
      }
      block(to, n) = weight * (some.tau[r] - known[from]);
    }
    if (!block.allFinite()) {
      throw std::invalid_argument(
          "identify: q has a zero quaternion, or numbers so large that torques overflow");
    }
    triangle_ = Eigen::HouseholderQR<Matrix>(block)
                    .matrixQR()
                    .topRows(n + 1)
                    .template triangularView<Eigen::Upper>();
  }

  Identification solved(std::size_t equations) const {
    const Index n = triangle_.cols() - 1;
    const Matrix R = triangle_.topLeftCorner(n, n);
    require_excited(R);
    const Vector base = R.triangularView<Eigen::Upper>().solve(triangle_.col(n).head(n));
    const Matrix inverse = R.triangularView<Eigen::Upper>().solve(Matrix::Identity(n, n));
    const double squares = triangle_(n, n) * triangle_(n, n);
    const double variance = squares / static_cast<double>(equations - size(n));
    const Vector errors = std::sqrt(variance) * inverse.rowwise().norm();
    return {{base.begin(), base.end()},
            {errors.begin(), errors.end()},
            std::sqrt(squares / static_cast<double>(equations))};
  }

 private:
  /// Columns of length one, so that units do not matter.
  void require_excited(const Matrix& R) const {
    const Vector lengths = R.colwise().norm();
    if (lengths.size() == 0) return;
    const bool none = lengths.minCoeff() == 0;
    if (!none) {
      const Matrix scaled = R * lengths.cwiseInverse().asDiagonal();
      const Eigen::ColPivHouseholderQR<Matrix> qr(scaled);
      const Vector pivots = qr.matrixQR().diagonal().cwiseAbs();
      if (pivots.minCoeff() > 1e-10 * pivots.maxCoeff()) return;
    }
    throw std::invalid_argument(
        "identify: the motions do not excite all " + std::to_string(lengths.size()) +
        " base parameters; move more joints, further and with other accelerations");
  }

  Backend& backend_;
  const BaseParameters& parameters_;
  std::vector<double> pi_;
  Matrix triangle_;
};

}  // namespace

Identification identify(Backend& backend, const BaseParameters& parameters,
                        const Measurements& measured) {
  if (!backend.configured()) {
    throw std::invalid_argument("identify: the backend is not configured");
  }
  check(backend.model(), parameters, measured);
  const auto nq = static_cast<std::size_t>(backend.model().nq());
  const auto nv = static_cast<std::size_t>(backend.model().nv());
  const std::size_t most = std::min(backend.options().max_batch, states_at_once);
  Equations equations(backend, parameters);
  for (std::size_t first = 0; first < measured.samples; first += most) {
    const std::size_t count = std::min(most, measured.samples - first);
    equations.add({count, measured.q.subspan(first * nq, count * nq),
                   measured.v.subspan(first * nv, count * nv),
                   measured.a.subspan(first * nv, count * nv),
                   measured.tau.subspan(first * nv, count * nv), measured.noise});
  }
  return equations.solved(measured.samples * nv);
}

}  // namespace rbd_parallel_core
