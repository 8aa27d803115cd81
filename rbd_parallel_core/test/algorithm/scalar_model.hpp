// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "rbd_parallel_core/algorithm/cholesky.hpp"
#include "rbd_parallel_core/algorithm/workspace.hpp"
#include "rbd_parallel_core/model/converted_model.hpp"
#include "rbd_parallel_core/model/model.hpp"

namespace rbd_parallel_core {

/// A Model with its numbers in another precision, and the algorithms run on it in that precision.
template <class S>
class ScalarModel {
 public:
  explicit ScalarModel(const Model& model) : converted_(model.view()) {
    const auto bodies = static_cast<std::size_t>(view_.body_count);
    const auto columns = static_cast<std::size_t>(view_.column_count);
    memory_.assign(Workspace<S>::bytes(bodies, columns) / sizeof(S) + 1, S(0));
    workspace_ = Workspace<S>::in(reinterpret_cast<std::byte*>(memory_.data()), bodies, columns);
  }
  ScalarModel(const ScalarModel&) = delete;
  ScalarModel& operator=(const ScalarModel&) = delete;

  std::vector<S> inverse_dynamics(const std::vector<double>& q, const std::vector<double>& v,
                                  const std::vector<double>& a) {
    const std::vector<S> q_s = wide(q), v_s = wide(v), a_s = wide(a);
    std::vector<S> tau(v.size());
    rnea(view_, workspace_.rnea, Row<S>{q_s.data()}, Row<S>{v_s.data()}, Row<S>{a_s.data()},
         NoForces{}, view_.gravity, false, OutRow<S>{tau.data()});
    return tau;
  }

  /// nv x nv
  std::vector<S> mass_matrix(const std::vector<double>& q) {
    const std::vector<S> q_s = wide(q);
    const auto nv = static_cast<std::size_t>(view_.nv);
    std::vector<S> M(nv * nv);
    crba(view_, workspace_.crba, Row<S>{q_s.data()}, OutSymmetric<S>{{M.data(), view_.nv}});
    return M;
  }

  std::vector<S> forward_dynamics_by_aba(const std::vector<double>& q, const std::vector<double>& v,
                                         const std::vector<double>& tau) {
    const std::vector<S> q_s = wide(q), v_s = wide(v), tau_s = wide(tau);
    std::vector<S> qdd(v.size());
    aba(view_, workspace_.aba, Row<S>{q_s.data()}, Row<S>{v_s.data()}, Row<S>{tau_s.data()},
        NoForces{}, view_.gravity, false, OutRow<S>{qdd.data()});
    return qdd;
  }

  std::vector<S> forward_dynamics_by_crba(const std::vector<double>& q,
                                          const std::vector<double>& v,
                                          const std::vector<double>& tau) {
    std::vector<S> M = mass_matrix(q),
                   x = inverse_dynamics(q, v, std::vector<double>(v.size(), 0.0));
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<S>(tau[k]) - x[k];
    std::vector<S> diagonal(x.size());
    const OutMatrix<S> L{M.data(), view_.nv};
    ltl_factor<S>(view_, L, OutRow<S>{diagonal.data()});
    ltl_solve<S>(view_, L, OutRow<S>{x.data()});
    return x;
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

}  // namespace rbd_parallel_core
