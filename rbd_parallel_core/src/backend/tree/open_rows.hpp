// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "pack.hpp"
#include "rbd_parallel_core/algorithm/two_port.hpp"

/// The open end of a block of plain numbers. What OpenEnd does to the six rows of B, one after the
/// other, is done here to all of them at once: they are the lanes of a register.
namespace rbd_parallel_core {

/// Six numbers as one Scalar, the lanes of as few packs as hold them. What is beyond the sixth
/// means nothing.
template <class P>
struct SixLanes {
  using Real = RealOf<P>;
  static constexpr std::size_t packs = (6 + P::width - 1) / P::width;
  static constexpr std::size_t lanes = packs * P::width;

  P pack[packs];

  SixLanes() = default;
  RBD_INLINE explicit SixLanes(Real value) {
    for (P& p : pack) p = P(value);
  }
  static RBD_INLINE SixLanes load(const Real (&numbers)[lanes]) {
    SixLanes result;
    for (std::size_t k = 0; k < packs; ++k) {
      result.pack[k] = ScalarTraits<P>::load(numbers + k * P::width);
    }
    return result;
  }
  RBD_INLINE void store(Real (&numbers)[lanes]) const {
    for (std::size_t k = 0; k < packs; ++k) {
      ScalarTraits<P>::store(numbers + k * P::width, pack[k]);
    }
  }

  friend RBD_INLINE SixLanes operator+(const SixLanes& a, const SixLanes& b) {
    SixLanes result;
    for (std::size_t k = 0; k < packs; ++k) result.pack[k] = a.pack[k] + b.pack[k];
    return result;
  }
  friend RBD_INLINE SixLanes operator*(const SixLanes& a, const SixLanes& b) {
    SixLanes result;
    for (std::size_t k = 0; k < packs; ++k) result.pack[k] = a.pack[k] * b.pack[k];
    return result;
  }
  friend RBD_INLINE SixLanes operator-(const SixLanes& a) {
    SixLanes result;
    for (std::size_t k = 0; k < packs; ++k) result.pack[k] = -a.pack[k];
    return result;
  }
};

template <class P>
struct ScalarTraits<SixLanes<P>> {
  using S = SixLanes<P>;
  using Real = RealOf<P>;

  static RBD_INLINE S mul_add(const S& a, const S& b, const S& c) {
    S result;
    for (std::size_t k = 0; k < S::packs; ++k) {
      result.pack[k] = ScalarTraits<P>::mul_add(a.pack[k], b.pack[k], c.pack[k]);
    }
    return result;
  }
  static RBD_INLINE S neg_mul_add(const S& a, const S& b, const S& c) {
    S result;
    for (std::size_t k = 0; k < S::packs; ++k) {
      result.pack[k] = ScalarTraits<P>::neg_mul_add(a.pack[k], b.pack[k], c.pack[k]);
    }
    return result;
  }
};

// The same joint for every lane.

template <class R, Part part, int index>
RBD_INLINE UnitAxis<part, index> for_lanes(const UnitAxis<part, index>& axis) {
  return axis;
}
template <class R>
RBD_INLINE ScrewAxis<R> for_lanes(const ScrewAxis<RealOf<R>>& axis) {
  return {R(axis.pitch)};
}
template <class R>
RBD_INLINE ScrewMotion<R> for_lanes(const ScrewMotion<RealOf<R>>& motion) {
  return {{R(motion.turn.c), R(motion.turn.s)}, R(motion.shift)};
}
template <class R>
RBD_INLINE FreeMotion<R> for_lanes(const FreeMotion<RealOf<R>>& motion) {
  return {broadcast<R>(motion.X)};
}
template <class R>
RBD_INLINE GeneralPlacement<R> for_lanes(const GeneralPlacement<RealOf<R>>& placement) {
  return {broadcast<R>(placement.X)};
}
template <class R>
RBD_INLINE XTurn<R> for_lanes(const XTurn<RealOf<R>>& turn) {
  return {R(turn.c), R(turn.s)};
}
template <class R>
RBD_INLINE XQuarterTurn<R> for_lanes(const XQuarterTurn<RealOf<R>>&) {
  return {};
}
template <class R>
RBD_INLINE NoTurn<R> for_lanes(const NoTurn<RealOf<R>>&) {
  return {};
}
template <class R, class Turn>
RBD_INLINE auto for_lanes(const DhPlacement<RealOf<R>, Turn>& placement) {
  const auto turn = for_lanes<R>(placement.turn);
  return DhPlacement<R, std::remove_cv_t<decltype(turn)>>{turn, R(placement.a)};
}

/// As OpenEnd, by the same operations: equal to it in every bit. P: a pack of numbers S.
template <class S, template <class> class Array, class P = Pack<S>>
class OpenRows {
 public:
  static RBD_INLINE OpenRows at_itself(const Array<Motion<S>>& y_over_D) {
    OpenRows end;
    end.y_over_D_ = y_over_D;
    S units[6][Rows::lanes] = {};
    for (int k = 0; k < 6; ++k) {
      units[k][k] = S(1);
      end.N_[k] = Rows(S(0));
    }
    end.B_ = {{Rows::load(units[0]), Rows::load(units[1]), Rows::load(units[2])},
              {Rows::load(units[3]), Rows::load(units[4]), Rows::load(units[5])}};
    end.n_ = Rows(S(0));
    return end;
  }

