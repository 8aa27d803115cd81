// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "rbd_parallel_core/algorithm/sparse.hpp"
#include "rbd_parallel_core/gpu/kernels/launch.hpp"
#include "tree/mass_matrix_entry.hpp"

/// The kernels that write M from its columns, for one state of one large tree without mimic joints.
/// Dense and sparse entries are computed by the same operations: they agree in every bit.
namespace rbd_parallel_core {

/// The columns of M and how their coordinates depend on each other. All pointers are the device's.
template <class Real>
struct MatrixColumns {
  TreeColumns<Real> columns;
  std::int32_t nv;
  const std::int32_t* dof_parent;
  const std::int32_t* subtree_end;  ///< column_order.hpp
  const std::int32_t* chain_begin;
  SparseRows rows;

  /// M(row, column), where `column` is on the way from the root to `row`; ancestor: the same
  /// column.
  RBD_INLINE Real entry_of(std::int32_t row, std::int32_t column,
                           const AncestorColumn<Real>& ancestor) const {
    if (row == column) return columns.diagonal[row];
    return entry(ancestor, DescendantColumn<Real>::at(columns, row));
  }
};

/// Makes the taint NaN if x is not finite. Whichever threads do it, they write the same.
template <class Real>
RBD_INLINE void taint_by(const Real& x, Real* taint) {
  if (!(Real(0) * x == Real(0))) store_same(taint, std::numeric_limits<Real>::quiet_NaN());
}

/// All of M. A block of threads computes a tile of 32 x 32 entries on or below the diagonal; by way
/// of its shared memory it writes their mirror images too, so that neighbouring threads write
/// neighbours in both triangles.
template <class Real>
struct DenseMatrixBody {
  static constexpr int phases = 2;
  static constexpr std::int32_t tile = 32, padded = tile + 1;

  MatrixColumns<Real> from;
  Real* out;    ///< nv x nv
  Real* taint;  ///< becomes NaN if an entry is not finite

  /// Tiles of a row or of a column.
  RBD_INLINE std::int64_t tiles() const { return (from.nv + tile - 1) / tile; }
  LaunchShape shape() const {
    return {(tiles() + 1) * ((tiles() + 1) / 2), largest_block, sizeof(Real) * tile * padded};
  }

  template <int phase>
  RBD_HD void run(const ThreadIndex& at, std::byte* shared) const {
    const Place place = place_of(at.block);
    if (place.row < 0) return;
    if constexpr (phase == 0) {
      write_below(at, place, reinterpret_cast<Real*>(shared));
    } else {
      write_above(at, place, reinterpret_cast<const Real*>(shared));
    }
  }

 private:
  /// The first row and column of a tile.
  struct Place {
    std::int32_t row, column;
  };

  /// Row r of tiles has r + 1 of them; with the same row from below it makes tiles() + 1. The row
  /// in the middle has no such partner: what would be its second half is nowhere.
  RBD_INLINE Place place_of(std::int64_t block) const {
    const std::int64_t pair = block / (tiles() + 1), k = block % (tiles() + 1);
    const std::int64_t partner = tiles() - 1 - pair;
    if (k > pair && partner == pair) return {-1, -1};
    const std::int64_t row = k <= pair ? pair : partner, column = k <= pair ? k : k - pair - 1;
    return {static_cast<std::int32_t>(row) * tile, static_cast<std::int32_t>(column) * tile};
  }

  RBD_INLINE void write_below(const ThreadIndex& at, const Place& place, Real* numbers) const {
    const std::int32_t along = at.thread % tile, column = place.column + along;
    if (column >= from.nv) return;
    const auto ancestor = AncestorColumn<Real>::at(from.columns, column);
    const std::int32_t end = from.subtree_end[column];
    for (std::int32_t across = at.thread / tile; across < tile; across += at.block_size / tile) {
      const std::int32_t row = place.row + across;
      if (row < column || row >= from.nv) continue;
      const Real x = row < end ? from.entry_of(row, column, ancestor) : Real(0);
      numbers[across * padded + along] = x;
      out[static_cast<std::int64_t>(row) * from.nv + column] = x;
      taint_by(x, taint);
    }
  }

  RBD_INLINE void write_above(const ThreadIndex& at, const Place& place,
                              const Real* numbers) const {
    const std::int32_t along = at.thread % tile, column = place.row + along;
    if (column >= from.nv) return;
    for (std::int32_t across = at.thread / tile; across < tile; across += at.block_size / tile) {
      const std::int32_t row = place.column + across;
      if (row >= column) continue;
      out[static_cast<std::int64_t>(row) * from.nv + column] = numbers[along * padded + across];
    }
  }
};

/// The lower triangle of M in the order of MassMatrixPattern. A block of threads computes a row:
/// the chains of coordinates on the way to the root, each of which lies side by side.
template <class Real>
struct SparseMatrixBody {
  static constexpr int phases = 1;
  static constexpr std::int32_t threads_of_row = 32;

  MatrixColumns<Real> from;
  Real* out;    ///< nonzeros
  Real* taint;  ///< becomes NaN if an entry is not finite

  LaunchShape shape() const { return {from.nv, threads_of_row, 0}; }

  template <int>
  RBD_HD void run(const ThreadIndex& at, std::byte*) const {
    const auto row = static_cast<std::int32_t>(at.block);
    for (std::int32_t last = row; last >= 0;) {
      const std::int32_t first = from.chain_begin[last];
      for (std::int32_t c = first + at.thread; c <= last; c += at.block_size) {
        const Real x = from.entry_of(row, c, AncestorColumn<Real>::at(from.columns, c));
        out[from.rows.at(row, c)] = x;
        taint_by(x, taint);
      }
      last = from.dof_parent[first];
    }
  }
};

}  // namespace rbd_parallel_core
