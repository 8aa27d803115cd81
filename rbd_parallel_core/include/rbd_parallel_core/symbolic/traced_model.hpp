// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "rbd_parallel_core/model/model_view.hpp"

namespace rbd_parallel_core::symbolic {

/// The numbers of a robot as tracing takes them: with as many zeros and ones as they allow.
///
/// Entries of rotations that differ from 0, 1 or -1 by rounding become these; lengths and inertias
/// that are rounding, 1e-15 of what they were computed from, become zero. With `regroup`, inertias
/// are those of the base parameters (Gautier and Khalil, 1990): what a joint cannot tell from its
/// parent's inertia moves to the parent. That is the mass, the first moment along the axis and
/// equal moments of inertia about the two other axes for a revolute joint, all moments of inertia
/// for a prismatic one. Torques, M and their derivatives stay what they are, by algebra; the
/// inertias are no longer those of bodies, so that whether ABA's pivots count as zero must be
/// judged with others.
class TracedModel {
 public:
  /// The arrays besides the bodies stay the model's own.
  TracedModel(const ModelView<double>& model, bool regroup);

  ModelView<double> view() const;

 private:
  ModelView<double> model_;
  std::vector<BodyView<double>> bodies_;
};

}  // namespace rbd_parallel_core::symbolic
