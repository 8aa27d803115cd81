// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rbd_parallel_core/algorithm/crba.hpp"
#include "rbd_parallel_core/algorithm/sparse.hpp"
#include "rbd_parallel_core/instruction_set.hpp"
#include "tree_columns.hpp"

/// What TreeMassMatrix calls: pieces of the mass matrix of one state of a robot of many bodies,
/// compiled for one instruction set. mass_matrix_kernels.hpp has the code.
namespace rbd_parallel_core {

/// Rows that are computed together. They belong to one run, so all of them see another run from the
/// same place.
inline constexpr std::int32_t mass_matrix_rows = 16;
/// Columns of such rows that are computed before they are written to the matrix.
inline constexpr std::int32_t mass_matrix_tile = 256;

/// A run of bodies, each the parent of the next, whose columns are seen from one origin. By
/// columns, which in a robot without mimic joints are the coordinates.
struct TreeRun {
  std::int32_t first, end;  ///< its columns
  std::int32_t parent;      ///< the run that it hangs on, or -1
  std::int32_t parent_end;  ///< columns of that run before this one are ancestors
};

/// Rows of one run, at most mass_matrix_rows.
struct TreeRowGroup {
  std::int32_t run, begin, end;
};

/// The axes and origins of the columns on the way from the root to a row, one after the other.
template <class Real>
struct TreePath {
  Real* axis[6];
  Real* high[3];
  Real* low[3];
};

/// What one thread works with.
template <class Real>
struct TreeScratch {
  TreePath<Real> path;
  Real* tile;          ///< mass_matrix_rows x (mass_matrix_tile + mass_matrix_padding)
  std::int32_t* runs;  ///< runs on the way to the root
  std::int32_t* ends;  ///< the columns of each that are ancestors end here
};

template <class Real>
struct TreeMassMatrixContext {
  ModelView<Real> model;
  SparseRows sparse;
  const TreeRun* run;
  const TreeRowGroup* group;
  const std::int32_t* subtree_end;        ///< per column: its descendants end before it
  CrbaWorkspace<Real, Column> workspace;  ///< where there are mimic joints
  TreeColumns<Real> columns;
};

template <class Real>
struct TreeMassMatrixKernels {
  using Context = TreeMassMatrixContext<Real>;

  /// Gives all columns of each of these runs the origin of its first one.
  void (*join)(const Context&, std::span<const std::int32_t> runs) noexcept;
  /// Whether all of a state and of its columns is finite and so moderate that no entry of M can
  /// have overflowed. `finite`: whether q and the diagonal are finite at least.
  bool (*moderate)(const Context&, const Real* q, bool& finite) noexcept;
  /// The rows of the groups begin <= g < end of the dense M. `stream`: past the caches.
  void (*dense)(const Context&, const TreeScratch<Real>&, std::int32_t begin, std::int32_t end,
                Real* M, bool stream) noexcept;
  /// The same of the sparse M.
  void (*sparse)(const Context&, const TreeScratch<Real>&, std::int32_t begin, std::int32_t end,
                 Real* values) noexcept;
  /// All of M where mimic joints add up entries, by the plain algorithm; returns as `moderate`.
  bool (*dense_with_mimic)(const Context&, const Real* q, Real* M, bool& finite) noexcept;
  bool (*sparse_with_mimic)(const Context&, const Real* q, Real* values, bool& finite) noexcept;
  /// L in place of the lower triangle of a sparse M: 0, or 1 + the singular coordinate.
  Real (*factor)(const Context&, Real* values, Real* vector) noexcept;
  /// M x = b in place of b, by that factor.
  void (*solve)(const Context&, const Real* L, Real* x) noexcept;
};

/// The kernels for the set or the best one below it.
template <class Real>
const TreeMassMatrixKernels<Real>& tree_mass_matrix_kernels(InstructionSet set);

}  // namespace rbd_parallel_core
