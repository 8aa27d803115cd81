// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/spatial/vec3.hpp"
#include "tree_columns.hpp"

/// An entry of the mass matrix, for the lanes of a CPU and for the threads of a GPU. For a column i
/// of an ancestor and a column j of a descendant
///
///   M(i, j) = S_i . F_j = z_i . (n_j + D x f_j) + v_i . f_j
///
/// where D leads from the origin of i to that of j.
namespace rbd_parallel_core {

template <class S>
RBD_INLINE Vec3<S> load3(RealOf<S>* const* arrays, std::int32_t k) {
  using T = ScalarTraits<S>;
  return {T::load(arrays[0] + k), T::load(arrays[1] + k), T::load(arrays[2] + k)};
}

/// From one origin to another, each the sum of two numbers.
template <class S>
RBD_INLINE Vec3<S> between(const Vec3<S>& from_high, const Vec3<S>& from_low,
                           const Vec3<S>& to_high, const Vec3<S>& to_low) {
  return (to_high - from_high) + (to_low - from_low);
}

/// The moment of a force about an origin that lies at -D.
template <class S>
RBD_INLINE Vec3<S> moved_moment(const Vec3<S>& n, const Vec3<S>& f, const Vec3<S>& D) {
  return n + cross(D, f);
}

/// z . n + v . f, where one of them is a column's six numbers and the other a row's.
template <class S>
RBD_INLINE S entry(const S (&a)[6], const S (&b)[6]) {
  return mul_add(
      a[0], b[0],
      mul_add(a[1], b[1],
              mul_add(a[2], b[2], mul_add(a[3], b[3], mul_add(a[4], b[4], a[5] * b[5])))));
}

/// What an entry takes of the column of an ancestor ...
template <class S>
struct AncestorColumn {
  S axis[6];
  Vec3<S> high, low;

  static RBD_INLINE AncestorColumn at(const TreeColumns<S>& columns, std::int32_t k) {
    AncestorColumn column;
    for (int a = 0; a < 6; ++a) column.axis[a] = columns.axis[a][k];
    column.high = load3<S>(columns.high, k);
    column.low = load3<S>(columns.low, k);
    return column;
  }
};

/// ... and of that of a descendant.
template <class S>
struct DescendantColumn {
  Vec3<S> n, f, high, low;

  static RBD_INLINE DescendantColumn at(const TreeColumns<S>& columns, std::int32_t k) {
    return {load3<S>(columns.force, k), load3<S>(columns.force + 3, k), load3<S>(columns.high, k),
            load3<S>(columns.low, k)};
  }
};

/// M(i, j), wherever the origins of the two are.
template <class S>
RBD_INLINE S entry(const AncestorColumn<S>& i, const DescendantColumn<S>& j) {
  const Vec3<S> n = moved_moment(j.n, j.f, between(i.high, i.low, j.high, j.low));
  const S force[6] = {n.x, n.y, n.z, j.f.x, j.f.y, j.f.z};
  return entry(i.axis, force);
}

}  // namespace rbd_parallel_core
