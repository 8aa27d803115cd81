// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/two_port.hpp"
#include "rbd_parallel_core/study/serial_chain.hpp"
#include "rbd_parallel_core/vtree/executor.hpp"

/// The binary tree in which DCA (dca.hpp) and DCAe (dcae.hpp) join the subsystems of a chain, after
/// Featherstone 1999 in the form of Critchley, Anderson and Binani, DETC2007-35128. Theirs are the
/// letters Phi (P here), W and b; the printed superscripts of the joined b1 and b2 are not followed
/// but re-derived.
namespace rbd_parallel_core {

/// A piece of a chain that is held at two handles:
///   a1 = P11 f1 + P12 f2 + b1        P12 = P21^T
///   a2 = P21 f1 + P22 f2 + b2
/// Handle 1 is its first body, in that body's frame. Handle 2 is the point of its last body where
/// the next piece begins, in the frame of the first body there, and a2 contains the velocity
/// products c of the joint between them: so a1 of the next piece is a2 + s qdd. The forces f are
/// those that the joints' constraints exert on the piece; what motors do is part of b. A piece with
/// a free end has P11 and b1 only.
template <class S>
struct TwoHandles {
  Mobility<S> P11, P22;
  Motion<S> P21[6];  ///< columns: what one unit of the k-th number of f1 does at handle 2
  Motion<S> b1, b2;
};

/// What joining two pieces leaves for the way back: with
///   beta = P12^b f2^b + b1^b - P21^a f1^a - b2^a
/// the joint accelerates by (U / D) . beta, and pulls its two sides together by R beta.
template <class S>
struct JoinedAt {
  ArticulatedInertia<S> R;  ///< -W of the paper
  Force<S> U_over_D;
};

/// The forces at the handles of a piece.
template <class S>
struct HandleForces {
  Force<S> f1, f2;
};

/// Memory for a tree of so many leaves: assembly_nodes(leaves) of `node` and `forces`, and of
/// `joined` one for each body.
template <class S, template <class> class Array>
struct AssemblyWorkspace {
  Array<TwoHandles<S>> node;
  Array<HandleForces<S>> forces;
  Array<JoinedAt<S>> joined;
};

/// The levels of the tree stand one behind the other, the leaves first; a level has half the nodes
/// of the one below, rounded up.
RBD_INLINE constexpr std::int32_t assembly_nodes(std::int32_t leaves) {
  std::int32_t nodes = leaves;
  for (std::int32_t count = leaves; count > 1;) nodes += count = (count + 1) / 2;
  return nodes;
}

// Small pieces of algebra on matrices of motions and forces.

/// The number P_ij (i <= j) of a symmetric matrix for each of its 21 places.
template <class S, class Entry>
RBD_INLINE Mobility<S> mobility_from(const Entry& e) {
  return {{e(0, 0), e(0, 1), e(0, 2), e(1, 1), e(1, 2), e(2, 2)},
          {{e(0, 3), e(0, 4), e(0, 5)}, {e(1, 3), e(1, 4), e(1, 5)}, {e(2, 3), e(2, 4), e(2, 5)}},
          {e(3, 3), e(3, 4), e(3, 5), e(4, 4), e(4, 5), e(5, 5)}};
}

/// Its columns, which are its rows as well.
template <class S>
RBD_INLINE void columns_of(const Mobility<S>& a, Motion<S> (&columns)[6]) {
  const Mat3<S> ww = dense(a.ww), vv = dense(a.vv), vw = transpose(a.wv);
  columns[0] = {ww.x, a.wv.x};
  columns[1] = {ww.y, a.wv.y};
  columns[2] = {ww.z, a.wv.z};
  columns[3] = {vw.x, vv.x};
  columns[4] = {vw.y, vv.y};
  columns[5] = {vw.z, vv.z};
}

template <class S>
RBD_INLINE Mobility<S> operator+(const Mobility<S>& a, const Mobility<S>& b) {
  return {a.ww + b.ww, a.wv + b.wv, a.vv + b.vv};
}
template <class S>
RBD_INLINE Mobility<S> operator-(const Mobility<S>& a, const Mobility<S>& b) {
  return {a.ww - b.ww, a.wv - b.wv, a.vv - b.vv};
}

/// sum_k f_k columns[k]
template <class S>
RBD_INLINE Motion<S> answered(const Motion<S> (&columns)[6], const Force<S>& f) {
  Motion<S> m = f.n.x * columns[0];
  const S rest[5] = {f.n.y, f.n.z, f.f.x, f.f.y, f.f.z};
  for (int k = 0; k < 5; ++k) {
    m = {mul_add(rest[k], columns[k + 1].w, m.w), mul_add(rest[k], columns[k + 1].v, m.v)};
  }
  return m;
}

/// The motion whose k-th number is columns[k] . f: the transposed matrix times f.
template <class S>
RBD_INLINE Motion<S> answered_back(const Motion<S> (&columns)[6], const Force<S>& f) {
  return {{dot(columns[0], f), dot(columns[1], f), dot(columns[2], f)},
          {dot(columns[3], f), dot(columns[4], f), dot(columns[5], f)}};
}

template <class S>
RBD_INLINE void transposed(const Motion<S> (&columns)[6], Motion<S> (&rows)[6]) {
  S number[6][6];
  for (int k = 0; k < 6; ++k) numbers_of_row(columns[k].w, columns[k].v, number[k]);
  for (int k = 0; k < 6; ++k) {
    rows[k] = {{number[0][k], number[1][k], number[2][k]},
               {number[3][k], number[4][k], number[5][k]}};
  }
}

/// A^-1 of a symmetric positive definite matrix, of which a[i][j] is read for j <= i and
/// inverse[i][j] written for all: A = L D L^T with ones on the diagonal of L, A^-1 = L^-T D^-1
/// L^-1.
template <class S>
RBD_KERNEL void invert_symmetric(const S (&a)[6][6], S (&inverse)[6][6]) {
  S L[6][6], one_over_D[6];
  for (int i = 0; i < 6; ++i) {
    S row[6], pivot = a[i][i];
    for (int j = 0; j < i; ++j) {
      row[j] = a[i][j];
      for (int m = 0; m < j; ++m) row[j] = neg_mul_add(row[m], L[j][m], row[j]);
      L[i][j] = row[j] * one_over_D[j];
      pivot = neg_mul_add(row[j], L[i][j], pivot);
    }
    one_over_D[i] = S(RealOf<S>(1)) / pivot;
  }
  S X[6][6];  // L^-1 below its diagonal
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < i; ++j) {
      X[i][j] = -L[i][j];
      for (int m = j + 1; m < i; ++m) X[i][j] = neg_mul_add(L[i][m], X[m][j], X[i][j]);
    }
  }
  for (int i = 0; i < 6; ++i) {
    S scaled[6];  // column i of D^-1 L^-1
    for (int m = i + 1; m < 6; ++m) scaled[m] = one_over_D[m] * X[m][i];
    for (int j = 0; j <= i; ++j) {
      S sum = j == i ? one_over_D[i] : one_over_D[i] * X[i][j];
      for (int m = i + 1; m < 6; ++m) sum = mul_add(scaled[m], X[m][j], sum);
      inverse[i][j] = inverse[j][i] = sum;
    }
  }
}

