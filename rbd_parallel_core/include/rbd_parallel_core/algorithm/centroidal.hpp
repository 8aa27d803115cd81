// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/rnea_derivatives.hpp"

namespace rbd_parallel_core {

/// The centroidal momentum matrix A (Orin, Goswami and Lee, 2013): A v is the momentum of all links
/// and their angular momentum about the common centre of mass, along the axes of the world. And its
/// rate. A column is the momentum of the subtree that moves with it: I S, carried to the centre of
/// mass; its rate follows from those of I and S (CompositeMotion). A: writer of 6 x nv numbers, or
/// `wants_` false.
template <class Out>
struct CentroidalMatrices {
  Out A, A_rate;
  bool wants_A = true, wants_rate = true;
};

/// The momentum of a subtree moved by one column, and its rate; both about a point of reference.
template <class S>
struct MomentumColumn {
  Force<S> h, h_rate;
};

/// s: the column, seen from the body's origin; w: angular velocity of the body.
/// With the axes of the world, h = I s has the rate (dI/dt) s + I (w x s), where the linear part of
/// w x s leaves out the motion of the origin itself: so do L and Y.
template <class S>
RBD_INLINE MomentumColumn<S> momentum_column(const CompositeMotion<S>& C, const Motion<S>& s,
                                             const Vec3<S>& w) {
  const S half(RealOf<S>(0.5));
  // dI/dt = tr(Y) 1 - (Y + Y^T) / 2, dh/dt = L / 2
  const Vec3<S> Y_s = half * (C.Y * s.w + transpose_times(C.Y, s.w));
  const Vec3<S> L = half * C.L;
  Force<S> rate = C.I * Motion<S>{cross(w, s.w), cross(w, s.v)};
  rate.n += mul_add(trace(C.Y), s.w, -Y_s) + cross(L, s.v);
  rate.f += cross(s.w, L);
  return {C.I * s, rate};
}

/// Columns of body i, about the centre of mass: c is that from the origin of the body, dc its rate.
template <class S, class Real, template <class> class Array, class Out>
RBD_INLINE void store_momentum_columns(const ModelView<Real>& model,
                                       const DerivativesWorkspace<S, Array>& ws, std::int32_t i,
                                       const CompositeMotion<S>& C, const Vec3<S>& c,
                                       const Vec3<S>& dc, const CentroidalMatrices<Out>& out) {
  const BodyView<Real>& body = model.body[i];
  const int nv = nv_of(body.type);
  for (int k = 0; k < nv; ++k) {
    MomentumColumn<S> m = momentum_column(C, column_at_origin(ws, body, k), ws.body.load(i).w);
    m.h_rate.n -= cross(dc, m.h.f) + cross(c, m.h_rate.f);
    m.h.n -= cross(c, m.h.f);
    const auto store = [&](const Out& matrix, const Force<S>& f) RBD_INLINE_LAMBDA {
      const S rows[6] = {f.f.x, f.f.y, f.f.z, f.n.x, f.n.y, f.n.z};
      for (std::int32_t row = 0; row < 6; ++row) {
        const std::int32_t at = row * model.nv + body.v_index + k;
        matrix.store(at, matrix.load(at) + rows[row]);
      }
    };
    if (out.wants_A) store(out.A, m.h);
    if (out.wants_rate) store(out.A_rate, m.h_rate);
  }
}

/// q, v, a: readers of one state; a does not count and may be zeros. The centre of mass is that of
/// all links, those fixed to the world included, as BasicEnergies has it.
template <class S, class Real, template <class> class Array, class Q, class V, class A, class Out>
RBD_KERNEL void centroidal_momentum(const ModelView<Real>& robot,
                                    const DerivativesWorkspace<S, Array>& memory, Q q, V v, A a,
                                    const CentroidalMatrices<Out>& out) {
  const ModelView<Real> model = robot;  // copies, as in rnea
  const DerivativesWorkspace<S, Array> ws = memory;
  const S zero(Real(0));
  for (std::int32_t k = 0; k < 6 * model.nv; ++k) {
    if (out.wants_A) out.A.store(k, zero);
    if (out.wants_rate) out.A_rate.store(k, zero);
  }
  compute_turns(model, ws.turns, q);
  derivatives_outward(model, ws, q, v, a, Vec3<S>::zero(), VelocityTerms::derivative);
  // Inward: composites, kept for the pass outward. What hangs on the world meets at its origin,
  // together with the base.
  Inertia<S> all = broadcast<S>(model.base_inertia);
  Vec3<S> momentum2 = Vec3<S>::zero();
  for_each_composite(
      model, ws, NoForces{}, [&](std::int32_t i, const CompositeMotion<S>& C) RBD_INLINE_LAMBDA {
        ws.C.store(i, C);
        if (model.body[i].parent >= 0) return;
        const CompositeMotion<S> seen = shift(C, ws.body.load(i).r, ws.body.load(i).u2);
        all += seen.I;
        momentum2 += seen.L;
      });
  const S one_over_m = S(Real(1)) / all.m;
  const Vec3<S> com = one_over_m * all.h, com_rate = (S(Real(0.5)) * one_over_m) * momentum2;
  // Outward: the origin of each body from the world's, carried in place of its acceleration.
  for (std::int32_t i = 0; i < model.body_count; ++i) {
    const std::int32_t p = model.body[i].parent;
    BodyMotion<S> m = ws.body.load(i);
    Motion<S> place{m.r, S(Real(0.5)) * m.u2};  // origin, and its rate
    if (p >= 0) place += ws.body.load(p).a;
    m.a = place;
    ws.body.store(i, m);
    store_momentum_columns(model, ws, i, ws.C.load(i), com - place.w, com_rate - place.v, out);
  }
}

}  // namespace rbd_parallel_core
