// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rbd_parallel_core/model/joint.hpp"

namespace rbd_parallel_core {

/// One moving body with the joint that carries it, in canonical form (see joint.hpp): what a kernel reads
/// of a body, contiguous.
template <class Real>
struct BodyView {
  Transform<Real> placement;  ///< Xtree: from the parent body's frame to the joint frame
  Inertia<Real> inertia;      ///< in the body frame, all rigidly attached links included
  Real pitch;                 ///< helical joints: metres per radian
  Real multiplier;            ///< q_joint = multiplier q[q_index] + offset; 1 and 0 but for mimic joints
  Real offset;
  std::int32_t parent;   ///< index of the parent body, -1 for the world; parent < own index
  std::int32_t q_index;  ///< first coordinate in q
  std::int32_t v_index;  ///< first coordinate in v, a, tau
  JointType type;
};

/// A named frame: its body and its place there.
template <class Real>
struct LinkView {
  Transform<Real> offset;  ///< from the body frame (the world's where body is -1) to the link frame
  std::int32_t body;       ///< index of the body, -1: fixed to the world
};

/// The robot as plain pointers and numbers: trivially copyable, fit for a kernel or a GPU thread. It
/// points into a Model (or a copy of its arrays) and is valid as long as that lives.
template <class Real>
struct ModelView {
  std::int32_t body_count;  ///< moving bodies
  std::int32_t link_count;
  std::int32_t nq, nv;
  bool has_mimic;
  Vec3<Real> gravity;           ///< in the world frame, m/s^2
  Inertia<Real> base_inertia;   ///< what is fixed to the world, in its frame: for energies and centre of mass
  const BodyView<Real>* body;   ///< body_count, parents before children
  const LinkView<Real>* link;   ///< link_count
  const Real* armature;         ///< nv, kg m^2 or kg: added to the diagonal of M
  const Real* damping;          ///< nv, N m s/rad or N s/m
  const Real* friction;         ///< nv, N m or N
  const std::int32_t* dof_parent;  ///< nv, elimination tree of M: next smaller coordinate coupled, or -1
};

}  // namespace rbd_parallel_core