template <class S>
RBD_KERNEL ArticulatedInertia<S> inverse(const Mobility<S>& a) {
  Motion<S> columns[6];
  columns_of(a, columns);
  S numbers[6][6], inverted[6][6];
  for (int k = 0; k < 6; ++k) numbers_of_row(columns[k].w, columns[k].v, numbers[k]);
  invert_symmetric(numbers, inverted);
  const Mobility<S> b =
      mobility_from<S>([&](int i, int j) RBD_INLINE_LAMBDA { return inverted[i][j]; });
  return {b.ww, b.wv, b.vv};
}

template <class S>
RBD_KERNEL Mobility<S> inverse(const ArticulatedInertia<S>& a) {
  const ArticulatedInertia<S> b = inverse(Mobility<S>{a.I, a.H, a.M});
  return {b.I, b.H, b.M};
}

/// What the inertia and the velocities of body i of the piece first <= i <= last ask for, and the
/// motors at the two ends of the piece, which push off from its neighbours. After aba_velocities.
template <class S, class Real, template <class> class Array, class Q, class Torque>
RBD_KERNEL Force<S> handle_bias(const ModelView<Real>& model, const AbaWorkspace<S, Array>& ws,
                                const Q& q, std::int32_t i, std::int32_t first, std::int32_t last,
                                const Torque& torque) {
  Force<S> bias = ws.pA.load(i);
  if (i == first) {
    visit_chain_body<S>(model.body[i], [&](const auto& joint, const auto&) RBD_INLINE_LAMBDA {
      bias -= motor_force(joint.template column<0>(), torque(i));
    });
  }
  if (i == last && i + 1 < model.body_count) {
    const BodyView<Real>& next = model.body[i + 1];
    visit_chain_body<S>(next, [&](const auto& joint, const auto& placement) RBD_INLINE_LAMBDA {
      const auto X = joint_transform(next, joint, placement, ws.turns, i + 1, q);
      bias += X.apply_inverse(motor_force(joint.template column<0>(), torque(i + 1)));
    });
  }
  return bias;
}

