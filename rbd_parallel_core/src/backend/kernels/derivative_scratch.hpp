// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "rbd_parallel_core/algorithm/arena.hpp"
#include "rbd_parallel_core/algorithm/rnea_derivatives.hpp"

namespace rbd_parallel_core {

/// What the kernels of derivatives write to, for one group of states. Part of Scratch.
template <class S>
struct DerivativeScratch {
  using Real = RealOf<S>;

  DerivativesWorkspace<S, Column> workspace;  ///< for matrices; null unless `dense`
  Real *dq, *dv, *da;                         ///< rows of nv numbers, as lanes
  Real* rates;                                ///< a row of nq
  Real* out[3];                               ///< rows of nv
  Real* parameters;                           ///< nv x 10; null unless `dense`
  Real *by_q, *by_v;  ///< nv x nv; null unless `dense`, or where one state is a group

  RBD_INLINE void lay_out(Arena<>& arena, const ModelView<Real>& model, bool dense,
                          const JointTurns<S, Column>& turns) {
    constexpr std::size_t width = ScalarTraits<S>::width;
    const auto nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv);
    const auto cut = [&](Real*& piece, std::size_t scalars)
                         RBD_INLINE_LAMBDA { arena.cut(piece, std::max(scalars, width) * width); };
    cut(dq, nv);
    cut(dv, nv);
    cut(da, nv);
    cut(rates, nq);
    for (Real*& row : out) cut(row, nv);
    parameters = by_q = by_v = nullptr;
    workspace = {};
    if (!dense) return;
    workspace.turns = turns;
    const std::size_t alignment = sizeof(S);
    arena.used = (arena.used + alignment - 1) / alignment * alignment;
    cut_bodies(arena, static_cast<std::size_t>(model.body_count));
    cut_columns(arena, static_cast<std::size_t>(model.column_count));
    cut(parameters, nv * 10);
    if (width > 1) {
      cut(by_q, nv * nv);
      cut(by_v, nv * nv);
    }
  }

 private:
  RBD_INLINE void cut_bodies(Arena<>& arena, std::size_t bodies) {
    arena.cut(workspace.E.data, bodies);
    arena.cut(workspace.r.data, bodies);
    arena.cut(workspace.u2.data, bodies);
    arena.cut(workspace.p.data, bodies);
    arena.cut(workspace.p2.data, bodies);
    arena.cut(workspace.head.data, bodies);
    arena.cut(workspace.head2.data, bodies);
    arena.cut(workspace.w.data, bodies);
    arena.cut(workspace.a.data, bodies);
    arena.cut(workspace.K.data, bodies);
    arena.cut(workspace.C.data, bodies);
    arena.cut(workspace.wrench.data, bodies);
  }
  RBD_INLINE void cut_columns(Arena<>& arena, std::size_t columns) {
    arena.cut(workspace.s.data, columns);
    arena.cut(workspace.axis.data, columns);
    arena.cut(workspace.a_q.data, columns);
    arena.cut(workspace.a_v.data, columns);
    arena.cut(workspace.q.data, columns);
    arena.cut(workspace.v.data, columns);
  }
};

}  // namespace rbd_parallel_core
