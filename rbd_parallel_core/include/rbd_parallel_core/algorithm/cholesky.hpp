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

/// The columns first <= j < first + count of ltl_solve_rows. A block of a row stays in registers
/// while it meets the rows of its ancestors.
template <int count, bool negated, class S, class Real, class Matrix, class Vector, class Rows,
          class ZeroBlocks>
RBD_INLINE S ltl_solve_block(const ModelView<Real>& model, const Matrix& L,
                             const Vector& one_over_diagonal, std::int32_t first, const Rows& B,
                             const ZeroBlocks& is_zero_block) {
  const std::int32_t* parent = model.dof_parent;
  const S zero(RealOf<S>(0));
  S block[count], taint = zero;
  for (std::int32_t k = model.nv - 1; k >= 0; --k) {
    if (is_zero_block(k, first)) continue;
    const S factor = one_over_diagonal.load(k);
    for (int c = 0; c < count; ++c) {
      block[c] = factor * B.load(k, first + c);
      B.store(k, first + c, block[c]);
    }
    for (std::int32_t i = parent[k]; i >= 0; i = parent[i]) {
      const S l = L.load(k, i);
      for (int c = 0; c < count; ++c) {
        B.store(i, first + c, neg_mul_add(l, block[c], B.load(i, first + c)));
      }
    }
  }
  for (std::int32_t k = 0; k < model.nv; ++k) {
    for (int c = 0; c < count; ++c) block[c] = B.load(k, first + c);
    for (std::int32_t i = parent[k]; i >= 0; i = parent[i]) {
      const S l = L.load(k, i);
      for (int c = 0; c < count; ++c) {
        block[c] = negated ? mul_add(l, B.load(i, first + c), block[c])
                           : neg_mul_add(l, B.load(i, first + c), block[c]);
      }
    }
    const S factor = negated ? -one_over_diagonal.load(k) : one_over_diagonal.load(k);
    for (int c = 0; c < count; ++c) {
      block[c] = factor * block[c];
      taint = mul_add(zero, block[c], taint);
      B.store(k, first + c, block[c]);
    }
  }
  return taint;
}

/// The columns from `first` on: as many blocks as fit, then smaller ones.
template <int block, bool negated, class S, class Real, class Matrix, class Vector, class Rows,
          class ZeroBlocks>
RBD_INLINE S ltl_solve_from(const ModelView<Real>& model, const Matrix& L,
                            const Vector& one_over_diagonal, std::int32_t first, const Rows& B,
                            const ZeroBlocks& is_zero_block) {
  S taint(Real(0));
  for (; first + block <= model.nv; first += block) {
    taint = taint + ltl_solve_block<block, negated, S>(model, L, one_over_diagonal, first, B,
                                                       is_zero_block);
  }
  if constexpr (block > 1) {
    if (first < model.nv) {
      taint = taint + ltl_solve_from<block / 2, negated, S>(model, L, one_over_diagonal, first, B,
                                                            NoZeroBlocks{});
    }
  }
  return taint;
}

/// Replaces B (nv x nv) by M^-1 B, or by -M^-1 B. is_zero_block(k, j): whether the entries of row k
/// of B in the columns j to j + block - 1 are zero, which holds until the second half too: L^T
/// couples only what is coupled. one_over_diagonal: workspace of nv numbers. Returns NaN where an
/// entry of the result is not finite, else zero.
template <int block, bool negated, class S, class Real, class Matrix, class Vector, class Rows,
          class ZeroBlocks = NoZeroBlocks>
RBD_KERNEL S ltl_solve_rows(const ModelView<Real>& robot, const Matrix& L,
                            const Vector& one_over_diagonal, const Rows& B,
                            const ZeroBlocks& is_zero_block = {}) {
  const ModelView<Real> model = robot;  // a copy, as in rnea
  for (std::int32_t k = 0; k < model.nv; ++k) {
    one_over_diagonal.store(k, S(Real(1)) / L.load(k, k));
  }
  return ltl_solve_from<block, negated, S>(model, L, one_over_diagonal, 0, B, is_zero_block);
}

/// M^-1, column by column. `column`: workspace of nv numbers; inverse: OutSymmetric or OutLower.
template <class S, class Real, class Matrix, class Vector, class Out>
RBD_KERNEL void ltl_inverse(const ModelView<Real>& model, const Matrix& L, const Vector& column,
                            const Out& inverse) {
  for (std::int32_t j = 0; j < model.nv; ++j) {
    for (std::int32_t i = 0; i < model.nv; ++i) column.store(i, S(Real(i == j ? 1 : 0)));
    ltl_solve<S>(model, L, column);
    for (std::int32_t i = j; i < model.nv; ++i) inverse.store(i, j, column.load(i));
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
