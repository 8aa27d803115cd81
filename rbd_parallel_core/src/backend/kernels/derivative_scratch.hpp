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
    const auto bodies = static_cast<std::size_t>(model.body_count);
    const auto columns = static_cast<std::size_t>(model.column_count);
    arena.cut(workspace.body.data, bodies + 1);
    arena.cut(workspace.head.data, bodies);
    arena.cut(workspace.C.data, bodies);
    arena.cut(workspace.wrench.data, bodies);
    arena.cut(workspace.in_run.data, columns);
    arena.cut(workspace.by_q.data, columns);
    arena.cut(workspace.of_shift.data, columns);
    cut(parameters, nv * 10);
    if (width > 1) {
      cut(by_q, nv * nv);
      cut(by_v, nv * nv);
    }
  }
};

}  // namespace rbd_parallel_core
