// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rbd_parallel_core/algorithm/crba.hpp"
#include "rbd_parallel_core/algorithm/sparse.hpp"
#include "rbd_parallel_core/instruction_set.hpp"

/// What TreeMassMatrix calls: pieces of the mass matrix of one state of a robot of many bodies,
/// compiled for one instruction set. See mass_matrix_kernels.hpp for the text.
namespace rbd_parallel_core {

/// Rows that are computed together. They belong to one run (BodyView::head), so all of them see
/// another run from the same place.
inline constexpr std::int32_t mass_matrix_rows = 16;
/// Columns of such rows that are computed before they are written to the matrix.
inline constexpr std::int32_t mass_matrix_tile = 256;
/// Arrays can be read in whole registers past their ends: so many numbers more.
inline constexpr std::int32_t mass_matrix_padding = 16;

/// A run of bodies by its columns, which in a robot without mimic joints are the coordinates.
struct TreeRun {
  std::int32_t first, end;  ///< its columns
  std::int32_t parent;      ///< the run that it hangs on, or -1
  std::int32_t parent_end;  ///< columns of that run before this one are ancestors
};

/// Bodies begin <= i < end: a subtree of some hundred bodies, which a thread does outward and
/// inward while it is in the cache, or what lies between such subtrees and the root.
struct TreeRange {
  std::int32_t begin, end;
  bool subtree;
};

/// Rows of one run, at most mass_matrix_rows.
struct TreeRowGroup {
  std::int32_t run, begin, end;
};

/// Every column's axis S and force F = Ic S in world axes about the origin of its run, and where
/// that origin is: as the sum of two numbers, so that the difference of two of them has all digits
/// however far away the root is. Each array has column_count + mass_matrix_padding numbers.
template <class Real>
struct TreeColumns {
  Real* axis[6];   ///< angular, then linear
  Real* force[6];  ///< moment, then force
  Real* high[3];
  Real* low[3];
  Real* diagonal;  ///< of M, armature included
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
  const TreeRange* range;  ///< range_count, all bodies in their order
  std::int32_t range_count;
  const TreeRowGroup* group;
  const std::int32_t* run_of_body;
  const std::int32_t* subtree_end;  ///< per column: its descendants end before it
  Inertia<Real>*
      carried;  ///< per range: the composite inertia of its first body as its parent sees it
  CrbaWorkspace<Real, Column> workspace;
  TreeColumns<Real> columns;
};

template <class Real>
struct TreeMassMatrixKernels {
  using Context = TreeMassMatrixContext<Real>;

  /// Three steps fill the columns for a state: outward over the ranges that are no subtrees;
  /// outward and inward over each subtree, in any order or at the same time; inward over the rest.
  void (*outward_to_subtrees)(const Context&, const Real* q) noexcept;
  void (*subtree)(const Context&, const Real* q, std::int32_t range) noexcept;
  void (*inward_from_subtrees)(const Context&, const Real* q) noexcept;
  /// Afterwards: whether all is finite and so moderate that no entry of M can have overflowed.
  /// `finite`: whether q and the diagonal are finite at least.
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
template <>
const TreeMassMatrixKernels<double>& tree_mass_matrix_kernels<double>(InstructionSet set);
template <>
const TreeMassMatrixKernels<float>& tree_mass_matrix_kernels<float>(InstructionSet set);

}  // namespace rbd_parallel_core
