// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/aba.hpp"
#include "rbd_parallel_core/algorithm/sparse.hpp"

/// The mass matrix of a tree factored as M = L^T L without fill-in (Featherstone 6.5): row k of L
/// is non-zero only at k and its ancestors. `dof_parent` is the elimination tree of M, which for a
/// robot without mimic joints is the tree of its coordinates; mimic joints couple branches, and the
/// elimination tree covers what they fill in. So the same loops serve both.
namespace rbd_parallel_core {

/// Row k left of the diagonal, times `factor`.
template <class S, class Matrix>
RBD_INLINE void scale_row(const std::int32_t* parent, const Matrix& M, std::int32_t k,
                          const S& factor) {
  for (std::int32_t i = parent[k]; i >= 0; i = parent[i]) M.store(k, i, M.load(k, i) * factor);
}
template <class S>
RBD_INLINE void scale_row(const std::int32_t*, const OutSparse<S>& M, std::int32_t k,
                          const S& factor) {
  const OutRow<S> row = M.row(k);
  for (std::int32_t d = 0; d < M.rows.depth[k]; ++d) row.store(d, row.load(d) * factor);
}

/// Row i minus `factor` times row k, in the columns of row i: k is a descendant of it and has them
/// all.
template <class S, class Matrix>
RBD_INLINE void subtract_row(const std::int32_t* parent, const Matrix& M, std::int32_t i,
                             std::int32_t k, const S& factor) {
  for (std::int32_t j = i; j >= 0; j = parent[j]) {
    M.store(i, j, neg_mul_add(factor, M.load(k, j), M.load(i, j)));
  }
}
template <class S>
RBD_INLINE void subtract_row(const std::int32_t*, const OutSparse<S>& M, std::int32_t i,
                             std::int32_t k, const S& factor) {
  RealOf<S>* __restrict to = M.row(i).data;  // another row than k
  const RealOf<S>* __restrict from = M.row(k).data;
  const std::ptrdiff_t end = offset_of<S>(M.rows.depth[i] + 1);
  for (std::ptrdiff_t d = 0; d < end; d += offset_of<S>(1)) {
    using T = ScalarTraits<S>;
    T::store(to + d, neg_mul_add(factor, T::load(from + d), T::load(to + d)));
  }
}

/// Replaces the lower triangle of M by L; the upper one is neither read nor written. `diagonal`:
/// workspace of nv numbers. Returns 0, or 1 + the coordinate whose pivot is not above
/// singular_tolerance times its diagonal entry in M (then L means nothing).
template <class S, class Real, class Matrix, class Vector>
RBD_KERNEL S ltl_factor(const ModelView<Real>& model, const Matrix& M, const Vector& diagonal) {
  using Traits = ScalarTraits<S>;
  const std::int32_t* parent = model.dof_parent;
  const S tolerance = singular_tolerance_of<S>();
  S singular(Real(0));

  for (std::int32_t k = 0; k < model.nv; ++k) diagonal.store(k, M.load(k, k));
  for (std::int32_t k = model.nv - 1; k >= 0; --k) {
    const S pivot = M.load(k, k);
    const S threshold = tolerance * diagonal.load(k);
    singular = Traits::select(Traits::less_equal(pivot, threshold), S(Real(k + 1)), singular);
    const S root = Traits::sqrt(pivot);
    const S inverse_root = S(Real(1)) / root;
    M.store(k, k, root);
    scale_row(parent, M, k, inverse_root);
    for (std::int32_t i = parent[k]; i >= 0; i = parent[i]) {
      subtract_row(parent, M, i, k, M.load(k, i));
    }
  }
  return singular;
}

/// Solves M x = b in place: L^T y = b, then L x = y.
template <class S, class Real, class Matrix, class Vector>
RBD_KERNEL void ltl_solve(const ModelView<Real>& model, const Matrix& L, const Vector& x) {
  const std::int32_t* parent = model.dof_parent;
  for (std::int32_t k = model.nv - 1; k >= 0; --k) {
    const S y = x.load(k) / L.load(k, k);
    x.store(k, y);
    for (std::int32_t i = parent[k]; i >= 0; i = parent[i]) {
      x.store(i, neg_mul_add(L.load(k, i), y, x.load(i)));
    }
  }
  for (std::int32_t k = 0; k < model.nv; ++k) {
    S y = x.load(k);
    for (std::int32_t i = parent[k]; i >= 0; i = parent[i]) {
      y = neg_mul_add(L.load(k, i), x.load(i), y);
    }
    x.store(k, y / L.load(k, k));
  }
}

/// No block of a matrix is known to be zero.
struct NoZeroBlocks {
  RBD_INLINE bool operator()(std::int32_t, std::int32_t) const { return false; }
};

/// Calls visit(i) for the descendants of k. Without mimic joints they are those that follow it,
/// since coordinates stand depth-first.
template <class Real, class Visit>
RBD_INLINE void for_each_descendant(const ModelView<Real>& model, std::int32_t k,
                                    const Visit& visit) {
  const std::int32_t* parent = model.dof_parent;
  if (!model.has_mimic) {
    for (std::int32_t i = k + 1; i < model.nv && parent[i] >= k; ++i) visit(i);
    return;
  }
  for (std::int32_t i = k + 1; i < model.nv; ++i) {
    std::int32_t above = parent[i];
    while (above > k) above = parent[above];
    if (above == k) visit(i);
  }
}

/// Some columns of a row of several matrices, from column `first` on, in registers.
template <class S, int columns, std::size_t matrices>
struct RowBlock {
  S x[matrices][columns];

