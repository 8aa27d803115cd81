// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pack.hpp"
// The packs must be known before the algorithms that use them.
#include "rbd_parallel_core/algorithm/cholesky.hpp"

/// One state has no other one to share a register with, but the columns of its matrices can: they
/// are solved for in lanes.
namespace rbd_parallel_core {

/// The columns of a matrix by packs: number c of row k has the columns from c times the width on.
template <class P>
struct ColumnPacks {
  OutMatrix<RealOf<P>> matrix;

  RBD_INLINE P load(std::int32_t k, std::int32_t c) const {
    return ScalarTraits<P>::load(matrix.data + matrix.at(k, 0) + offset_of<P>(c));
  }
  RBD_INLINE void store(std::int32_t k, std::int32_t c, const P& x) const {
    ScalarTraits<P>::store(matrix.data + matrix.at(k, 0) + offset_of<P>(c), x);
  }
};

/// Numbers of one state, the same in every lane.
template <class P, class Numbers>
struct InEveryLane {
  const Numbers& numbers;
  template <class... Place>
  RBD_INLINE P load(Place... place) const {
    return P(numbers.load(place...));
  }
};

/// ltl_solve_rows for one state.
template <class Real, std::size_t matrices>
RBD_KERNEL Real ltl_solve_in_lanes(const ModelView<Real>& robot, const OutMatrix<Real>& L,
                                   const OutRow<Real>& one_over_diagonal,
                                   const OutMatrix<Real> (&B)[matrices]) {
  using P = Pack<Real>;
  constexpr std::int32_t width = static_cast<std::int32_t>(P::width);
  const ModelView<Real> model = robot;  // a copy, as in rnea
  ltl_one_over_diagonal<Real>(model, L, one_over_diagonal);
  ColumnPacks<P> packs[matrices];
  for (std::size_t m = 0; m < matrices; ++m) packs[m] = {B[m]};
  const std::int32_t whole = model.nv / width;
  const P sums = ltl_solve_from<4, P>(model, InEveryLane<P, OutMatrix<Real>>{L},
                                      InEveryLane<P, OutRow<Real>>{one_over_diagonal}, 0, whole,
                                      packs, NoZeroBlocks{});
  Real sum = ltl_solve_from<2, Real>(model, L, one_over_diagonal, whole * width, model.nv, B,
                                     NoZeroBlocks{});
  Real lanes[P::width];
  ScalarTraits<P>::store(lanes, sums);
  for (const Real& lane : lanes) sum += lane;
  return Real(0) * sum;
}

}  // namespace rbd_parallel_core
