// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/aba.hpp"

/// Forward dynamics of a piece of a tree that is open at both ends. A path of bodies that hangs on
/// a base with acceleration a, and that exerts the force g on what hangs on its own end, obeys
///
///   a_end  = B a - N g + n                  how its end accelerates
///   f_base = M a + B^T g + m                what it needs from its base
///
/// whatever lies beyond. M is the articulated inertia of the path, N the inverse inertia that its
/// end shows while the base is held, B how the base's acceleration arrives there. Two such elements
/// one behind the other are one again (docs/algorithms.md, "Two-ports"), and unlike the inertia of
/// a single articulated body this needs no inverse of either: the elements form a monoid, which is
/// why the articulated-body algorithm can be cut into blocks. It is the divide-and-conquer
/// algorithm of Featherstone 1999 in other variables.
namespace rbd_parallel_core {

/// Motion per force, symmetric 6x6 in 21 numbers.
template <class S>
struct Mobility {
  SymMat3<S> ww;  ///< angular acceleration per moment
  Mat3<S> wv;     ///< angular acceleration per force
  SymMat3<S> vv;  ///< linear acceleration per force

  static RBD_INLINE Mobility zero() {
    return {SymMat3<S>::zero(), Mat3<S>::zero(), SymMat3<S>::zero()};
  }
  friend RBD_INLINE Motion<S> operator*(const Mobility& a, const Force<S>& f) {
    return {a.ww * f.n + a.wv * f.f, transpose_times(a.wv, f.n) + a.vv * f.f};
  }
};

/// N + y y^T / D, given y and y/D.
template <class S>
RBD_INLINE Mobility<S> rank_one_update(const Mobility<S>& a, const Motion<S>& y,
                                       const Motion<S>& y_over_D) {
  return {rank_one_downdate(a.ww, -y.w, y_over_D.w),
          {mul_add(y.w.x, y_over_D.v, a.wv.x), mul_add(y.w.y, y_over_D.v, a.wv.y),
           mul_add(y.w.z, y_over_D.v, a.wv.z)},
          rank_one_downdate(a.vv, -y.v, y_over_D.v)};
}

/// B, N and n of a path, and how the numbers of a two-port are kept.
template <class S>
struct Transmission {
  Force<S> B[6];  ///< rows: the k-th number of the end's acceleration is dot(a, B[k])
  Mobility<S> N;
  Motion<S> n;
};

/// B a
template <class S>
RBD_INLINE Motion<S> transmitted(const Force<S> (&B)[6], const Motion<S>& a) {
  return {{dot(a, B[0]), dot(a, B[1]), dot(a, B[2])}, {dot(a, B[3]), dot(a, B[4]), dot(a, B[5])}};
}

/// B^T g
template <class S>
RBD_INLINE Force<S> transmitted_back(const Force<S> (&B)[6], const Force<S>& g) {
  Force<S> f = g.n.x * B[0];
  f = mul_add(g.n.y, B[1], f);
  f = mul_add(g.n.z, B[2], f);
  f = mul_add(g.f.x, B[3], f);
  f = mul_add(g.f.y, B[4], f);
  return mul_add(g.f.z, B[5], f);
}

/// The end of aba_inward for a path on which something hangs: follows how a force there acts on all
/// that is let go further inward. Costs one rank-one step and one transform of six rows a body.
template <class S, template <class> class Array>
struct OpenEnd {
  Transmission<S> across;
  Array<Motion<S>>
      y_over_D;  ///< per coordinate: what a force at the end takes from its acceleration

  /// Nothing lies between the end and itself.
  static RBD_INLINE OpenEnd at_itself(const Array<Motion<S>>& y_over_D) {
    const S o(RealOf<S>(0)), i(RealOf<S>(1));
    const Vec3<S> zero{o, o, o}, x{i, o, o}, y{o, i, o}, z{o, o, i};
    return {{{{x, zero}, {y, zero}, {z, zero}, {zero, x}, {zero, y}, {zero, z}},
             Mobility<S>::zero(),
             Motion<S>::zero()},
            y_over_D};
  }

  template <class Column>
  RBD_INLINE void let_go(std::int32_t at, const Column& column, const S& one_over_D,
                         const EliminatedCoordinate<S>& e) {
    Force<S>(&B)[6] = across.B;
    const Motion<S> y{{column.dot(B[0]), column.dot(B[1]), column.dot(B[2])},
                      {column.dot(B[3]), column.dot(B[4]), column.dot(B[5])}};
    const Motion<S> scaled = one_over_D * y;
    y_over_D.store(at, scaled);
    across.N = rank_one_update(across.N, y, scaled);
    across.n = {mul_add(e.u, y.w, across.n.w), mul_add(e.u, y.v, across.n.v)};
    B[0] = mul_add(-y.w.x, e.U, B[0]);
    B[1] = mul_add(-y.w.y, e.U, B[1]);
    B[2] = mul_add(-y.w.z, e.U, B[2]);
    B[3] = mul_add(-y.v.x, e.U, B[3]);
    B[4] = mul_add(-y.v.y, e.U, B[4]);
    B[5] = mul_add(-y.v.z, e.U, B[5]);
  }

