// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "rbd_parallel_core/model/joint.hpp"

namespace rbd_parallel_core {

/// The form of a joint's constant placement in its parent: any, or a Denavit-Hartenberg row whose
/// turn about x is by any angle, by none (parallel axes) or by a right one.
enum class PlacementForm : std::uint8_t { general, dh, dh_parallel, dh_perpendicular };

/// One moving body with the joint that carries it, in canonical form (see joint.hpp): what a kernel
/// reads of a body, contiguous.
template <class Real>
struct BodyView {
  Transform<Real> placement;  ///< Xtree: from the parent body's frame to the joint frame
  Inertia<Real> inertia;      ///< in the body frame, all rigidly attached links included
  Real dh_cos, dh_sin,
      dh_a;           ///< `placement` again, unless `form` is general: turn about x, shift along x
  Real angle, shift;  ///< constant turn about and shift along z after the placement
  Real pitch;         ///< helical joints: metres per radian
  Real multiplier;    ///< q_joint = multiplier q[q_index] + offset; 1 and 0 but for mimic joints
  Real offset;
  Real lever2;  ///< m^2, over which inertias of children are moved, squared; 0 without children
  std::int32_t parent;  ///< index of the parent body, -1 for the world; parent < own index
  std::int32_t head;    ///< first body of its run: head, head + 1, ..., each the parent of the next
  std::int32_t column;  ///< first of its columns among all joints' (mimic joints have columns too)
  std::int32_t q_index;  ///< first coordinate in q
  std::int32_t v_index;  ///< first coordinate in v, a, tau
  JointType type;
  PlacementForm form;  ///< of `placement`
  bool next_is_child;  ///< body i + 1 hangs on body i; then nothing needs to be stored between them
  bool has_more_children;
};

/// The longest run of bodies that share a point of reference (see crba.hpp).
inline constexpr std::int32_t longest_run = 16;

/// Calls visitor(joint) with the struct of that body's joint: one visitor, compiled once for each
/// type. The branch depends on the robot only, never on a state.
template <class S, class Real, class Visitor>
RBD_INLINE void visit_joint(const BodyView<Real>& body, const Visitor& visitor) {
  switch (body.type) {
    case JointType::revolute:
      visitor(RevoluteJoint<S>{S(body.angle), S(body.shift)});
      break;
    case JointType::prismatic:
      visitor(PrismaticJoint<S>{S(body.angle), S(body.shift)});
      break;
    case JointType::helical:
      visitor(HelicalJoint<S>{S(body.angle), S(body.shift), S(body.pitch)});
      break;
    case JointType::planar:
      visitor(PlanarJoint<S>{});
      break;
    case JointType::spherical:
      visitor(SphericalJoint<S>{});
      break;
    case JointType::floating:
      visitor(FloatingJoint<S>{});
      break;
  }
}

/// The same with visitor(joint, placement). Only joints of one coordinate have Denavit-Hartenberg
/// placements, and of them only revolute ones are common enough for the cheapest forms. Helical
/// joints are so rare that theirs is taken as a general one, which it is too: each pair costs the
/// compiler as much as the next.
template <class S, class Real, class Visitor>
RBD_INLINE void visit_body(const BodyView<Real>& body, const Visitor& visitor) {
  visit_joint<S>(body, [&](const auto& joint) RBD_INLINE_LAMBDA {
    using Joint = std::remove_cvref_t<decltype(joint)>;
    if constexpr (std::is_same_v<Joint, RevoluteJoint<S>>) {
      if (body.form == PlacementForm::dh_perpendicular) {
        visitor(joint, DhPlacement<S, XQuarterTurn<S>>{{}, S(body.dh_a)});
        return;
      }
      if (body.form == PlacementForm::dh_parallel) {
        visitor(joint, DhPlacement<S, NoTurn<S>>{{}, S(body.dh_a)});
        return;
      }
    }
    if constexpr (Joint::nv == 1 && !std::is_same_v<Joint, HelicalJoint<S>>) {
      if (body.form != PlacementForm::general) {
        visitor(joint, DhPlacement<S, XTurn<S>>{{S(body.dh_cos), S(body.dh_sin)}, S(body.dh_a)});
        return;
      }
    }
    visitor(joint, GeneralPlacement<S>{broadcast<S>(body.placement)});
  });
}

/// A named frame: its body and its place there.
template <class Real>
struct LinkView {
  Transform<Real> offset;  ///< from the body frame (the world's where body is -1) to the link frame
  std::int32_t body;       ///< index of the body, -1: fixed to the world
};

/// The robot as plain pointers and numbers: trivially copyable, fit for a kernel or a GPU thread.
/// It points into a Model (or a copy of its arrays) and is valid as long as that lives.
template <class Real>
struct ModelView {
  std::int32_t body_count;  ///< moving bodies
  std::int32_t link_count;
  std::int32_t nq, nv;
  std::int32_t column_count;  ///< nv if every mimic joint had coordinates of its own
  bool has_mimic;
  bool has_branches;               ///< some coordinates do not act on each other: M has zeros
  bool has_quaternions;            ///< in q
  Vec3<Real> gravity;              ///< in the world frame, m/s^2
  Inertia<Real> base_inertia;      ///< of what is fixed to the world, in its frame
  const BodyView<Real>* body;      ///< body_count, parents before children
  const LinkView<Real>* link;      ///< link_count
  const Real* armature;            ///< nv, kg m^2 or kg: added to the diagonal of M
  const Real* damping;             ///< nv, N m s/rad or N s/m
  const Real* friction;            ///< nv, N m or N
  const std::int32_t* column_dof;  ///< column_count: the coordinate of v that a column belongs to
  const Real* column_multiplier;   ///< column_count: of that coordinate, 1 but for mimic joints
  const std::int32_t* dof_parent;  ///< nv, elimination tree of M: next smaller coupled one, or -1
};

/// Mass, first moment and rotational inertia of a body.
inline constexpr std::int32_t parameters_per_body = 10;

/// The link that the joint of a body carries is the first one of that body, and bodies and links
/// stand in the same order: calls visit(body, link) for all.
template <class Real, class Visit>
RBD_INLINE void for_each_carried_link(const ModelView<Real>& model, const Visit& visit) {
  std::int32_t body = 0;
  for (std::int32_t link = 0; link < model.link_count; ++link) {
    if (model.link[link].body == body) visit(body++, link);
  }
}

}  // namespace rbd_parallel_core
