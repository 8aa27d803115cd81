// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/spatial/inertia.hpp"

namespace rbd_parallel_core {

/// The inertia of an articulated body, [I H; H^T M], symmetric 6x6 in 21 numbers
/// (Featherstone 7.1). Keeping only one triangle keeps it symmetric through thousands of steps,
/// which is worth several digits on long chains.
template <class S>
struct ArticulatedInertia {
  SymMat3<S> I;  ///< moment per angular acceleration
  Mat3<S> H;     ///< moment per linear acceleration
  SymMat3<S> M;  ///< force per linear acceleration

  static RBD_INLINE ArticulatedInertia zero() {
    return {SymMat3<S>::zero(), Mat3<S>::zero(), SymMat3<S>::zero()};
  }

  friend RBD_INLINE ArticulatedInertia operator+(const ArticulatedInertia& a,
                                                 const ArticulatedInertia& b) {
    return {a.I + b.I, a.H + b.H, a.M + b.M};
  }
  RBD_INLINE ArticulatedInertia& operator+=(const ArticulatedInertia& b) {
    return *this = *this + b;
  }

  /// The force that gives this body the acceleration a.
  friend RBD_INLINE Force<S> operator*(const ArticulatedInertia& a, const Motion<S>& m) {
    return {a.I * m.w + a.H * m.v, transpose_times(a.H, m.w) + a.M * m.v};
  }
};

/// A rigid body is an articulated body without joints.
template <class S>
RBD_INLINE ArticulatedInertia<S> articulated(const Inertia<S>& a) {
  return {a.I, skew(a.h), SymMat3<S>::diagonal(a.m)};
}

/// IA - U U^T / D, given U and U/D: the joint along S with U = IA S, D = S^T U is let go.
template <class S>
RBD_INLINE ArticulatedInertia<S> rank_one_downdate(const ArticulatedInertia<S>& a,
                                                   const Force<S>& u, const Force<S>& u_over_d) {
  return {rank_one_downdate(a.I, u.n, u_over_d.n),
          {mul_add(-u.n.x, u_over_d.f, a.H.x), mul_add(-u.n.y, u_over_d.f, a.H.y),
           mul_add(-u.n.z, u_over_d.f, a.H.z)},
          rank_one_downdate(a.M, u.f, u_over_d.f)};
}

/// The same articulated body seen from a frame of the same orientation whose origin lies at -r.
template <class S>
RBD_INLINE ArticulatedInertia<S> shift(const ArticulatedInertia<S>& a, const Vec3<S>& r) {
  // H' = H + rx M
  // I' = I + rx H^T + (rx H^T)^T + rx M rx^T = I + (rx G^T + G rx^T) / 2 with G = H + H'
  const Mat3<S> rxM = {
      {mul_mul_sub(r.y, a.M.xz, r.z, a.M.xy), mul_mul_sub(r.y, a.M.yz, r.z, a.M.yy),
       mul_mul_sub(r.y, a.M.zz, r.z, a.M.yz)},
      {mul_mul_sub(r.z, a.M.xx, r.x, a.M.xz), mul_mul_sub(r.z, a.M.xy, r.x, a.M.yz),
       mul_mul_sub(r.z, a.M.xz, r.x, a.M.zz)},
      {mul_mul_sub(r.x, a.M.xy, r.y, a.M.xx), mul_mul_sub(r.x, a.M.yy, r.y, a.M.xy),
       mul_mul_sub(r.x, a.M.yz, r.y, a.M.xz)}};
  const Mat3<S> H = a.H + rxM;
  const Mat3<S> G = a.H + H;
  const S half(RealOf<S>(0.5));
  // P = G rx^T has rows r x (row of G)
  const Vec3<S> px = cross(r, G.x), py = cross(r, G.y), pz = cross(r, G.z);
  return {{a.I.xx + px.x, mul_add(half, px.y + py.x, a.I.xy), mul_add(half, px.z + pz.x, a.I.xz),
           a.I.yy + py.y, mul_add(half, py.z + pz.y, a.I.yz), a.I.zz + pz.z},
          H,
          a.M};
}

/// X^T IA X: an articulated inertia from frame B to frame A, where X = BX_A.
template <class S>
RBD_INLINE ArticulatedInertia<S> apply_inverse(const Transform<S>& x,
                                               const ArticulatedInertia<S>& a) {
  return shift(
      ArticulatedInertia<S>{rotate_back(x.E, a.I), rotate_back(x.E, a.H), rotate_back(x.E, a.M)},
      x.r);
}

/// How much an articulated body resists at most, in units that cannot be compared.
template <class S>
struct InertiaSize {
  S angular;  ///< kg m^2
  S linear;   ///< kg
};

/// The largest entries on the diagonal. What hangs on the body, which itself has the mass m, was
/// moved to it over a lever (squared, m^2): so far away masses are moments of inertia.
template <class S>
RBD_INLINE InertiaSize<S> size_of(const ArticulatedInertia<S>& a, const S& m, const S& lever2) {
  using T = ScalarTraits<S>;
  const S linear = T::max(T::max(a.M.xx, a.M.yy), a.M.zz), beyond = linear - m;
  return {T::max(T::max(T::max(a.I.xx, a.I.yy), a.I.zz), lever2 * beyond), linear};
}

}  // namespace rbd_parallel_core
