// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/rnea_derivatives.hpp"

/// tau as a linear function of the inertial parameters. A body's ten are, in the frame of the link
/// that its joint carries and in this order,
///   m, m c_x, m c_y, m c_z, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz   (I about the link's origin)
/// as Pinocchio has them too.
namespace rbd_parallel_core {

/// The forces that ten unit parameters take, in the axes of their frame and about its origin, which
/// moves with angular velocity w and classical acceleration a: Newton and Euler, one parameter at a
/// time.
template <class S>
RBD_INLINE void forces_of_parameters(const Vec3<S>& w, const Motion<S>& a,
                                     Force<S> (&forces)[parameters_per_body]) {
  const S o(RealOf<S>(0));
  const Vec3<S> none = Vec3<S>::zero();
  const Mat3<S> K = rotation_acceleration(w, a.w);
  const Vec3<S>& al = a.w;
  forces[0] = {none, a.v};
  // m c: f = K (m c), n = (m c) x a
  forces[1] = {{o, -a.v.z, a.v.y}, {K.x.x, K.y.x, K.z.x}};
  forces[2] = {{a.v.z, o, -a.v.x}, {K.x.y, K.y.y, K.z.y}};
  forces[3] = {{-a.v.y, a.v.x, o}, {K.x.z, K.y.z, K.z.z}};
  // I: n = I alpha + w x (I w)
  forces[4] = {{al.x, w.z * w.x, -w.y * w.x}, none};
  forces[5] = {
      {neg_mul_add(w.z, w.x, al.y), mul_add(w.z, w.y, al.x), mul_mul_sub(w.x, w.x, w.y, w.y)},
      none};
  forces[6] = {{-w.z * w.y, al.y, w.x * w.y}, none};
  forces[7] = {
      {mul_add(w.x, w.y, al.z), mul_mul_sub(w.z, w.z, w.x, w.x), neg_mul_add(w.y, w.z, al.x)},
      none};
  forces[8] = {
      {mul_mul_sub(w.y, w.y, w.z, w.z), neg_mul_add(w.x, w.y, al.z), mul_add(w.x, w.z, al.y)},
      none};
  forces[9] = {{w.y * w.z, -w.x * w.z, al.z}, none};
}

/// Rows of Y of one body: forces along the columns of the body and of its ancestors.
/// out(dof, parameter, value) takes an entry, several times where a mimic joint shares a
/// coordinate.
template <class S, class Real, template <class> class Array, class Out>
RBD_INLINE void store_parameter_column(const ModelView<Real>& model,
                                       const DerivativesWorkspace<S, Array>& ws, std::int32_t i,
                                       std::int32_t parameter, const Force<S>& about_body,
                                       const Out& out) {
  Force<S> F = about_body;
  F.n += cross(ws.body.load(i).p, F.f);
  std::int32_t last = model.body[i].column + nv_of(model.body[i].type);
  for (std::int32_t j = i;;) {
    const std::int32_t head = model.body[j].head;
    for (std::int32_t l = model.body[head].column; l < last; ++l) {
      out(model.column_dof[l], parameter, dot(ws.in_run.load(l).s, F));
    }
    j = model.body[head].parent;
    if (j < 0) return;
    F.n += cross(ws.head.load(head).r, F.f);
    last = model.body[j].column + nv_of(model.body[j].type);
  }
}

/// The ten columns of Y of body i, whose joint carries link `link`. After derivatives_outward.
template <class S, class Real, template <class> class Array, class Out>
RBD_KERNEL void regressor_of_body(const ModelView<Real>& model,
                                  const DerivativesWorkspace<S, Array>& ws, std::int32_t i,
                                  std::int32_t link, const Out& out) {
  const Transform<S> offset = broadcast<S>(model.link[link].offset);
  const BodyMotion<S>& m = ws.body.load(i);
  const Mat3<S> E = offset.E * m.E;  // world axes to link axes
  const Vec3<S> r = transpose_times(m.E, offset.r);
  const Vec3<S> at_link = m.a.v + m.K * r;
  Force<S> forces[parameters_per_body];
  forces_of_parameters(E * m.w, Motion<S>{E * m.a.w, E * at_link}, forces);
  for (std::int32_t k = 0; k < parameters_per_body; ++k) {
    Force<S> f{transpose_times(E, forces[k].n), transpose_times(E, forces[k].f)};
    f.n += cross(r, f.f);
    store_parameter_column(model, ws, i, k, f, out);
  }
}

}  // namespace rbd_parallel_core