/// The second handle of a piece from how its last body, in its own frame, answers: `crossed` to the
/// units of a force at handle 1 (columns), `mobility` to a force on itself, `free` to none. `next`:
/// the first body of the next piece.
template <class S, class Real, template <class> class Array, class Q>
RBD_KERNEL void set_second_handle(const ModelView<Real>& model, const AbaWorkspace<S, Array>& ws,
                                  const Q& q, std::int32_t next, const Motion<S> (&crossed)[6],
                                  const Mobility<S>& mobility, const Motion<S>& free,
                                  TwoHandles<S>& piece) {
  const BodyView<Real>& body = model.body[next];
  visit_chain_body<S>(body, [&](const auto& joint, const auto& placement) RBD_INLINE_LAMBDA {
    const auto X = joint_transform(body, joint, placement, ws.turns, next, q);
    for (int k = 0; k < 6; ++k) piece.P21[k] = X.apply(crossed[k]);
    Motion<S> columns[6], rows[6];
    columns_of(mobility, columns);
    for (Motion<S>& column : columns) column = X.apply(column);
    transposed(columns, rows);
    S number[6][6];
    for (int k = 0; k < 6; ++k) {
      const Motion<S> row = X.apply(rows[k]);
      numbers_of_row(row.w, row.v, number[k]);
    }
    piece.P22 = mobility_from<S>([&](int i, int j) RBD_INLINE_LAMBDA { return number[i][j]; });
    piece.b2 = X.apply(free) + ws.c.load(next);
  });
}

/// The joint between two pieces, P being the sum of the mobilities of its sides:
///   R = P^-1 - U U^T / D,  U = P^-1 s,  D = s . U + armature
template <class S, class Real>
RBD_KERNEL JoinedAt<S> joined_at(const ModelView<Real>& model, std::int32_t body,
                                 const ArticulatedInertia<S>& one_over_P) {
  JoinedAt<S> joined;
  visit_joint<S>(model.body[body], [&](const auto& joint) RBD_INLINE_LAMBDA {
    const auto axis = joint.template column<0>();
    const Force<S> U = axis.times(one_over_P);
    const S D = axis.dot(U) + S(model.armature[model.body[body].v_index]);
    joined.U_over_D = (S(RealOf<S>(1)) / D) * U;
    joined.R = rank_one_downdate(one_over_P, U, joined.U_over_D);
  });
  return joined;
}

/// The pieces a and b, b beginning at that body, as one piece.
template <class S, class Real>
RBD_KERNEL TwoHandles<S> joined_pieces(const ModelView<Real>& model, std::int32_t body,
                                       const TwoHandles<S>& a, const TwoHandles<S>& b,
                                       bool free_end, JoinedAt<S>& joined) {
  joined = joined_at(model, body, inverse(b.P11 + a.P22));
  const ArticulatedInertia<S>& R = joined.R;
  TwoHandles<S> both{};
  Force<S> R_P21[6];
  for (int k = 0; k < 6; ++k) R_P21[k] = R * a.P21[k];
  both.P11 = a.P11 - mobility_from<S>([&](int i, int j)
                                          RBD_INLINE_LAMBDA { return dot(a.P21[i], R_P21[j]); });
  const Force<S> d = R * (b.b1 - a.b2);
  both.b1 = a.b1 + answered_back(a.P21, d);
  if (free_end) return both;
  Motion<S> P12[6];
  transposed(b.P21, P12);
  Force<S> R_P12[6];
  for (int k = 0; k < 6; ++k) R_P12[k] = R * P12[k];
  both.P22 = b.P22 - mobility_from<S>([&](int i, int j)
                                          RBD_INLINE_LAMBDA { return dot(P12[i], R_P12[j]); });
  for (int k = 0; k < 6; ++k) both.P21[k] = answered(b.P21, R_P21[k]);
  both.b2 = b.b2 - answered(b.P21, d);
  return both;
}

/// The forces at the joint between a and b, and its acceleration, given the forces at the handles
/// of both together.
template <class S>
RBD_KERNEL S part_pieces(const JoinedAt<S>& joined, const TwoHandles<S>& a, const TwoHandles<S>& b,
                         bool free_end, const HandleForces<S>& outer, HandleForces<S>& on_a,
                         HandleForces<S>& on_b) {
  Motion<S> beta = b.b1 - a.b2 - answered(a.P21, outer.f1);
  if (!free_end) beta += answered_back(b.P21, outer.f2);
  const Force<S> f = joined.R * beta;
  on_a = {outer.f1, f};
  on_b = {Force<S>::zero() - f, outer.f2};
  return dot(beta, joined.U_over_D);
}

