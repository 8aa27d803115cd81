// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "block_memory.hpp"
#include "lanes.hpp"

/// What is done once: the bodies of the tree into the lanes of packs.
namespace rbd_parallel_core {

/// The step that a shorter block fills up with: no mass, no motion, the same frame as before.
template <class Real>
RBD_INLINE BodyView<Real> empty_step() {
  BodyView<Real> body{};
  body.placement = Transform<Real>::identity();
  body.inertia = Inertia<Real>::zero();
  body.dh_cos = Real(1);
  body.form = PlacementForm::dh_parallel;
  return body;
}

/// Inertia beyond all that a robot has, and far from overflow when multiplied by a few numbers.
template <class Real>
inline constexpr Real immovable = sizeof(Real) == 4 ? Real(1e30) : Real(1e200);

/// The form that both have: their own where it is the same, else the next more general one.
RBD_INLINE PlacementForm common_form(PlacementForm a, PlacementForm b) {
  if (a == b) return a;
  const bool general = a == PlacementForm::general || b == PlacementForm::general;
  return general ? PlacementForm::general : PlacementForm::dh;
}

/// Puts the numbers of a body into a lane of its step.
template <class S>
RBD_INLINE void set_body_lane(BodyView<S>& step, std::int32_t lane,
                              const BodyView<RealOf<S>>& body) {
  set_lane(step.placement, lane, body.placement);
  set_lane(step.inertia, lane, body.inertia);
  store_lane<S>(&step.dh_cos, 0, lane, body.dh_cos);
  store_lane<S>(&step.dh_sin, 0, lane, body.dh_sin);
  store_lane<S>(&step.dh_a, 0, lane, body.dh_a);
  store_lane<S>(&step.angle, 0, lane, body.angle);
  store_lane<S>(&step.shift, 0, lane, body.shift);
  store_lane<S>(&step.pitch, 0, lane, body.pitch);
  store_lane<S>(&step.multiplier, 0, lane, body.multiplier);
  store_lane<S>(&step.offset, 0, lane, body.offset);
  store_lane<S>(&step.lever2, 0, lane, body.lever2);
}

template <class S>
RBD_KERNEL void prepare_pack(const BlockContext<RealOf<S>>& context, std::int32_t p) {
  using Real = RealOf<S>;
  constexpr auto width = static_cast<std::int32_t>(ScalarTraits<S>::width);
  const ModelView<Real>& model = context.model;
  const PlanView& plan = context.plan;
  const BlockPack& pack = plan.packs[p];
  const BlockShared<S> shared = BlockShared<S>::in(context);
  const auto type = static_cast<JointType>(pack.kind);
  const std::int32_t nq = nq_of(type), nv = nv_of(type);
  for (std::int32_t k = 0; k < pack.length; ++k) {
    BodyView<S>& step = shared.body[pack.first_step + k];
    step.type = type;
    step.parent = k - 1;
    step.head = k - k % longest_run;
    step.column = step.v_index = k * nv;
    step.q_index = k * nq;
    step.next_is_child = true;  // the last one too: the force at the tip comes from there
    step.has_more_children = false;
    for (std::int32_t l = 0; l < width; ++l) {
      const Block& block = plan.blocks[plan.lanes[pack.first_lane + l]];
      const bool empty = k >= block.length;
      // An empty step reads coordinates too, and multiplies them by zero.
      const std::int32_t i = plan.nodes[block.first + (empty ? 0 : k)];
      const BodyView<Real> body = empty ? empty_step<Real>() : model.body[i];
      step.form = l == 0 ? body.form : common_form(step.form, body.form);
      set_body_lane(step, l, body);
      const bool own = !empty && l < pack.blocks;
      shared.body_index[(pack.first_step + k) * width + l] = own ? i : -1;
      for (std::int32_t c = 0; c < nq; ++c) {
        shared.q_index[(context.offsets[p].q + step.q_index + c) * width + l] =
            model.body[i].q_index + c;
      }
      for (std::int32_t c = 0; c < nv; ++c) {
        const std::int64_t at = context.offsets[p].v + step.v_index + c;
        const std::int32_t dof = model.body[i].v_index + c;
        shared.v_index[at * width + l] = dof;
        shared.tau_index[at * width + l] = own ? dof : -1;
        store_lane<S>(shared.armature + at, 0, l, empty ? Real(0) : model.armature[dof]);
        store_lane<S>(shared.rigid_armature + at, 0, l,
                      empty ? immovable<Real> : model.armature[dof]);
        store_lane<S>(shared.damping + at, 0, l, empty ? Real(0) : model.damping[dof]);
        store_lane<S>(shared.friction + at, 0, l, empty ? Real(0) : model.friction[dof]);
      }
    }
  }
}

template <class S>
RBD_KERNEL void prepare_blocks(const BlockContext<RealOf<S>>& context) {
  const PlanView& plan = context.plan;
  const BlockShared<S> shared = BlockShared<S>::in(context);
  for (std::int32_t p = 0; p < plan.pack_count; ++p) {
    prepare_pack<S>(context, p);
    const BlockPack& pack = plan.packs[p];
    for (std::int32_t h = 0; h < pack.hanging; ++h) {
      const HangingPath& path = plan.hanging[pack.first_hanging + h];
      shared.body[pack.first_step + path.step].has_more_children = true;
    }
  }
}

}  // namespace rbd_parallel_core