  template <class Column>
  RBD_INLINE void let_go(std::int32_t at, const Column& column, const S& one_over_D,
                         const EliminatedCoordinate<S>& e) {
    const Rows y = for_lanes<Rows>(column).dot(B_), scaled = Rows(one_over_D) * y;
    S numbers[Rows::lanes], stored[Rows::lanes];
    y.store(numbers);
    scaled.store(stored);
    y_over_D_.store(
        at, Motion<S>{{stored[0], stored[1], stored[2]}, {stored[3], stored[4], stored[5]}});
    for (int k = 0; k < 6; ++k) N_[k] = mul_add(Rows(numbers[k]), scaled, N_[k]);
    n_ = mul_add(Rows(e.u), y, n_);
    B_ = mul_add(-y, Force<Rows>{broadcast<Rows>(e.U.n), broadcast<Rows>(e.U.f)}, B_);
  }

  template <class X, class C>
  RBD_INLINE void pass(const X& transform, const C& c) {
    if constexpr (!is_zero<C>) {
      n_ = n_ + dot(Motion<Rows>{broadcast<Rows>(c.w), broadcast<Rows>(c.v)}, B_);
    }
    const auto motion = for_lanes<Rows>(transform.motion);
    B_ = for_lanes<Rows>(transform.placement).apply_inverse(motion.apply_inverse(B_));
  }

  RBD_INLINE Transmission<S> transmission() const {
    S B[6][Rows::lanes], N[6][Rows::lanes], n[Rows::lanes];
    const Rows* const columns[6] = {&B_.n.x, &B_.n.y, &B_.n.z, &B_.f.x, &B_.f.y, &B_.f.z};
    for (int k = 0; k < 6; ++k) {
      columns[k]->store(B[k]);
      N_[k].store(N[k]);
    }
    n_.store(n);
    Transmission<S> across;
    for (int k = 0; k < 6; ++k) {
      across.B[k] = {{B[0][k], B[1][k], B[2][k]}, {B[3][k], B[4][k], B[5][k]}};
    }
    across.N = {
        {N[0][0], N[0][1], N[0][2], N[1][1], N[1][2], N[2][2]},
        {{N[0][3], N[0][4], N[0][5]}, {N[1][3], N[1][4], N[1][5]}, {N[2][3], N[2][4], N[2][5]}},
        {N[3][3], N[3][4], N[3][5], N[4][4], N[4][5], N[5][5]}};
    across.n = {{n[0], n[1], n[2]}, {n[3], n[4], n[5]}};
    return across;
  }

 private:
  using Rows = SixLanes<P>;

  Force<Rows> B_;  ///< lane k of its numbers is row k of B
  Rows N_[6];      ///< columns
  Rows n_;
  Array<Motion<S>> y_over_D_;
};

}  // namespace rbd_parallel_core
