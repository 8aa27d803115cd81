// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rbd_parallel_core/algorithm/cholesky.hpp"
#include "rbd_parallel_core/algorithm/workspace.hpp"
#include "rbd_parallel_core/model/model.hpp"

namespace rbd_parallel_core {

/// A Model with its numbers in another precision, and the algorithms run on it in that precision.
template <class S>
class ScalarModel {
 public:
  explicit ScalarModel(const Model& model) {
    const ModelView<double>& from = model.view();
    for (std::int32_t i = 0; i < from.body_count; ++i) bodies_.push_back(convert(from.body[i]));
    const auto numbers = [](const double* values, std::int32_t n) {
      return std::vector<S>(values, values + n);
    };
    armature_ = numbers(from.armature, from.nv);
    damping_ = numbers(from.damping, from.nv);
    friction_ = numbers(from.friction, from.nv);
    multipliers_ = numbers(from.column_multiplier, from.column_count);
    // A binding for each member: one that is added to the struct shows up here as a compile error.
    const auto& [body_count, link_count, nq, nv, column_count, has_mimic, has_branches,
                 has_quaternions, gravity, base_inertia, body, link, armature, damping, friction,
                 column_dof, column_multiplier, dof_parent] = from;
    view_ = {body_count,
             0,
             nq,
             nv,
             column_count,
             has_mimic,
             has_branches,
             has_quaternions,
             broadcast<S>(gravity),
             broadcast<S>(base_inertia),
             bodies_.data(),
             nullptr,
             armature_.data(),
             damping_.data(),
             friction_.data(),
             column_dof,
             multipliers_.data(),
             dof_parent};
    const std::size_t columns = static_cast<std::size_t>(column_count);
    memory_.assign(Workspace<S>::bytes(bodies_.size(), columns) / sizeof(S) + 1, S(0));
    workspace_ =
        Workspace<S>::in(reinterpret_cast<std::byte*>(memory_.data()), bodies_.size(), columns);
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
    crba(view_, workspace_.crba, Row<S>{q_s.data()}, OutMatrix<S>{M.data(), view_.nv});
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
  static BodyView<S> convert(const BodyView<double>& from) {
    const auto& [placement, inertia, dh_cos, dh_sin, dh_a, angle, shift, pitch, multiplier, offset,
                 parent, head, column, q_index, v_index, type, dh, next_is_child,
                 has_more_children] = from;
    return {broadcast<S>(placement),
            broadcast<S>(inertia),
            static_cast<S>(dh_cos),
            static_cast<S>(dh_sin),
            static_cast<S>(dh_a),
            static_cast<S>(angle),
            static_cast<S>(shift),
            static_cast<S>(pitch),
            static_cast<S>(multiplier),
            static_cast<S>(offset),
            parent,
            head,
            column,
            q_index,
            v_index,
            type,
            dh,
            next_is_child,
            has_more_children};
  }
  static std::vector<S> wide(const std::vector<double>& numbers) {
    return {numbers.begin(), numbers.end()};
  }

  std::vector<BodyView<S>> bodies_;
  std::vector<S> armature_, damping_, friction_, multipliers_, memory_;
  ModelView<S> view_{};
  Workspace<S> workspace_{};
};

}  // namespace rbd_parallel_core