  template <class X, class C>
  RBD_INLINE void pass(const X& transform, const C& c) {
    if constexpr (!is_zero<C>) across.n += transmitted(across.B, c);
    for (Force<S>& row : across.B) row = transform.apply_inverse(row);
  }

  RBD_INLINE const Transmission<S>& transmission() const { return across; }
};

/// A path that is open at both ends.
template <class S>
struct TwoPort {
  ArticulatedInertia<S> M;
  Force<S> m;
  Transmission<S> across;
};

/// What is known of the end of a path once all beyond it is: a_end = Z a + z.
template <class S>
struct EndMotion {
  Force<S> Z[6];  ///< rows, as of B
  Motion<S> z;
};

/// The numbers of a motion or a force in a row, angular first.
template <class S>
RBD_INLINE void numbers_of_row(const Vec3<S>& a, const Vec3<S>& b, S* row) {
  row[0] = a.x;
  row[1] = a.y;
  row[2] = a.z;
  row[3] = b.x;
  row[4] = b.y;
  row[5] = b.z;
}

/// W [B, r] with W = (1 + N K)^-1, where K is the inertia of what hangs on the end. Since N and K
/// have no negative eigenvalue, those of N K are real and none is negative: 1 + N K can be inverted
/// whatever they are. By Gaussian elimination with pivots from the column; S is a plain number.
template <class S>
RBD_KERNEL EndMotion<S> solve_end(const Mobility<S>& N, const ArticulatedInertia<S>& K,
                                  const Force<S> (&B)[6], const Motion<S>& r) {
  constexpr int columns = 16;  // 6 of 1 + N K, 6 of B, r, and three so that rows fill registers
  S rows[6][columns] = {};
  for (int k = 0; k < 6; ++k) {
    S unit[6] = {};
    unit[k] = S(1);
    const Force<S> f = K * Motion<S>{{unit[0], unit[1], unit[2]}, {unit[3], unit[4], unit[5]}};
    const Motion<S> column = N * f;
    S numbers[6];
    numbers_of_row(column.w, column.v, numbers);
    for (int i = 0; i < 6; ++i) rows[i][k] = numbers[i] + unit[i];
    numbers_of_row(B[k].n, B[k].f, rows[k] + 6);
  }
  S right[6];
  numbers_of_row(r.w, r.v, right);
  for (int i = 0; i < 6; ++i) rows[i][12] = right[i];

  for (int k = 0; k < 6; ++k) {
    int pivot = k;
    for (int i = k + 1; i < 6; ++i) {
      if (std::abs(rows[i][k]) > std::abs(rows[pivot][k])) pivot = i;
    }
    for (int j = 0; j < columns; ++j) {
      const S moved = rows[k][j];
      rows[k][j] = rows[pivot][j];
      rows[pivot][j] = moved;
    }
    const S scale = S(1) / rows[k][k];
    for (int j = 0; j < columns; ++j) rows[k][j] = rows[k][j] * scale;
    for (int i = 0; i < 6; ++i) {
      if (i == k) continue;
      const S factor = rows[i][k];
      for (int j = 0; j < columns; ++j) rows[i][j] = neg_mul_add(factor, rows[k][j], rows[i][j]);
    }
  }
  EndMotion<S> end;
  for (int k = 0; k < 6; ++k) {
    const S* row = rows[k] + 6;
    end.Z[k] = {{row[0], row[1], row[2]}, {row[3], row[4], row[5]}};
  }
  end.z = {{rows[0][12], rows[1][12], rows[2][12]}, {rows[3][12], rows[4][12], rows[5][12]}};
  return end;
}

/// How the end of `path` moves when the articulated body (K, k) hangs on it.
template <class S>
RBD_KERNEL EndMotion<S> end_motion(const Transmission<S>& across, const ArticulatedInertia<S>& K,
                                   const Force<S>& k) {
  const Motion<S> free = across.n - across.N * k;
  return solve_end(across.N, K, across.B, free);
}

/// The articulated body that `path` and (K, k) on its end are together, given its end_motion:
///   M + B^T K Z,  m + B^T (k + K z)
template <class S>
RBD_KERNEL void close_path(const TwoPort<S>& path, const EndMotion<S>& end,
                           const ArticulatedInertia<S>& K, const Force<S>& k,
                           ArticulatedInertia<S>& M, Force<S>& m) {
  m = path.m + transmitted_back(path.across.B, k + K * end.z);
  S added[6][6];
  for (int j = 0; j < 6; ++j) {
    S column[6];
    for (int i = 0; i < 6; ++i) {
      S row[6];
      numbers_of_row(end.Z[i].n, end.Z[i].f, row);
      column[i] = row[j];
    }
    const Force<S> f = transmitted_back(
        path.across.B,
        K * Motion<S>{{column[0], column[1], column[2]}, {column[3], column[4], column[5]}});
    numbers_of_row(f.n, f.f, added[j]);
  }
  // It is symmetric up to rounding; the mean of both triangles keeps it so.
  const auto mean = [&](int i, int j)
                        RBD_INLINE_LAMBDA { return S(0.5) * (added[i][j] + added[j][i]); };
  const ArticulatedInertia<S>& A = path.M;
  M.I = {A.I.xx + mean(0, 0), A.I.xy + mean(0, 1), A.I.xz + mean(0, 2),
         A.I.yy + mean(1, 1), A.I.yz + mean(1, 2), A.I.zz + mean(2, 2)};
  M.H = {{A.H.x.x + mean(0, 3), A.H.x.y + mean(0, 4), A.H.x.z + mean(0, 5)},
         {A.H.y.x + mean(1, 3), A.H.y.y + mean(1, 4), A.H.y.z + mean(1, 5)},
         {A.H.z.x + mean(2, 3), A.H.z.y + mean(2, 4), A.H.z.z + mean(2, 5)}};
  M.M = {A.M.xx + mean(3, 3), A.M.xy + mean(3, 4), A.M.xz + mean(3, 5),
         A.M.yy + mean(4, 4), A.M.yz + mean(4, 5), A.M.zz + mean(5, 5)};
}

/// The path that `inner` and `outer`, which hangs on its end, are together:
///   B = B2 W B1,  N = N2 + B2 W N1 B2^T,  n = n2 + B2 W (n1 - N1 m2),  M and m as of close_path.
/// Associative; the neutral element is OpenEnd::at_itself with M = 0 and m = 0.
template <class S>
RBD_KERNEL TwoPort<S> joined(const TwoPort<S>& inner, const TwoPort<S>& outer) {
  const EndMotion<S> end = end_motion(inner.across, outer.M, outer.m);
  TwoPort<S> both;
  close_path(inner, end, outer.M, outer.m, both.M, both.m);
  const Force<S>(&B2)[6] = outer.across.B;
  for (int i = 0; i < 6; ++i) both.across.B[i] = transmitted_back(end.Z, B2[i]);
  both.across.n = outer.across.n + transmitted(B2, end.z);

  Force<S> N1[6];  // its rows
  for (int k = 0; k < 6; ++k) {
    S unit[6] = {};
    unit[k] = S(1);
    const Motion<S> row =
        inner.across.N * Force<S>{{unit[0], unit[1], unit[2]}, {unit[3], unit[4], unit[5]}};
    N1[k] = {row.w, row.v};
  }
  const EndMotion<S> yielding = solve_end(inner.across.N, outer.M, N1, Motion<S>::zero());
  S added[6][6];
  for (int j = 0; j < 6; ++j) {
    // column j of W N1 B2^T, seen through B2
    const Motion<S> seen = transmitted(B2, transmitted(yielding.Z, Motion<S>{B2[j].n, B2[j].f}));
    numbers_of_row(seen.w, seen.v, added[j]);
  }
  const auto mean = [&](int i, int j)
                        RBD_INLINE_LAMBDA { return S(0.5) * (added[i][j] + added[j][i]); };
  const Mobility<S>& N2 = outer.across.N;
  both.across.N = {{N2.ww.xx + mean(0, 0), N2.ww.xy + mean(0, 1), N2.ww.xz + mean(0, 2),
                    N2.ww.yy + mean(1, 1), N2.ww.yz + mean(1, 2), N2.ww.zz + mean(2, 2)},
                   {{N2.wv.x.x + mean(0, 3), N2.wv.x.y + mean(0, 4), N2.wv.x.z + mean(0, 5)},
                    {N2.wv.y.x + mean(1, 3), N2.wv.y.y + mean(1, 4), N2.wv.y.z + mean(1, 5)},
                    {N2.wv.z.x + mean(2, 3), N2.wv.z.y + mean(2, 4), N2.wv.z.z + mean(2, 5)}},
                   {N2.vv.xx + mean(3, 3), N2.vv.xy + mean(3, 4), N2.vv.xz + mean(3, 5),
                    N2.vv.yy + mean(4, 4), N2.vv.yz + mean(4, 5), N2.vv.zz + mean(5, 5)}};
  return both;
}

/// a_end = Z a + z
template <class S>
RBD_INLINE Motion<S> moved_end(const EndMotion<S>& end, const Motion<S>& a) {
  return transmitted(end.Z, a) + end.z;
}

}  // namespace rbd_parallel_core
