// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "algorithm/relative_error.hpp"
#include "rbd_parallel_core/algorithm/external_forces.hpp"
#include "rbd_parallel_core/algorithm/workspace.hpp"
#include "rbd_parallel_core/model/converted_model.hpp"
#include "rbd_parallel_core/model/model.hpp"
#include "rbd_parallel_core/testing/robots.hpp"

namespace rbd_parallel_core {

struct ScanState {
  std::vector<double> q, v, a;
  std::vector<Force<double>> f_ext;  ///< per body
  Vec3<double> gravity{0.7, -9.1, 2.3};
};

inline ScanState random_scan_state(const Model& model, conformance::Random& random) {
  const auto nv = static_cast<std::size_t>(model.nv());
  ScanState state{conformance::random_configuration(model, random),
                  random.numbers(nv, 2),
                  random.numbers(nv, 5),
                  {}};
  for (std::int32_t i = 0; i < model.view().body_count; ++i) {
    state.f_ext.push_back({random.vector(3), random.vector(8)});
  }
  return state;
}

/// The recursive algorithms in long double: what the scan forms must give but for rounding.
class Recursion {
 public:
  using S = long double;
  explicit Recursion(const Model& model) : converted_(model.view()) {
    const auto bodies = static_cast<std::size_t>(view_.body_count);
    const auto columns = static_cast<std::size_t>(view_.column_count);
    memory_.assign(Workspace<S>::bytes(bodies, columns) / sizeof(S) + 1, S(0));
    workspace_ = Workspace<S>::in(reinterpret_cast<std::byte*>(memory_.data()), bodies, columns);
  }
  Recursion(const Recursion&) = delete;
  Recursion& operator=(const Recursion&) = delete;

  std::vector<S> inverse_dynamics(const ScanState& state, bool friction) {
    const std::vector<S> q = wide(state.q), v = wide(state.v), a = wide(state.a);
    std::vector<Force<S>> f_ext(static_cast<std::size_t>(view_.body_count), Force<S>::zero());
    for (std::size_t i = 0; i < state.f_ext.size(); ++i) {
      f_ext[i] = {broadcast<S>(state.f_ext[i].n), broadcast<S>(state.f_ext[i].f)};
    }
    std::vector<S> tau(static_cast<std::size_t>(view_.nv));
    rnea(view_, workspace_.rnea, Row<S>{q.data()}, Row<S>{v.data()}, Row<S>{a.data()},
         Column<Force<S>>{f_ext.data()}, broadcast<S>(state.gravity), friction,
         OutRow<S>{tau.data()});
    return tau;
  }

  /// nv x nv
  std::vector<S> mass_matrix(const ScanState& state) {
    const std::vector<S> q = wide(state.q);
    std::vector<S> M(static_cast<std::size_t>(view_.nv) * static_cast<std::size_t>(view_.nv));
    crba(view_, workspace_.crba, Row<S>{q.data()}, OutSymmetric<S>{{M.data(), view_.nv}});
    return M;
  }

  /// The largest distance of a body from the world's origin, m.
  double reach(const ScanState& state) {
    const std::vector<S> q = wide(state.q);
    forward_kinematics(view_, workspace_.kinematics, Row<S>{q.data()});
    S largest = 0;
    for (std::int32_t i = 0; i < view_.body_count; ++i) {
      const Vec3<S>& r = workspace_.kinematics.X0.load(i).r;
      largest = std::max(largest, std::sqrt(dot(r, r)));
    }
    return static_cast<double>(largest);
  }

 private:
  static std::vector<S> wide(const std::vector<double>& numbers) {
    return {numbers.begin(), numbers.end()};
  }

  ConvertedModel<S> converted_;
  const ModelView<S>& view_ = converted_.view();
  std::vector<S> memory_;
  Workspace<S> workspace_{};
};

/// What rounding may do to a scan form: every number passes as many sums as the tour has steps, and
/// carries the distance to the root (moments) or its square (inertias) before that cancels.
template <class Real>
double rounding(const Model& model, double reach, int power) {
  const double steps = 2.0 * (model.view().body_count + 1);
  const auto epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());
  return 8 * epsilon * steps * std::pow(1 + reach, power);
}

}  // namespace rbd_parallel_core
