// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "rbd_parallel_core/model/model_view.hpp"

namespace rbd_parallel_core {

/// The numbers of a Model in another precision, and a view of them. What has no fraction (the shape
/// of the tree) stays in the Model, which must live as long.
template <class Real>
class ConvertedModel {
 public:
  explicit ConvertedModel(const ModelView<double>& from) {
    for (std::int32_t i = 0; i < from.body_count; ++i) bodies_.push_back(convert(from.body[i]));
    for (std::int32_t i = 0; i < from.link_count; ++i) {
      links_.push_back({broadcast<Real>(from.link[i].offset), from.link[i].body});
    }
    // A binding for each member: one that is added to the struct shows up here as a compile error.
    const auto& [body_count, link_count, nq, nv, column_count, has_mimic, has_branches,
                 has_quaternions, gravity, base_inertia, body, link, armature, damping, friction,
                 column_dof, column_multiplier, dof_parent] = from;
    armature_ = numbers(armature, nv);
    damping_ = numbers(damping, nv);
    friction_ = numbers(friction, nv);
    multipliers_ = numbers(column_multiplier, column_count);
    view_ = {body_count,
             link_count,
             nq,
             nv,
             column_count,
             has_mimic,
             has_branches,
             has_quaternions,
             broadcast<Real>(gravity),
             broadcast<Real>(base_inertia),
             bodies_.data(),
             links_.data(),
             armature_.data(),
             damping_.data(),
             friction_.data(),
             column_dof,
             multipliers_.data(),
             dof_parent};
  }
  ConvertedModel(const ConvertedModel&) = delete;
  ConvertedModel& operator=(const ConvertedModel&) = delete;

  const ModelView<Real>& view() const { return view_; }

 private:
  static std::vector<Real> numbers(const double* values, std::int32_t n) {
    std::vector<Real> converted;
    for (std::int32_t k = 0; k < n; ++k) converted.push_back(static_cast<Real>(values[k]));
    return converted;
  }
  static BodyView<Real> convert(const BodyView<double>& from) {
    const auto& [placement, inertia, dh_cos, dh_sin, dh_a, angle, shift, pitch, multiplier, offset,
                 lever2, parent, head, column, q_index, v_index, type, form, next_is_child,
                 has_more_children] = from;
    return {broadcast<Real>(placement),
            broadcast<Real>(inertia),
            static_cast<Real>(dh_cos),
            static_cast<Real>(dh_sin),
            static_cast<Real>(dh_a),
            static_cast<Real>(angle),
            static_cast<Real>(shift),
            static_cast<Real>(pitch),
            static_cast<Real>(multiplier),
            static_cast<Real>(offset),
            static_cast<Real>(lever2),
            parent,
            head,
            column,
            q_index,
            v_index,
            type,
            form,
            next_is_child,
            has_more_children};
  }

  std::vector<BodyView<Real>> bodies_;
  std::vector<LinkView<Real>> links_;
  std::vector<Real> armature_, damping_, friction_, multipliers_;
  ModelView<Real> view_{};
};

}  // namespace rbd_parallel_core
