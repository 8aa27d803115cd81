// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mass_matrix_entry.hpp"
#include "mass_matrix_stream.hpp"
#include "mass_matrix_table.hpp"
#include "pack.hpp"
#include "rbd_parallel_core/algorithm/cholesky.hpp"
#include "rbd_parallel_core/algorithm/finite.hpp"

/// The mass matrix of one state of a robot of many bodies, columns in SIMD lanes. Included by the
/// file that is compiled once for each instruction set; everything is local to it.
///
/// Both triangles, and dense and sparse rows, evaluate an entry by the same operations in the same
/// order: they agree in every bit.
namespace rbd_parallel_core {

/// The same number in all lanes.
template <class S>
RBD_INLINE Vec3<S> broadcast3(RealOf<S>* const* arrays, std::int32_t k) {
  return {S(arrays[0][k]), S(arrays[1][k]), S(arrays[2][k])};
}

// ---- columns
// --------------------------------------------------------------------------------------------------------

/// So far from overflow that no product of a few such numbers comes near it; as in the kernels for
/// batches.
template <class Real>
inline constexpr Real moderate_limit = sizeof(Real) == 4 ? Real(1e12) : Real(1e100);

/// Whether q and the diagonal are so moderate that no entry of M can have overflowed.
template <class Real, class Diagonal>
RBD_INLINE bool is_moderate(const ModelView<Real>& model, const Row<Real>& q,
                            const Diagonal& diagonal, bool& finite) {
  using T = ScalarTraits<Real>;
  Real bad = taint_of_q<Real>(model, q);
  Real largest(0);
  for (std::int32_t k = 0; k < model.nq; ++k) largest = T::max(largest, T::abs(q(k)));
  for (std::int32_t k = 0; k < model.nv; ++k) {
    bad = mul_add(Real(0), diagonal(k), bad);
    largest = T::max(largest, T::abs(diagonal(k)));
  }
  finite = bad == 0;
  return finite && largest < moderate_limit<Real>;
}

template <class S>
RBD_INLINE void store3(RealOf<S>* const* arrays, std::int32_t k, const Vec3<S>& a) {
  using T = ScalarTraits<S>;
  T::store(arrays[0] + k, a.x);
  T::store(arrays[1] + k, a.y);
  T::store(arrays[2] + k, a.z);
}

/// Gives the columns from c on, as many as S has lanes, the origin of column `head`.
template <class S, class Real>
RBD_INLINE void move_columns(const TreeColumns<Real>& columns, std::int32_t c, std::int32_t head) {
  const Vec3<S> high = broadcast3<S>(columns.high, head), low = broadcast3<S>(columns.low, head);
  const Vec3<S> D = between(high, low, load3<S>(columns.high, c), load3<S>(columns.low, c));
  const Vec3<S> w = load3<S>(columns.axis, c), f = load3<S>(columns.force + 3, c);
  store3<S>(columns.axis + 3, c, load3<S>(columns.axis + 3, c) + cross(D, w));
  store3<S>(columns.force, c, moved_moment(load3<S>(columns.force, c), f, D));
  store3<S>(columns.high, c, high);
  store3<S>(columns.low, c, low);
}

template <class S, class Real>
RBD_KERNEL void join_runs(const TreeMassMatrixContext<Real>& context,
                          std::span<const std::int32_t> runs) noexcept {
  constexpr auto width = static_cast<std::int32_t>(ScalarTraits<S>::width);
  const TreeColumns<Real> columns = context.columns;
  for (const std::int32_t r : runs) {
    const TreeRun run = context.run[r];
    std::int32_t c = run.first;
    for (; c + width <= run.end; c += width) move_columns<S>(columns, c, run.first);
    for (; c < run.end; ++c) move_columns<Real>(columns, c, run.first);
  }
}

template <class Real>
RBD_KERNEL bool is_moderate_state(const TreeMassMatrixContext<Real>& context, const Real* q,
                                  bool& finite) noexcept {
  const Real* const diagonal = context.columns.diagonal;
  return is_moderate(
      context.model, Row<Real>{q}, [&](std::int32_t k) RBD_INLINE_LAMBDA { return diagonal[k]; },
      finite);
}

// ---- dense
// ----------------------------------------------------------------------------------------------------------

/// Columns first <= c < end of a group of rows: in the matrix itself, or in a tile on its way
/// there.
template <class Real>
struct RowTile {
  Real* data;
  std::ptrdiff_t stride;
  std::int32_t first, end;
  std::int32_t room;  ///< a register can be stored before this column, of whatever use

