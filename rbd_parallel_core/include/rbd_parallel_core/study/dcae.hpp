// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/study/assembly_tree.hpp"

/// DCAe, the efficient divide-and-conquer algorithm for chains of Critchley, Anderson and Binani
/// (DETC2007-35128): the lower levels of the assembly tree are replaced by blocks of many bodies,
/// in which articulated inertias are passed on as in ABA. As many blocks as there are processors;
/// with one block it is ABA.
///
/// Each block but the last goes through its bodies twice: inward for its first handle, where E
/// follows what a force at its end does, and outward, as if the chain hung on its other end, for
/// the second. The paper repeats E on the way outward; it gives P21 a second time, which is P12
/// transposed, so it is left out. (two_port.hpp needs no second way at all.)
///
/// Only for chains of joints of one coordinate without mimic joints. With more than one block every
/// body must have a positive definite inertia: blocks begin and end with a single one. Velocities
/// are passed on by blocks as well: first each block says how it turns and how fast relative to the
/// one before, then how each is carried along is known.
namespace rbd_parallel_core {

template <class S, template <class> class Array>
struct DcaeWorkspace {
  AbaWorkspace<S, Array> aba;
  Array<Motion<S>> y_over_D;             ///< per coordinate: what a force at the end of its block
                                         ///< adds to its acceleration
  AssemblyWorkspace<S, Array> assembly;  ///< for one leaf a block
};

/// The bodies with which the blocks of a chain of n bodies begin, and n itself: blocks + 1 numbers.
/// The last block, which costs less than half as much a body, gets `terminal_share` of all bodies;
/// the others share the rest evenly. Each has one body at least: 1 <= blocks <= n, 0 <
/// terminal_share < 1.
template <class Share>
RBD_INLINE void cut_into_blocks(std::int32_t n, std::int32_t blocks, Share terminal_share,
                                std::int32_t* first) {
  const std::int32_t others = blocks - 1;
  std::int32_t outer = static_cast<std::int32_t>(terminal_share * static_cast<Share>(n));
  if (outer > n - others) outer = n - others;
  if (outer < 1) outer = 1;
  if (others == 0) outer = n;
  const std::int64_t inner = n - outer;
  for (std::int32_t b = 0; b < others; ++b) {
    first[b] = static_cast<std::int32_t>(inner * b / others);
  }
  first[others] = n - outer;
  first[blocks] = n;
}

/// Sines and cosines for the bodies first <= i < end. sincos_all may write a little beyond what it
/// is asked for, where another block is at work: so it is given room of its own.
template <class S, class Real, template <class> class Array, class Q>
RBD_KERNEL void block_turns(const ModelView<Real>& model, const JointTurns<S, Array>& turns,
                            const Q& q, std::int32_t first, std::int32_t end) {
  constexpr std::int32_t length = 64;
  compute_angles(model, turns, q, first, end);
  for (std::int32_t from = first; from < end; from += length) {
    const std::int32_t count = end - from < length ? end - from : length;
    S angle[length], sine[length], cosine[length];
    for (std::int32_t k = 0; k < padded_turns(count); ++k) {
      angle[k] = k < count ? turns.angle.load(from + k) : S(RealOf<S>(0));
    }
    sincos_all(Column<S>{angle}, Column<S>{sine}, Column<S>{cosine}, count);
    for (std::int32_t k = 0; k < count; ++k) {
      turns.sine.store(from + k, sine[k]);
      turns.cosine.store(from + k, cosine[k]);
    }
  }
}

/// The last body of a block, seen from what the block hangs on: path_turn of path_motion.hpp.
template <class S>
struct BlockTurn {
  Mat3<S> E;  ///< from the axes there to those of the body
  Vec3<S> w;  ///< relative angular velocity, along the axes there
};

template <class S, class Real, template <class> class Array, class Q, class V>
RBD_KERNEL BlockTurn<S> turn_of_block(const ModelView<Real>& model,
                                      const AbaWorkspace<S, Array>& ws, const Q& q, const V& v,
                                      std::int32_t first, std::int32_t end) {
  Mat3<S> E = Mat3<S>::identity();
  Motion<S> relative = Motion<S>::zero();
  for (std::int32_t i = first; i < end; ++i) {
    const BodyView<Real>& body = model.body[i];
    visit_chain_body<S>(body, [&](const auto& joint, const auto& placement) RBD_INLINE_LAMBDA {
      E = joint_transform(body, joint, placement, ws.turns, i, q).rotate_rows(E);
      joint.template column<0>().add_along(E, relative, joint_rate(body, v, 0));
    });
  }
  return {E, relative.w};
}

/// aba_velocities for the bodies first <= i < end, given the angular velocity of the body before.
/// Returns that of the last one.
template <class S, class Real, template <class> class Array, class Q, class V, class F>
RBD_KERNEL Vec3<S> block_velocities(const ModelView<Real>& model, const AbaWorkspace<S, Array>& ws,
                                    const Q& q, const V& v, const F& f_ext, std::int32_t first,
                                    std::int32_t end, Vec3<S> w) {
  for (std::int32_t i = first; i < end; ++i) {
    const BodyView<Real>& body = model.body[i];
    visit_chain_body<S>(body, [&](const auto& joint, const auto& placement) RBD_INLINE_LAMBDA {
      const auto X = joint_transform(body, joint, placement, ws.turns, i, q);
      const auto axis = joint.template column<0>();
      const Inertia<S> I = broadcast<S>(body.inertia);
      const S rate = joint_rate(body, v, 0);
      Motion<S> c{Vec3<S>::zero(), X.rotate(cross(w, cross(w, X.origin())))};
      const Vec3<S> w_before = X.rotate(w);
      w = w_before;
      axis.add_angular_to(w, rate);
      axis.add_velocity_product_to(c, w, w_before + w, rate);
      ws.c.store(i, c);
      Force<S> bias{cross(w, I.I * w), cross(w, cross(w, I.h))};
      if constexpr (!std::is_same_v<F, NoForces>) bias -= f_ext.load(i);
      ws.pA.store(i, bias);
    });
  }
  return w;
}

/// An articulated body that hangs on nothing: f = IA a + pA.
template <class S>
struct FreeBody {
  ArticulatedInertia<S> IA;
  Force<S> pA;
  S singular;  ///< 0, or 1 + the coordinate at which the motion is singular
};

/// Inward through the bodies first <= i < end of a block, letting go every joint but that of the
/// first body. E: columns, the force that each unit of a force on the last body is on the body that
/// has been reached; nullptr where the end is free.
template <class S, class Real, template <class> class Array, class Q, class Torque>
RBD_KERNEL FreeBody<S> inward_through_block(const ModelView<Real>& model,
                                            const DcaeWorkspace<S, Array>& ws, const Q& q,
                                            std::int32_t first, std::int32_t end,
                                            const Torque& torque, Force<S> (*E)[6]) {
  FreeBody<S> rest{ArticulatedInertia<S>::zero(), Force<S>::zero(), S(RealOf<S>(0))};
  for (std::int32_t i = end - 1; i >= first; --i) {
    const BodyView<Real>& body = model.body[i];
    rest.IA += articulated(broadcast<S>(body.inertia));
    rest.pA += handle_bias(model, ws.aba, q, i, first, end - 1, torque);
    if (i == first) return rest;
    visit_chain_body<S>(body, [&](const auto& joint, const auto& placement) RBD_INLINE_LAMBDA {
      const std::int32_t at = body.v_index;
      const auto axis = joint.template column<0>();
      const Force<S> U = axis.times(rest.IA);
      const S D = axis.dot(U) + S(model.armature[at]);
      rest.singular = SingularityTest<S>(rest.IA, body)(axis, D, at, rest.singular);
      const S one_over_D = S(RealOf<S>(1)) / D;
      const S u = torque(i) - axis.dot(rest.pA);
      const EliminatedCoordinate<S> e{one_over_D * U, one_over_D * u};
      ws.aba.eliminated.store(at, e);
      const ArticulatedInertia<S> IA = rank_one_downdate(rest.IA, U, e.U);
      const Force<S> pA = mul_add(e.u, U, rest.pA) + IA * ws.aba.c.load(i);
      const auto X = joint_transform(body, joint, placement, ws.aba.turns, i, q);
      rest.IA = X.apply_inverse(IA);
      rest.pA = X.apply_inverse(pA);
      if (E == nullptr) return;
      S y[6];
      for (int k = 0; k < 6; ++k) {
        y[k] = axis.dot((*E)[k]);
        (*E)[k] = X.apply_inverse(mul_add(-y[k], e.U, (*E)[k]));
      }
      ws.y_over_D.store(at, one_over_D * Motion<S>{{y[0], y[1], y[2]}, {y[3], y[4], y[5]}});
    });
  }
  return rest;
}

/// Outward through the same bodies as if the chain hung on the last of them: a joint then carries
/// what lies inward of it, and its coordinate counts backwards.
template <class S, class Real, template <class> class Array, class Q, class Torque>
RBD_KERNEL FreeBody<S> outward_through_block(const ModelView<Real>& model,
                                             const DcaeWorkspace<S, Array>& ws, const Q& q,
                                             std::int32_t first, std::int32_t end,
                                             const Torque& torque) {
  FreeBody<S> rest{articulated(broadcast<S>(model.body[first].inertia)),
                   handle_bias(model, ws.aba, q, first, first, end - 1, torque), S(RealOf<S>(0))};
  for (std::int32_t i = first + 1; i < end; ++i) {
    const BodyView<Real>& body = model.body[i];
    visit_chain_body<S>(body, [&](const auto& joint, const auto& placement) RBD_INLINE_LAMBDA {
      const auto axis = joint.template column<0>();
      const auto X = joint_transform(body, joint, placement, ws.aba.turns, i, q);
      const ArticulatedInertia<S> J = carried_outward(X, rest.IA);
      const Force<S> p = carried_outward(X, rest.pA);
      const Force<S> U = axis.times(J);
      const S D = axis.dot(U) + S(model.armature[body.v_index]);
      const Force<S> U_over_D = (S(RealOf<S>(1)) / D) * U;
      rest.IA = rank_one_downdate(J, U, U_over_D);
      rest.pA = mul_add(-(axis.dot(p) + torque(i)), U_over_D, p) - rest.IA * ws.aba.c.load(i);
    });
    rest.IA += articulated(broadcast<S>(body.inertia));
    rest.pA += handle_bias(model, ws.aba, q, i, first, end - 1, torque);
  }
  return rest;
}

/// The columns of the unit matrix.
template <class S>
RBD_INLINE void set_to_units(Force<S> (&E)[6]) {
  for (int k = 0; k < 6; ++k) {
    S unit[6];
    for (int j = 0; j < 6; ++j) unit[j] = S(RealOf<S>(j == k ? 1 : 0));
    E[k] = {{unit[0], unit[1], unit[2]}, {unit[3], unit[4], unit[5]}};
  }
}

/// The block first <= i < end as a leaf of the assembly tree. Returns 0, or 1 + the coordinate at
/// which the motion is singular.
template <class S, class Real, template <class> class Array, class Q, class Torque>
RBD_KERNEL S set_block(const ModelView<Real>& model, const DcaeWorkspace<S, Array>& ws, const Q& q,
                       std::int32_t first, std::int32_t end, const Torque& torque,
                       TwoHandles<S>& block) {
  const bool free_end = end == model.body_count;
  Force<S> E[6];
  set_to_units(E);
  const FreeBody<S> inner =
      inward_through_block(model, ws, q, first, end, torque, free_end ? nullptr : &E);
  block.P11 = inverse(inner.IA);
  block.b1 = block.P11 * (Force<S>::zero() - inner.pA);
  if (free_end) return inner.singular;
  const FreeBody<S> outer = outward_through_block(model, ws, q, first, end, torque);
  const Mobility<S> mobility = inverse(outer.IA);
  Motion<S> columns[6], crossed[6];
  columns_of(block.P11, columns);
  for (int k = 0; k < 6; ++k) crossed[k] = transmitted(E, columns[k]);
  set_second_handle(model, ws.aba, q, end, crossed, mobility,
                    mobility * (Force<S>::zero() - outer.pA), block);
  return inner.singular;
}

/// The last pass of ABA within a block: a is the acceleration of its first body, `pull` the force
/// on its last one.
template <class S, class Real, template <class> class Array, class Q, class Qdd>
RBD_KERNEL void accelerate_block(const ModelView<Real>& model, const DcaeWorkspace<S, Array>& ws,
                                 const Q& q, std::int32_t first, std::int32_t end, Motion<S> a,
                                 const Force<S>& pull, const Qdd& qdd) {
  const bool free_end = end == model.body_count;
  for (std::int32_t i = first + 1; i < end; ++i) {
    const BodyView<Real>& body = model.body[i];
    visit_chain_body<S>(body, [&](const auto& joint, const auto& placement) RBD_INLINE_LAMBDA {
      const std::int32_t at = body.v_index;
      a = joint_transform(body, joint, placement, ws.aba.turns, i, q).apply(a) + ws.aba.c.load(i);
      const EliminatedCoordinate<S> e = ws.aba.eliminated.load(at);
      S acceleration = e.u - dot(a, e.U);
      if (!free_end) acceleration = acceleration + dot(ws.y_over_D.load(at), pull);
      qdd.store(at, acceleration);
      joint.template column<0>().add_to(a, acceleration);
    });
  }
}

/// The same, given the forces at the handles of the block.
template <class S, class Real, template <class> class Array, class Q, class Qdd>
RBD_KERNEL void finish_block(const ModelView<Real>& model, const DcaeWorkspace<S, Array>& ws,
                             const Q& q, std::int32_t first, std::int32_t end,
                             const TwoHandles<S>& block, const HandleForces<S>& forces,
                             const Qdd& qdd) {
  Motion<S> a = block.P11 * forces.f1 + block.b1;
  Force<S> pull = Force<S>::zero();
  if (end < model.body_count) {
    a += answered_back(block.P21, forces.f2);
    const BodyView<Real>& next = model.body[end];
    visit_chain_body<S>(next, [&](const auto& joint, const auto& placement) RBD_INLINE_LAMBDA {
      pull = joint_transform(next, joint, placement, ws.aba.turns, end, q).apply_inverse(forces.f2);
    });
  }
  accelerate_block(model, ws, q, first, end, a, pull, qdd);
}

/// One block: nothing to assemble, and nothing to invert. This is ABA.
template <class S, class Real, template <class> class Array, class Q, class Torque, class Qdd>
RBD_KERNEL S one_block(const ModelView<Real>& model, const DcaeWorkspace<S, Array>& ws, const Q& q,
                       const Vec3<S>& gravity, const Torque& torque, const Qdd& qdd) {
  const std::int32_t n = model.body_count;
  const FreeBody<S> chain = inward_through_block<S>(model, ws, q, 0, n, torque, nullptr);
  Motion<S> a = base_at_joint(model, ws.aba, q, gravity);
  S singular = chain.singular;
  visit_joint<S>(model.body[0], [&](const auto& joint) RBD_INLINE_LAMBDA {
    const std::int32_t at = model.body[0].v_index;
    const auto axis = joint.template column<0>();
    const Force<S> U = axis.times(chain.IA);
    const S D = axis.dot(U) + S(model.armature[at]);
    singular = SingularityTest<S>(chain.IA, model.body[0])(axis, D, at, singular);
    const S acceleration = -(axis.dot(chain.pA) + dot(a, U)) / D;
    qdd.store(at, acceleration);
    axis.add_to(a, acceleration);
  });
  accelerate_block(model, ws, q, 0, n, a, Force<S>::zero(), qdd);
  return singular;
}

/// Turns of all bodies, velocities of the first block and of the first body of each other one: its
/// velocity products belong to the handle of the block before. How a block turns is kept where its
/// forces will be, which nobody knows yet.
template <class S, Executor Exec, class Real, template <class> class Array, class Q, class V,
          class F>
RBD_KERNEL void start_blocks(const Exec& executor, const ModelView<Real>& model,
                             const DcaeWorkspace<S, Array>& ws, std::int32_t blocks,
                             const std::int32_t* first, const Q& q, const V& v, const F& f_ext) {
  executor.map(
      blocks,
      [&](std::int32_t b) {
        block_turns(model, ws.aba.turns, q, first[b], first[b + 1]);
        if (b == 0) {
          ws.aba.w.store(first[1] - 1, block_velocities(model, ws.aba, q, v, f_ext, 0, first[1],
                                                        Vec3<S>::zero()));
        } else if (b + 1 < blocks) {
          const BlockTurn<S> turn = turn_of_block(model, ws.aba, q, v, first[b], first[b + 1]);
          ws.assembly.forces.store(b, {{turn.E.x, turn.E.y}, {turn.E.z, turn.w}});
        }
      },
      1024);
  for (std::int32_t b = 1; b < blocks; ++b) {
    const Vec3<S> w = ws.aba.w.load(first[b] - 1);
    ws.aba.w.store(first[b],
                   block_velocities(model, ws.aba, q, v, f_ext, first[b], first[b] + 1, w));
    if (b + 1 == blocks) return;
    const HandleForces<S> turn = ws.assembly.forces.load(b);
    const Mat3<S> E{turn.f1.n, turn.f1.f, turn.f2.n};
    ws.aba.w.store(first[b + 1] - 1, E * (w + turn.f2.f));
  }
}

/// qdd = M^-1 (tau - C v - g - [friction] + J^T f_ext). first: by cut_into_blocks. singular:
/// workspace of `blocks` numbers. Other arguments as for rnea (v is read always); qdd: writer of nv
/// numbers. Returns 0, or 1 + the coordinate at which the motion is singular (then qdd means
/// nothing).
template <class S, Executor Exec, class Real, template <class> class Array, class Q, class V,
          class T, class F, class Qdd>
RBD_KERNEL S dcae(const Exec& executor, const ModelView<Real>& model,
                  const DcaeWorkspace<S, Array>& ws, std::int32_t blocks, const std::int32_t* first,
                  const Array<S>& singular, Q q, V v, T tau, F f_ext, const Vec3<S>& gravity,
                  bool friction, Qdd qdd) {
  const auto torque = [&](std::int32_t i) {
    return driving_torque<S>(model, model.body[i].v_index, v, tau, friction);
  };
  if (blocks == 1) {
    compute_turns(model, ws.aba.turns, q);
    aba_velocities(model, ws.aba, q, v, WorldBase<S>{gravity});
    subtract_forces(model, ws.aba.pA, f_ext);
    return one_block<S>(model, ws, q, gravity, torque, qdd);
  }
  const auto first_body = [&](std::int32_t block) { return first[block]; };
  start_blocks(executor, model, ws, blocks, first, q, v, f_ext);
  executor.map(
      blocks,
      [&](std::int32_t b) {
        if (b > 0) {
          block_velocities(model, ws.aba, q, v, f_ext, first[b] + 1, first[b + 1],
                           ws.aba.w.load(first[b]));
        }
        TwoHandles<S> block{};
        singular.store(b, set_block<S>(model, ws, q, first[b], first[b + 1], torque, block));
        ws.assembly.node.store(b, block);
      },
      1024);
  assemble(executor, model, ws.assembly, blocks, first_body);
  push_off(model, ws.aba, ws.assembly, q, blocks, gravity, qdd);
  disassemble(executor, model, ws.assembly, blocks, first_body, qdd);
  executor.map(
      blocks,
      [&](std::int32_t b) {
        finish_block(model, ws, q, first[b], first[b + 1], ws.assembly.node.load(b),
                     ws.assembly.forces.load(b), qdd);
      },
      1024);
  S worst(RealOf<S>(0));
  for (std::int32_t b = 0; b < blocks; ++b) {
    using Traits = ScalarTraits<S>;
    const S at = singular.load(b);
    worst = Traits::select(Traits::less(S(RealOf<S>(0)), at), at, worst);
  }
  return worst;
}

}  // namespace rbd_parallel_core