/// Calls visit(level) from the leaves up, or down to them: nodes first, ..., first + count - 1 of
/// the tree, each above `span` leaves.
struct AssemblyLevel {
  std::int32_t first, count, span;
};
template <class Visit>
RBD_INLINE void for_levels_up(std::int32_t leaves, const Visit& visit) {
  AssemblyLevel level{0, leaves, 1};
  for (; level.count > 1;
       level = {level.first + level.count, (level.count + 1) / 2, 2 * level.span})
    visit(level);
}
template <class Visit>
RBD_INLINE void for_levels_down(std::int32_t leaves, const Visit& visit) {
  AssemblyLevel levels[32];
  int depth = 0;
  for_levels_up(leaves, [&](const AssemblyLevel& level) { levels[depth++] = level; });
  while (depth > 0) visit(levels[--depth]);
}

/// Joins neighbours level by level. first_body(leaf): the body with which that leaf begins. The
/// last leaf has a free end.
template <class S, Executor Exec, class Real, template <class> class Array, class FirstBody>
RBD_KERNEL void assemble(const Exec& executor, const ModelView<Real>& model,
                         const AssemblyWorkspace<S, Array>& ws, std::int32_t leaves,
                         const FirstBody& first_body) {
  for_levels_up(leaves, [&](const AssemblyLevel& level) {
    executor.map((level.count + 1) / 2,
                 [&](std::int32_t k) {
                   const std::int32_t left = level.first + 2 * k,
                                      above = level.first + level.count + k;
                   if (2 * k + 1 == level.count) {  // no partner on this level
                     ws.node.store(above, ws.node.load(left));
                     return;
                   }
                   const std::int32_t body = first_body((2 * k + 1) * level.span);
                   JoinedAt<S> joined;
                   ws.node.store(
                       above, joined_pieces(model, body, ws.node.load(left), ws.node.load(left + 1),
                                            2 * k + 2 == level.count, joined));
                   ws.joined.store(body, joined);
                 },
                 32);
  });
}

/// The acceleration of body 0 before its joint adds to it: X a_world + c, gravity being -g of the
/// world.
template <class S, class Real, template <class> class Array, class Q>
RBD_KERNEL Motion<S> base_at_joint(const ModelView<Real>& model, const AbaWorkspace<S, Array>& ws,
                                   const Q& q, const Vec3<S>& gravity) {
  Motion<S> a = ws.c.load(0);
  visit_chain_body<S>(
      model.body[0], [&](const auto& joint, const auto& placement) RBD_INLINE_LAMBDA {
        a.v += joint_transform(model.body[0], joint, placement, ws.turns, 0, q).rotate(-gravity);
      });
  return a;
}

/// The force at the first handle of the whole chain, which hangs on the world by the joint of body
/// 0: a1 = base_at_joint + s qdd. Writes the acceleration of that joint.
template <class S, class Real, template <class> class Array, class Q, class Qdd>
RBD_KERNEL void push_off(const ModelView<Real>& model, const AbaWorkspace<S, Array>& aba,
                         const AssemblyWorkspace<S, Array>& ws, const Q& q, std::int32_t leaves,
                         const Vec3<S>& gravity, const Qdd& qdd) {
  const std::int32_t root = assembly_nodes(leaves) - 1;
  const TwoHandles<S>& chain = ws.node.load(root);
  const JoinedAt<S> joined = joined_at(model, 0, inverse(chain.P11));
  const Motion<S> beta = chain.b1 - base_at_joint(model, aba, q, gravity);
  qdd.store(model.body[0].v_index, dot(beta, joined.U_over_D));
  ws.forces.store(root, {Force<S>::zero() - joined.R * beta, Force<S>::zero()});
}

/// The forces down to the handles of the leaves, and the accelerations of the joints between them.
template <class S, Executor Exec, class Real, template <class> class Array, class FirstBody,
          class Qdd>
RBD_KERNEL void disassemble(const Exec& executor, const ModelView<Real>& model,
                            const AssemblyWorkspace<S, Array>& ws, std::int32_t leaves,
                            const FirstBody& first_body, const Qdd& qdd) {
  for_levels_down(leaves, [&](const AssemblyLevel& level) {
    executor.map((level.count + 1) / 2,
                 [&](std::int32_t k) {
                   const std::int32_t left = level.first + 2 * k,
                                      above = level.first + level.count + k;
                   if (2 * k + 1 == level.count) {
                     ws.forces.store(left, ws.forces.load(above));
                     return;
                   }
                   const std::int32_t body = first_body((2 * k + 1) * level.span);
                   HandleForces<S> on_a, on_b;
                   const S acceleration =
                       part_pieces(ws.joined.load(body), ws.node.load(left), ws.node.load(left + 1),
                                   2 * k + 2 == level.count, ws.forces.load(above), on_a, on_b);
                   qdd.store(model.body[body].v_index, acceleration);
                   ws.forces.store(left, on_a);
                   ws.forces.store(left + 1, on_b);
                 },
                 4);
  });
}

}  // namespace rbd_parallel_core