  /// Calls visit(m, c, number) for all of them.
  template <class Visit>
  RBD_INLINE void each(const Visit& visit) {
    for (std::size_t m = 0; m < matrices; ++m) {
      for (int c = 0; c < columns; ++c) visit(m, c, x[m][c]);
    }
  }
  template <class Rows>
  RBD_INLINE void load(const Rows (&B)[matrices], std::int32_t k, std::int32_t first) {
    each([&](std::size_t m, int c, S& b) RBD_INLINE_LAMBDA { b = B[m].load(k, first + c); });
  }
  template <class Rows>
  RBD_INLINE void store_times(const S& factor, const Rows (&B)[matrices], std::int32_t k,
                              std::int32_t first) {
    each([&](std::size_t m, int c, S& b) RBD_INLINE_LAMBDA {
      b = factor * b;
      B[m].store(k, first + c, b);
    });
  }
  RBD_INLINE S sum() {
    S all(RealOf<S>(0));
    each([&](std::size_t, int, S& b) RBD_INLINE_LAMBDA { all = all + b; });
    return all;
  }
};

/// The columns first <= j < first + columns of ltl_solve_rows. Rows gather what others take from
/// them, so that nothing is stored on the way.
template <int columns, class S, class Real, class Matrix, class Vector, class Rows,
          std::size_t matrices, class ZeroBlocks>
RBD_INLINE S ltl_solve_block(const ModelView<Real>& model, const Matrix& L,
                             const Vector& one_over_diagonal, std::int32_t first,
                             const Rows (&B)[matrices], const ZeroBlocks& is_zero_block) {
  const std::int32_t* parent = model.dof_parent;
  RowBlock<S, columns, matrices> row;
  S sum(RealOf<S>(0));
  // L^T y = b, with y in the place of b
  for (std::int32_t k = model.nv - 1; k >= 0; --k) {
    if (is_zero_block(k, first)) continue;
    row.load(B, k, first);
    for_each_descendant(model, k, [&](std::int32_t i) RBD_INLINE_LAMBDA {
      if (is_zero_block(i, first)) return;
      const S l = L.load(i, k);
      row.each([&](std::size_t m, int c, S& b)
                   RBD_INLINE_LAMBDA { b = neg_mul_add(l, B[m].load(i, first + c), b); });
    });
    row.store_times(one_over_diagonal.load(k), B, k, first);
  }
  // L x = -y, with x in the place of y
  for (std::int32_t k = 0; k < model.nv; ++k) {
    row.load(B, k, first);
    for (std::int32_t i = parent[k]; i >= 0; i = parent[i]) {
      const S l = L.load(k, i);
      row.each([&](std::size_t m, int c, S& b)
                   RBD_INLINE_LAMBDA { b = mul_add(l, B[m].load(i, first + c), b); });
    }
    row.store_times(-one_over_diagonal.load(k), B, k, first);
    sum = sum + row.sum();
  }
  return sum;
}

/// The columns first <= j < last of ltl_solve_rows: as many blocks as fit, then smaller ones.
template <int columns, class S, class Real, class Matrix, class Vector, class Rows,
          std::size_t matrices, class ZeroBlocks>
RBD_INLINE S ltl_solve_from(const ModelView<Real>& model, const Matrix& L,
                            const Vector& one_over_diagonal, std::int32_t first, std::int32_t last,
                            const Rows (&B)[matrices], const ZeroBlocks& is_zero_block) {
  S sum(Real(0));
  for (; first + columns <= last; first += columns) {
    sum = sum + ltl_solve_block<columns, S>(model, L, one_over_diagonal, first, B, is_zero_block);
  }
  if constexpr (columns > 1) {
    if (first < last) {
      sum = sum + ltl_solve_from<columns / 2, S>(model, L, one_over_diagonal, first, last, B,
                                                 NoZeroBlocks{});
    }
  }
  return sum;
}

/// Writes 1 / L_kk.
template <class S, class Real, class Matrix, class Vector>
RBD_INLINE void ltl_one_over_diagonal(const ModelView<Real>& model, const Matrix& L,
                                      const Vector& out) {
  for (std::int32_t k = 0; k < model.nv; ++k) out.store(k, S(Real(1)) / L.load(k, k));
}

/// Replaces each of the matrices B (nv x nv) by -M^-1 B. They are solved for together, `columns` of
/// each at once: so many sums in registers that none waits for another. is_zero_block(k, j):
/// whether the entries of row k of all B in the columns j to j + columns - 1 are zero, which holds
/// until the second half too: L^T couples only what is coupled. one_over_diagonal: workspace of nv
/// numbers. Returns zero times the sum of all entries of the result: NaN where one of them is not
/// finite, or where they are so large that their sum is not.
template <int columns, class S, class Real, class Matrix, class Vector, class Rows,
          std::size_t matrices, class ZeroBlocks = NoZeroBlocks>
RBD_KERNEL S ltl_solve_rows(const ModelView<Real>& robot, const Matrix& L,
                            const Vector& one_over_diagonal, const Rows (&B)[matrices],
                            const ZeroBlocks& is_zero_block = {}) {
  const ModelView<Real> model = robot;  // a copy, as in rnea
  ltl_one_over_diagonal<S>(model, L, one_over_diagonal);
  return S(Real(0)) *
         ltl_solve_from<columns, S>(model, L, one_over_diagonal, 0, model.nv, B, is_zero_block);
}

/// The columns first <= j < first + columns of row k of M^-1, for ltl_inverse.
template <int columns, class S, class Real, class Matrix, class Out>
RBD_INLINE void ltl_inverse_block(const ModelView<Real>& model, const Matrix& L, const S& factor,
                                  std::int32_t k, std::int32_t first, const Out& inverse) {
  const std::int32_t* parent = model.dof_parent;
  S x[columns];
  for (int c = 0; c < columns; ++c) x[c] = S(Real(0));
  for (std::int32_t i = parent[k]; i >= 0; i = parent[i]) {
    const S l = L.load(k, i);
    for (int c = 0; c < columns; ++c) x[c] = neg_mul_add(l, inverse.load(i, first + c), x[c]);
  }
  for (int c = 0; c < columns; ++c) inverse.store(k, first + c, factor * x[c]);
}

/// M^-1, row by row from the root on: L M^-1 = L^-T, whose lower triangle is zero but for the
/// diagonal, 1 / L_kk. So row k left of the diagonal follows from the rows of its ancestors, and
/// the diagonal from that row, since M^-1 is symmetric (Takahashi, Fagan and Chin, 1973).
/// inverse: OutSymmetric.
template <class S, class Real, class Matrix, class Out>
RBD_KERNEL void ltl_inverse(const ModelView<Real>& robot, const Matrix& L, const Out& inverse) {
  const ModelView<Real> model = robot;  // a copy, as in rnea
  constexpr int columns = 8;            // at once, in registers
  for (std::int32_t k = 0; k < model.nv; ++k) {
    const S factor = S(Real(1)) / L.load(k, k);
    std::int32_t j = 0;
    for (; j + columns <= k; j += columns) {
      ltl_inverse_block<columns>(model, L, factor, k, j, inverse);
    }
    for (; j + 2 <= k; j += 2) ltl_inverse_block<2>(model, L, factor, k, j, inverse);
    if (j < k) ltl_inverse_block<1>(model, L, factor, k, j, inverse);
    S diagonal = factor;
    for (std::int32_t i = model.dof_parent[k]; i >= 0; i = model.dof_parent[i]) {
      diagonal = neg_mul_add(L.load(k, i), inverse.load(k, i), diagonal);
    }
    inverse.store(k, k, factor * diagonal);
  }
}

/// Sets to zero what lies above the diagonal of a factor.
template <class S, class Matrix>
RBD_KERNEL void clear_upper_triangle(const Matrix& L, std::int32_t n) {
  for (std::int32_t i = 0; i < n; ++i) {
    for (std::int32_t j = i + 1; j < n; ++j) L.store(i, j, S(RealOf<S>(0)));
  }
}

}  // namespace rbd_parallel_core
