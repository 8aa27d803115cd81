// SPDX-License-Identifier: Apache-2.0
#include "accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "common/checks.hpp"
#include "rbd_parallel_core/algorithm/workspace.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/model/converted_model.hpp"
#include "rbd_parallel_core/model/mass_matrix_pattern.hpp"

namespace rbd_bench {
namespace {

namespace core = rbd_parallel_core;

using Exact = long double;
constexpr std::size_t kTail = 5;

template <class Real>
struct State {
  explicit State(const Tree& tree)
      : q(tree.q.begin(), tree.q.end()),
        v(tree.v.begin(), tree.v.end()),
        a(tree.a.begin(), tree.a.end()) {}
  std::vector<Real> q, v, a;
};

// Takes a mass matrix and keeps its diagonal: all of it would be too large.
struct Diagonal {
  static constexpr bool zeros_persist = true;

  Exact* numbers;

  Exact load(std::int32_t i, std::int32_t j) const { return i == j ? numbers[i] : Exact(0); }
  void store(std::int32_t i, std::int32_t j, const Exact& x) const {
    if (i == j) numbers[i] = x;
  }
  void clear() const {}
};

// The texts in long double.
class Oracle {
 public:
  explicit Oracle(const core::Model& model) : converted_(model.view()) {
    const auto bodies = static_cast<std::size_t>(view_.body_count);
    const auto columns = static_cast<std::size_t>(view_.column_count);
    memory_.assign(core::Workspace<Exact>::bytes(bodies, columns) / sizeof(Exact) + 1, Exact(0));
    workspace_ =
        core::Workspace<Exact>::in(reinterpret_cast<std::byte*>(memory_.data()), bodies, columns);
  }
  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;

  template <class Real>
  std::vector<Exact> torques(const State<Real>& state) {
    const std::vector<Exact> q = wide(state.q), v = wide(state.v), a = wide(state.a);
    std::vector<Exact> tau(v.size());
    rnea(view_, workspace_.rnea, core::Row<Exact>{q.data()}, core::Row<Exact>{v.data()},
         core::Row<Exact>{a.data()}, core::NoForces{}, view_.gravity, false,
         core::OutRow<Exact>{tau.data()});
    return tau;
  }

  template <class Real>
  std::vector<Exact> diagonal(const State<Real>& state) {
    const std::vector<Exact> q = wide(state.q);
    std::vector<Exact> result(state.v.size());
    crba(view_, workspace_.crba, core::Row<Exact>{q.data()}, Diagonal{result.data()});
    return result;
  }

 private:
  template <class Real>
  static std::vector<Exact> wide(const std::vector<Real>& numbers) {
    return {numbers.begin(), numbers.end()};
  }

  core::ConvertedModel<Exact> converted_;
  const core::ModelView<Exact>& view_ = converted_.view();
  std::vector<Exact> memory_;
  core::Workspace<Exact> workspace_{};
};

struct Family {
  const char* name;
  const char* backend;
  core::TreeFamily family;
};

constexpr Family kFamilies[] = {{"recursion", "reference", {}},
                                {"blocks", "tree", core::TreeFamily::blocks},
                                {"scans", "tree", core::TreeFamily::scans}};

template <class Real>
std::vector<Real> torques_by(core::BasicBackend<Real>& backend, const State<Real>& state) {
  std::vector<Real> tau(state.v.size());
  require(backend.inverse_dynamics({.q = state.q, .v = state.v, .a = state.a, .tau = tau}));
  return tau;
}

// The scans know the full matrix only; of the others the sparse one is enough.
template <class Real>
std::vector<Real> diagonal_by(core::BasicBackend<Real>& backend, const State<Real>& state) {
  const core::ModelView<double>& view = backend.model().view();
  const auto n = static_cast<std::size_t>(view.nv);
  std::vector<Real> diagonal(n);
  if (backend.options().tree.family == core::TreeFamily::scans) {
    std::vector<Real> M(n * n);
    require(backend.mass_matrix({.q = state.q, .mass_matrix = M}));
    for (std::size_t i = 0; i < n; ++i) diagonal[i] = M[i * n + i];
    return diagonal;
  }
  const core::MassMatrixRows rows({view.dof_parent, n});
  std::vector<Real> values(static_cast<std::size_t>(rows.row_start().back()));
  require(backend.mass_matrix({.q = state.q, .sparse = values}));
  for (std::size_t i = 0; i < n; ++i) {
    diagonal[i] = values[static_cast<std::size_t>(rows.row_start()[i + 1] - 1)];
  }
  return diagonal;
}

// A comparison with not a number is false: it must not be taken for the smaller one.
void keep_larger(Exact& largest, Exact x) {
  if (!(x <= largest)) largest = x;
}

template <class Real>
double error_of(std::span<const Real> found, std::span<const Exact> exact) {
  Exact difference = 0, scale = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    if (!std::isfinite(found[k])) return std::numeric_limits<double>::quiet_NaN();
    keep_larger(difference, std::abs(static_cast<Exact>(found[k]) - exact[k]));
    keep_larger(scale, std::abs(exact[k]));
  }
  return static_cast<double>(difference / scale);
}

template <class Real>
double diagonal_error(std::span<const Real> found, std::span<const Exact> exact) {
  Exact largest = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    if (!std::isfinite(found[k])) return std::numeric_limits<double>::quiet_NaN();
    keep_larger(largest, std::abs((static_cast<Exact>(found[k]) - exact[k]) / exact[k]));
  }
  return static_cast<double>(largest);
}

template <class Real>
void add_errors(const Tree& tree, Oracle& oracle, const Question& question,
                std::vector<Errors>& all) {
  const State<Real> state(tree);
  const std::vector<Exact> torques = oracle.torques(state);
  const std::vector<Exact> diagonal =
      question.mass_matrix ? oracle.diagonal(state) : std::vector<Exact>();
  const std::size_t tail = std::min(kTail, torques.size());
  for (const Family& family : kFamilies) {
    if (family.family == core::TreeFamily::scans && !question.scans) continue;
    const auto backend = core::make_backend<Real>(family.backend);
    backend->configure(tree.model,
                       {.threads = question.threads, .tree = {.family = family.family}});
    const std::vector<Real> found = torques_by(*backend, state);
    Errors errors{family.name, std::is_same_v<Real, float> ? "float" : "double", 0, 0, {}};
    errors.torques = error_of<Real>(found, torques);
    errors.tail = error_of<Real>(std::span(found).last(tail), std::span(torques).last(tail));
    if (question.mass_matrix) {
      errors.diagonal = diagonal_error<Real>(diagonal_by(*backend, state), diagonal);
    }
    all.push_back(errors);
  }
}

}  // namespace

std::vector<Errors> errors_of(const Tree& tree, const Question& question) {
  Oracle oracle(*tree.model);
  std::vector<Errors> all;
  add_errors<double>(tree, oracle, question, all);
  add_errors<float>(tree, oracle, question, all);
  return all;
}

}  // namespace rbd_bench
