// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "derivative_scratch.hpp"
#include "groups.hpp"
#include "rbd_parallel_core/algorithm/workspace.hpp"

namespace rbd_parallel_core {

/// All that the kernels write to besides the results, for one group of states, in one block of
/// memory: the workspace of the algorithms, and the lanes of what comes in and goes out.
template <class S>
struct Scratch {
  using Real = RealOf<S>;

  Workspace<S> workspace;
  Real *q, *v, *a, *out;            ///< a row of each group, as lanes
  Real* jacobian;                   ///< 6 x nv
  Real* matrix;                     ///< nv x nv: M, then its factor; null unless `dense`
  Real* inverse;                    ///< nv x nv; null unless `dense`, or where one state is a group
  SymmetricSources sources;         ///< of M; null likewise
  std::uint8_t* inverse_zeros;      ///< as SymmetricSources::zeros, of a matrix that has none
  SymmetricSources sparse_sources;  ///< of the compressed rows of M, without zeros either
  DerivativeScratch<S> derivatives;

  static RBD_INLINE std::size_t bytes(const ModelView<Real>& model, bool dense) {
    Scratch unused;
    return unused.lay_out(nullptr, model, dense);
  }
  static RBD_INLINE Scratch in(std::byte* memory, const ModelView<Real>& model, bool dense) {
    Scratch scratch;
    scratch.lay_out(memory, model, dense);
    return scratch;
  }

 private:
  RBD_INLINE std::size_t lay_out(std::byte* memory, const ModelView<Real>& model, bool dense) {
    constexpr std::size_t width = ScalarTraits<S>::width;
    const auto bodies = static_cast<std::size_t>(model.body_count);
    const auto columns = static_cast<std::size_t>(model.column_count);
    const auto nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv);
    workspace = Workspace<S>::in(memory, bodies, columns);
    Arena<> arena{memory, Workspace<S>::bytes(bodies, columns)};
    // Rows are gathered in whole blocks of width x width.
    const auto cut = [&](Real*& piece, std::size_t scalars)
                         RBD_INLINE_LAMBDA { arena.cut(piece, std::max(scalars, width) * width); };
    cut(q, nq);
    cut(v, nv);
    cut(a, nv);
    cut(out, std::max<std::size_t>(nv, 7));
    cut(jacobian, std::max<std::size_t>(6 * nv, 3));  // or a centre of mass
    matrix = inverse = nullptr;
    if (dense) cut(matrix, nv * nv);
    sources = sparse_sources = {};
    inverse_zeros = nullptr;
    if (dense && width > 1) {
      cut(inverse, nv * nv);
      arena.cut(sources.scalar, nv * nv);
      arena.cut(sources.zeros, nv * nv);
      arena.cut(inverse_zeros, nv * nv);
      arena.cut(sparse_sources.scalar, nv * nv);
      sparse_sources.zeros = inverse_zeros;
    }
    derivatives.lay_out(arena, model, dense, workspace.kinematics.turns);
    return (arena.used + sizeof(S) - 1) / sizeof(S) * sizeof(S);
  }
};

}  // namespace rbd_parallel_core