  RBD_INLINE Real* at(std::int32_t row, std::int32_t column) const {
    return data + row * stride + (column - first);
  }
  RBD_INLINE void clear(std::int32_t row, std::int32_t begin, std::int32_t past) const {
    for (Real *x = at(row, begin), *last = at(row, past); x < last; ++x) *x = Real(0);
  }
};

/// Six numbers of each row of a group: its axis or its force.
template <class Real>
struct RowNumbers {
  Real of[6][mass_matrix_rows + mass_matrix_padding];

  template <class S>
  RBD_INLINE void load(std::int32_t r, S (&row)[6]) const {
    for (int a = 0; a < 6; ++a) row[a] = S(of[a][r]);
  }
};

/// The first `count` lanes of x.
template <class S, class Real>
RBD_INLINE void store_some(Real* at, std::int32_t count, const S& x) {
  using T = ScalarTraits<S>;
  Real lanes[T::width];
  T::store(lanes, x);
  for (std::int32_t l = 0; l < count && l < static_cast<std::int32_t>(T::width); ++l) {
    at[l] = lanes[l];
  }
}

/// The entries of `count` rows in columns begin <= c < end, of which column(c, numbers) gives the
/// six numbers. Two registers of columns at a time, so that a row's numbers are read half as often;
/// registers may be written past `end`, where there is room.
template <class S, class Real, class Columns>
RBD_INLINE void fill_entries(const RowNumbers<Real>& rows, std::int32_t count, std::int32_t begin,
                             std::int32_t end, const RowTile<Real>& tile, const Columns& column) {
  using T = ScalarTraits<S>;
  constexpr auto width = static_cast<std::int32_t>(T::width);
  const std::ptrdiff_t stride = tile.stride;
  std::int32_t c = begin;
  S left[6], right[6], row[6];
  for (; c + width < end && c + 2 * width <= tile.room; c += 2 * width) {
    column(c, left);
    column(c + width, right);
    Real* at = tile.at(0, c);
    for (std::int32_t r = 0; r < count; ++r, at += stride) {
      rows.load(r, row);
      T::store(at, entry(left, row));
      T::store(at + width, entry(right, row));
    }
  }
  for (; c < end; c += width) {
    // Where a register would not fit, some columns are written twice.
    if (c + width > tile.room && tile.room - width >= begin) c = tile.room - width;
    const std::int32_t room = tile.room - c;
    column(c, left);
    Real* at = tile.at(0, c);
    for (std::int32_t r = 0; r < count; ++r, at += stride) {
      rows.load(r, row);
      if (room >= width) {
        T::store(at, entry(left, row));
      } else {
        store_some(at, room, entry(left, row));
      }
    }
  }
}

/// The entries of a group of rows in columns of one run that lie before them.
template <class S, class Real>
RBD_INLINE void rows_before(const TreeColumns<Real>& columns, const TreeRowGroup& group,
                            std::int32_t begin, std::int32_t end, const RowTile<Real>& tile) {
  using T = ScalarTraits<S>;
  constexpr auto width = static_cast<std::int32_t>(T::width);
  const std::int32_t count = group.end - group.begin;
  const Vec3<S> D =
      between(broadcast3<S>(columns.high, begin), broadcast3<S>(columns.low, begin),
              broadcast3<S>(columns.high, group.begin), broadcast3<S>(columns.low, group.begin));
  RowNumbers<Real> rows;
  for (std::int32_t r = 0; r < count; r += width) {
    const Vec3<S> f = load3<S>(columns.force + 3, group.begin + r);
    const Vec3<S> n = moved_moment(load3<S>(columns.force, group.begin + r), f, D);
    const S numbers[6] = {n.x, n.y, n.z, f.x, f.y, f.z};
    for (int a = 0; a < 6; ++a) T::store(rows.of[a] + r, numbers[a]);
  }
  fill_entries<S>(rows, count, begin, end, tile,
                  [&](std::int32_t c, S(&numbers)[6]) RBD_INLINE_LAMBDA {
                    for (int a = 0; a < 6; ++a) numbers[a] = T::load(columns.axis[a] + c);
                  });
}

/// The entries of `count` rows from `row` on in columns of descendants of all of them.
template <class S, class Real>
RBD_INLINE void rows_after(const TreeColumns<Real>& columns, std::int32_t row, std::int32_t count,
                           std::int32_t begin, std::int32_t end, const RowTile<Real>& tile) {
  const Vec3<S> high = broadcast3<S>(columns.high, row), low = broadcast3<S>(columns.low, row);
  RowNumbers<Real> rows;
  for (int a = 0; a < 6; ++a) {
    for (std::int32_t r = 0; r < count; ++r) rows.of[a][r] = columns.axis[a][row + r];
  }
  fill_entries<S>(
      rows, count, begin, end, tile, [&](std::int32_t c, S(&numbers)[6]) RBD_INLINE_LAMBDA {
        const Vec3<S> D = between(high, low, load3<S>(columns.high, c), load3<S>(columns.low, c));
        const Vec3<S> f = load3<S>(columns.force + 3, c);
        const Vec3<S> n = moved_moment(load3<S>(columns.force, c), f, D);
        numbers[0] = n.x;
        numbers[1] = n.y;
        numbers[2] = n.z;
        numbers[3] = f.x;
        numbers[4] = f.y;
        numbers[5] = f.z;
      });
}

/// The square block on the diagonal, of which rows_before has written the lower triangle.
template <class Real>
RBD_INLINE void close_diagonal_block(const TreeColumns<Real>& columns, const TreeRowGroup& group,
                                     const RowTile<Real>& tile) {
  for (std::int32_t i = group.begin; i < group.end; ++i) {
    for (std::int32_t j = group.begin; j < i; ++j) {
      *tile.at(j - group.begin, i) = *tile.at(i - group.begin, j);
    }
    *tile.at(i - group.begin, i) = columns.diagonal[i];
  }
}

/// The runs on the way from a group to the root, and where the columns of each that are ancestors
/// end. The group's own run comes first.
template <class Real>
RBD_INLINE std::int32_t collect_runs(const TreeMassMatrixContext<Real>& context,
                                     const TreeRowGroup& group, const TreeScratch<Real>& scratch) {
  std::int32_t count = 0, end = group.end;
  for (std::int32_t r = group.run; r >= 0; ++count) {
    scratch.runs[count] = r;
    scratch.ends[count] = end;
    end = context.run[r].parent_end;
    r = context.run[r].parent;
  }
  return count;
}

/// The columns of a tile that lie before the group's end: those of runs on its way, zeros between.
/// `left`: how many of the runs are not yet done; the rest is to their left.
template <class S, class Real>
RBD_INLINE void fill_before(const TreeMassMatrixContext<Real>& context, const TreeRowGroup& group,
                            const TreeScratch<Real>& scratch, std::int32_t& left,
                            const RowTile<Real>& tile) {
  const std::int32_t count = group.end - group.begin;
  const std::int32_t end = tile.end < group.end ? tile.end : group.end;
  std::int32_t done = tile.first;
  while (left > 0 && done < end) {
    const std::int32_t first = context.run[scratch.runs[left - 1]].first;
    const std::int32_t last = scratch.ends[left - 1];
    const std::int32_t begin = first > done ? first : done;
    const std::int32_t past = last < end ? last : end;
    const std::int32_t gap_end = begin < end ? begin : end;
    if (gap_end > done) {
      for (std::int32_t r = 0; r < count; ++r) tile.clear(r, done, gap_end);
    }
    if (begin >= end) return;
    rows_before<S>(context.columns, group, begin, past, tile);
    done = past;
    if (past == last) --left;
  }
}

/// The columns of a tile from `begin` on, past the group: those of descendants of each row, zeros
/// elsewhere.
template <class S, class Real>
RBD_INLINE void fill_after(const TreeMassMatrixContext<Real>& context, const TreeRowGroup& group,
                           std::int32_t begin, const RowTile<Real>& tile) {
  const std::int32_t count = group.end - group.begin;
  std::int32_t related = count;  // rows are nested: the first ones have the most descendants
  while (begin < tile.end) {
    while (related > 0 && context.subtree_end[group.begin + related - 1] <= begin) --related;
    std::int32_t end = tile.end;
    if (related > 0) {
      const std::int32_t subtree_end = context.subtree_end[group.begin + related - 1];
      end = subtree_end < end ? subtree_end : end;
      rows_after<S>(context.columns, group.begin, related, begin, end, tile);
    }
    for (std::int32_t r = related; r < count; ++r) tile.clear(r, begin, end);
    begin = end;
  }
}

/// A tile of a group of rows: columns before, on and after the diagonal.
template <class S, class Real>
RBD_INLINE void fill_tile(const TreeMassMatrixContext<Real>& context, const TreeRowGroup& group,
                          const TreeScratch<Real>& scratch, std::int32_t& runs_left,
                          const RowTile<Real>& tile) {
  if (tile.first < group.end) fill_before<S>(context, group, scratch, runs_left, tile);
  if (tile.first <= group.begin && group.end <= tile.end) {
    close_diagonal_block(context.columns, group, tile);
  }
  fill_after<S>(context, group, tile.first < group.end ? group.end : tile.first, tile);
}

/// A group of rows by tiles, which go to the matrix past the caches.
template <class S, class Real>
RBD_INLINE void stream_group(const TreeMassMatrixContext<Real>& context, const TreeRowGroup& group,
                             const TreeScratch<Real>& scratch, Real* M) {
  const std::int32_t nv = context.model.nv;
  std::int32_t runs_left = collect_runs(context, group, scratch);
  for (std::int32_t first = 0, end; first < nv; first = end) {
    end = nv - first < mass_matrix_tile ? nv : first + mass_matrix_tile;
    if (group.begin > first && group.begin < end && group.end > end) end = group.begin;
    const RowTile<Real> tile{scratch.tile, mass_matrix_tile + mass_matrix_padding, first, end,
                             end + mass_matrix_padding};
    fill_tile<S>(context, group, scratch, runs_left, tile);
    for (std::int32_t i = group.begin; i < group.end; ++i) {
      stream_numbers<S>(tile.at(i - group.begin, first),
                        M + static_cast<std::ptrdiff_t>(i) * nv + first, end - first);
    }
  }
}

template <class S, class Real>
RBD_KERNEL void dense_rows(const TreeMassMatrixContext<Real>& shared,
                           const TreeScratch<Real>& scratch, std::int32_t first_group,
                           std::int32_t end_group, Real* M, bool stream) noexcept {
  // A copy: a store of a pack may alias anything but what is local.
  const TreeMassMatrixContext<Real> context = shared;
  const std::int32_t nv = context.model.nv;
  for (std::int32_t g = first_group; g < end_group; ++g) {
    const TreeRowGroup group = context.group[g];
    if (stream) {
      stream_group<S>(context, group, scratch, M);
      continue;
    }
    std::int32_t runs_left = collect_runs(context, group, scratch);
    const RowTile<Real> rows{M + static_cast<std::ptrdiff_t>(group.begin) * nv, nv, 0, nv, nv};
    fill_tile<S>(context, group, scratch, runs_left, rows);
  }
  if (stream) stream_fence();
}

// ---- sparse
// ---------------------------------------------------------------------------------------------------------

/// Puts column c into its place on the path.
template <class Real>
RBD_INLINE void enter(const TreeColumns<Real>& columns, std::int32_t c, std::int32_t depth,
                      const TreePath<Real>& path) {
  for (int a = 0; a < 6; ++a) path.axis[a][depth] = columns.axis[a][c];
  for (int a = 0; a < 3; ++a) {
    path.high[a][depth] = columns.high[a][c];
    path.low[a][depth] = columns.low[a][c];
  }
}

/// The force of `row`, in all lanes, on columns whose origins lie at -D.
template <class S, class Real>
RBD_INLINE S entry_of_row(const RowNumbers<Real>& rows, std::int32_t r, const Vec3<S>& D,
                          const S (&axis)[6]) {
  S force[6];
  rows.load(r, force);
  const Vec3<S> n =
      moved_moment<S>({force[0], force[1], force[2]}, {force[3], force[4], force[5]}, D);
  force[0] = n.x;
  force[1] = n.y;
  force[2] = n.z;
  return entry(axis, force);
}

/// `count` lanes of x, as whole registers where that stays before `last`: what is too much is
/// overwritten by what comes after it.
template <class S, class Real>
RBD_INLINE void store_lanes(Real* at, const Real* last, std::int32_t count, const S& x) {
  using T = ScalarTraits<S>;
  if (last - at >= static_cast<std::ptrdiff_t>(T::width)) {
    T::store(at, x);
    return;
  }
  store_some(at, count, x);
}

template <class S, class Real>
RBD_KERNEL void sparse_rows(const TreeMassMatrixContext<Real>& shared,
                            const TreeScratch<Real>& scratch, std::int32_t first_group,
                            std::int32_t end_group, Real* values) noexcept {
  using T = ScalarTraits<S>;
  constexpr auto width = static_cast<std::int32_t>(T::width);
  const TreeMassMatrixContext<Real> context = shared;  // a copy, as in dense_rows
  const TreeColumns<Real> columns = context.columns;
  const TreePath<Real> path = scratch.path;
  const std::int64_t* const row_start = context.sparse.row_start;
  const std::int32_t* const depth = context.sparse.depth;
  const std::int32_t* const parent = context.model.dof_parent;
  const Real* const last = values + row_start[context.group[end_group - 1].end];
  for (std::int32_t c = parent[context.group[first_group].begin]; c >= 0; c = parent[c]) {
    enter(columns, c, depth[c], path);
  }
  for (std::int32_t g = first_group; g < end_group; ++g) {
    const TreeRowGroup group = context.group[g];
    const std::int32_t count = group.end - group.begin, before = depth[group.begin];
    RowNumbers<Real> rows;
    for (int a = 0; a < 6; ++a) {
      for (std::int32_t r = 0; r < count; ++r) rows.of[a][r] = columns.force[a][group.begin + r];
    }
    const Vec3<S> high = broadcast3<S>(columns.high, group.begin),
                  low = broadcast3<S>(columns.low, group.begin);
    S axis[6];
    // What sticks out of a row is overwritten by its own next entries, or past the group.
    const auto limit = [&](std::int32_t r) RBD_INLINE_LAMBDA {
      return r + 1 == count ? last : values + row_start[group.begin + r + 1];
    };
    for (std::int32_t d = 0; d < before; d += width) {
      const Vec3<S> D = between(load3<S>(path.high, d), load3<S>(path.low, d), high, low);
      for (int a = 0; a < 6; ++a) axis[a] = T::load(path.axis[a] + d);
      for (std::int32_t r = 0; r < count; ++r) {
        store_lanes(values + row_start[group.begin + r] + d, limit(r), before - d,
                    entry_of_row(rows, r, D, axis));
      }
    }
    const Vec3<S> D = between(high, low, high, low);
    for (std::int32_t r = 0; r < count; ++r) {
      Real* const row = values + row_start[group.begin + r] + before;
      for (std::int32_t d = 0; d < r; d += width) {
        for (int a = 0; a < 6; ++a) axis[a] = T::load(columns.axis[a] + group.begin + d);
        store_lanes(row + d, limit(r), r - d, entry_of_row(rows, r, D, axis));
      }
      row[r] = columns.diagonal[group.begin + r];
    }
    for (std::int32_t c = group.begin; c < group.end; ++c) enter(columns, c, depth[c], path);
  }
}

// ---- mimic joints, factor
// -------------------------------------------------------------------------------------------

template <class Real>
RBD_KERNEL bool dense_with_mimic(const TreeMassMatrixContext<Real>& context, const Real* q, Real* M,
                                 bool& finite) noexcept {
  const OutSymmetric<Real> matrix{{M, context.model.nv}};
  crba(context.model, context.workspace, Row<Real>{q}, matrix);
  return is_moderate(
      context.model, Row<Real>{q},
      [&](std::int32_t k) RBD_INLINE_LAMBDA { return matrix.load(k, k); }, finite);
}

template <class Real>
RBD_KERNEL bool sparse_with_mimic(const TreeMassMatrixContext<Real>& context, const Real* q,
                                  Real* values, bool& finite) noexcept {
  const OutSparse<Real> matrix{values, context.sparse, context.model.nv};
  crba(context.model, context.workspace, Row<Real>{q}, matrix);
  return is_moderate(
      context.model, Row<Real>{q},
      [&](std::int32_t k) RBD_INLINE_LAMBDA { return matrix.load(k, k); }, finite);
}

template <class Real>
RBD_KERNEL Real factor_rows(const TreeMassMatrixContext<Real>& context, Real* values,
                            Real* vector) noexcept {
  const OutSparse<Real> matrix{values, context.sparse, context.model.nv};
  return ltl_factor<Real>(context.model, matrix, OutRow<Real>{vector});
}

template <class Real>
RBD_KERNEL void solve_rows(const TreeMassMatrixContext<Real>& context, const Real* L,
                           Real* x) noexcept {
  const OutSparse<Real> matrix{const_cast<Real*>(L), context.sparse, context.model.nv};
  ltl_solve<Real>(context.model, matrix, OutRow<Real>{x});
}

/// The table of all of them.
template <class S>
constexpr TreeMassMatrixKernels<RealOf<S>> tree_mass_matrix_table() {
  using Real = RealOf<S>;
  return {join_runs<S, Real>,   is_moderate_state<Real>, dense_rows<S, Real>,
          sparse_rows<S, Real>, dense_with_mimic<Real>,  sparse_with_mimic<Real>,
          factor_rows<Real>,    solve_rows<Real>};
}

}  // namespace rbd_parallel_core
