// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "rbd_parallel_core/algorithm/external_forces.hpp"
#include "rbd_parallel_core/algorithm/workspace.hpp"
#include "rbd_parallel_core/model/configuration.hpp"
#include "rbd_parallel_core/model/converted_model.hpp"
#include "rbd_parallel_core/operation_arguments.hpp"
#include "rbd_parallel_core/testing/robots.hpp"

namespace rbd_parallel_core {

using Long = long double;
using Longs = std::vector<Long>;

/// Inverse dynamics in long double.
class LongDynamics {
 public:
  explicit LongDynamics(const Model& model) : converted_(model.view()) {
    const auto bodies = conformance::index(view_.body_count),
               columns = conformance::index(view_.column_count);
    memory_.assign(Workspace<Long>::bytes(bodies, columns) / sizeof(Long) + 1, Long(0));
    workspace_ = Workspace<Long>::in(reinterpret_cast<std::byte*>(memory_.data()), bodies, columns);
  }
  LongDynamics(const LongDynamics&) = delete;
  LongDynamics& operator=(const LongDynamics&) = delete;

  /// wrenches: six numbers for each of `links`.
  Longs torques(const Longs& q, const Longs& v, const Longs& a, const std::vector<int>& links,
                const std::vector<double>& wrenches, Axes axes, bool friction) {
    forward_kinematics(view_, workspace_.kinematics, Row<Long>{q.data()});
    clear_external_forces(view_, workspace_.f_ext);
    for (std::size_t k = 0; k < links.size(); ++k) {
      const Longs wrench(wrenches.begin() + static_cast<std::ptrdiff_t>(6 * k),
                         wrenches.begin() + static_cast<std::ptrdiff_t>(6 * k + 6));
      add_external_force(view_, workspace_.kinematics, links[k], Row<Long>{wrench.data()},
                         axes == Axes::world, workspace_.f_ext);
    }
    Longs tau(v.size());
    rnea(view_, workspace_.rnea, Row<Long>{q.data()}, Row<Long>{v.data()}, Row<Long>{a.data()},
         PossibleForces<Long, Column>{workspace_.f_ext, true}, view_.gravity, friction,
         OutRow<Long>{tau.data()});
    return tau;
  }

  /// q moved by h along coordinate k of v.
  Longs moved(const Longs& q, std::size_t k, Long h) const {
    Longs step(conformance::index(view_.nv), Long(0)), next = q;
    step[k] = h;
    for (std::int32_t i = 0; i < view_.body_count; ++i) {
      const BodyView<Long>& body = view_.body[i];
      if (body.multiplier != 1 || body.offset != 0) continue;  // follows another one
      visit_joint<Long>(body, [&](const auto& joint) {
        integrate_joint(joint, Row<Long>{q.data() + body.q_index},
                        Row<Long>{step.data() + body.v_index},
                        OutRow<Long>{next.data() + body.q_index});
      });
    }
    return next;
  }

 private:
  ConvertedModel<Long> converted_;
  const ModelView<Long>& view_ = converted_.view();
  std::vector<Long> memory_;
  Workspace<Long> workspace_{};
};

}  // namespace rbd_parallel_core
