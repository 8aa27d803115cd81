// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/newton_euler.hpp"

/// What the methods for serial chains share (hybrid_abia.hpp, dca.hpp). Their papers are about
/// bodies in one row, each on the one before, with joints of one coordinate.
namespace rbd_parallel_core {

/// Calls visitor(joint, placement) for a body whose joint has one coordinate, and does nothing for
/// others.
template <class S, class Real, class Visitor>
RBD_INLINE void visit_chain_body(const BodyView<Real>& body, const Visitor& visitor) {
  visit_body<S>(body, [&](const auto& joint, const auto& placement) RBD_INLINE_LAMBDA {
    if constexpr (std::remove_cvref_t<decltype(joint)>::nv == 1) visitor(joint, placement);
  });
}

/// What a motor does that drives a joint by x: some force f with s . f = x. The constraint forces
/// make up for any other choice.
template <Part part, int index, class S>
RBD_INLINE Force<S> motor_force(const UnitAxis<part, index>& axis, const S& x) {
  Motion<S> along = Motion<S>::zero();
  axis.add_to(along, x);
  return {along.w, along.v};
}
template <class S>
RBD_INLINE Force<S> motor_force(const ScrewAxis<S>&, const S& x) {
  return motor_force(typename ScrewAxis<S>::Turn{}, x);
}

/// What the motor of coordinate k does beyond damping and friction.
template <class S, class Real, class V, class T>
RBD_INLINE S driving_torque(const ModelView<Real>& model, std::int32_t k, const V& v, const T& tau,
                            bool friction) {
  return tau(k) - joint_terms<S>(model, k, v, Zeros<S>{}, friction);
}

// X* f and X* I X^-1: from the parent's frame to the body's. The other algorithms only ever carry
// forces and inertias inward; going outward is shifting back, then turning on.

template <class S, class T>
RBD_INLINE T turned_outward(const ZTurn<S>& turn, const T& a) {
  return ZTurn<S>{turn.c, -turn.s}.rotate_back(a);
}
template <class S, class T>
RBD_INLINE T turned_outward(const XTurn<S>& turn, const T& a) {
  return XTurn<S>{turn.c, -turn.s}.rotate_back(a);
}
/// Three right angles back are one on; no number is computed.
template <class S, class T>
RBD_INLINE T turned_outward(const XQuarterTurn<S>& turn, const T& a) {
  return turn.rotate_back(turn.rotate_back(turn.rotate_back(a)));
}
template <class S, class T>
RBD_INLINE T turned_outward(const NoTurn<S>&, const T& a) {
  return a;
}

template <class S, class T>
RBD_INLINE T carried_outward(const GeneralPlacement<S>& placement, const T& a) {
  return apply_inverse(inverse(placement.X), a);
}
template <class S, class Turn, class T>
RBD_INLINE T carried_outward(const DhPlacement<S, Turn>& placement, const T& a) {
  return turned_outward(placement.turn, shift_along_x(a, -placement.a));
}
template <class S, class T>
RBD_INLINE T carried_outward(const ScrewMotion<S>& motion, const T& a) {
  return turned_outward(motion.turn, shift_along_z(a, -motion.shift));
}
template <class JointMotion, class Placement, class T>
RBD_INLINE T carried_outward(const StagedTransform<JointMotion, Placement>& X, const T& a) {
  return carried_outward(X.motion, carried_outward(X.placement, a));
}

}  // namespace rbd_parallel_core
