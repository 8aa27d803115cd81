// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/study/assembly_tree.hpp"

/// The divide-and-conquer algorithm for chains (Featherstone, "A divide-and-conquer
/// articulated-body algorithm for parallel O(log(n)) calculation of rigid-body dynamics", 1999, as
/// Critchley, Anderson and Binani write it in DETC2007-35128): every body is a subsystem with two
/// handles, neighbours are joined in pairs until one subsystem is left, and the forces come back
/// down the same tree. Log n rounds, in each of which all pairs can be joined at once; three to
/// five times the operations of ABA (docs/algorithms.md, "Operation counts").
///
/// Only for chains of joints of one coordinate without mimic joints, and every body must have a
/// positive definite inertia, which is inverted: light bodies among heavy ones cost digits, a body
/// without mass rules it out. Velocities are passed on one body after the other (aba_velocities),
/// which the paper does by two more sweeps over the tree.
namespace rbd_parallel_core {

template <class S, template <class> class Array>
struct DcaWorkspace {
  AbaWorkspace<S, Array> aba;            ///< of it turns, w, c and pA
  Array<Mobility<S>> inverse_inertia;    ///< per body, by invert_inertias
  AssemblyWorkspace<S, Array> assembly;  ///< for one leaf a body
};

/// I^-1 about the origin of the body, from the inverses of the mass and of the inertia about the
/// centre c of mass: a force there turns the body by n - c x f and moves it by f / m.
template <class S>
RBD_INLINE Mobility<S> inverse(const Inertia<S>& inertia) {
  const S one_over_m = S(RealOf<S>(1)) / inertia.m;
  const Vec3<S> c = one_over_m * inertia.h;
  const SymMat3<S> about_com = inertia.I - point_mass_inertia(inertia.m, c);
  const Mat3<S> a = dense(about_com);
  const Vec3<S> yz = cross(a.y, a.z), zx = cross(a.z, a.x), xy = cross(a.x, a.y);
  const S one_over_det = S(RealOf<S>(1)) / dot(a.x, yz);
  const Mat3<S> J{one_over_det * yz, one_over_det * zx, one_over_det * xy};
  const Mat3<S> cx = skew(c);
  const Mat3<S> J_cx = J * cx, cx_J_cx = cx * J_cx;
  return {{J.x.x, J.x.y, J.x.z, J.y.y, J.y.z, J.z.z},
          Mat3<S>::zero() - J_cx,
          {one_over_m - cx_J_cx.x.x, -cx_J_cx.x.y, -cx_J_cx.x.z, one_over_m - cx_J_cx.y.y,
           -cx_J_cx.y.z, one_over_m - cx_J_cx.z.z}};
}

/// Once for a model: the inverses do not depend on the state.
template <class S, class Real, template <class> class Array>
RBD_KERNEL void invert_inertias(const ModelView<Real>& model, const DcaWorkspace<S, Array>& ws) {
  for (std::int32_t i = 0; i < model.body_count; ++i) {
    ws.inverse_inertia.store(i, inverse(broadcast<S>(model.body[i].inertia)));
  }
}

/// Body i by itself: Phi11 = I^-1, Phi21 = X I^-1, Phi22 = X I^-1 X^T, X and c being those of the
/// next body. For the last one only Phi11 and b1.
template <class S, class Real, template <class> class Array, class Q, class Torque>
RBD_KERNEL TwoHandles<S> single_body(const ModelView<Real>& model, const DcaWorkspace<S, Array>& ws,
                                     const Q& q, std::int32_t i, const Torque& torque) {
  TwoHandles<S> body{};
  body.P11 = ws.inverse_inertia.load(i);
  const Force<S> bias = handle_bias(model, ws.aba, q, i, i, i, torque);
  body.b1 = body.P11 * (Force<S>::zero() - bias);
  if (i + 1 == model.body_count) return body;
  Motion<S> columns[6];
  columns_of(body.P11, columns);
  set_second_handle(model, ws.aba, q, i + 1, columns, body.P11, body.b1, body);
  return body;
}

/// qdd = M^-1 (tau - C v - g - [friction] + J^T f_ext). Arguments as for rnea (v is read always);
/// qdd: writer of nv numbers. After invert_inertias.
template <class S, Executor Exec, class Real, template <class> class Array, class Q, class V,
          class T, class F, class Qdd>
RBD_KERNEL void dca(const Exec& executor, const ModelView<Real>& model,
                    const DcaWorkspace<S, Array>& ws, Q q, V v, T tau, F f_ext,
                    const Vec3<S>& gravity, bool friction, Qdd qdd) {
  compute_turns(model, ws.aba.turns, q);
  aba_velocities(model, ws.aba, q, v, WorldBase<S>{gravity});
  subtract_forces(model, ws.aba.pA, f_ext);
  const auto torque = [&](std::int32_t i) {
    return driving_torque<S>(model, model.body[i].v_index, v, tau, friction);
  };
  const auto first_body = [](std::int32_t leaf) { return leaf; };
  executor.map(
      model.body_count,
      [&](std::int32_t i) { ws.assembly.node.store(i, single_body<S>(model, ws, q, i, torque)); },
      8);
  assemble(executor, model, ws.assembly, model.body_count, first_body);
  push_off(model, ws.aba, ws.assembly, q, model.body_count, gravity, qdd);
  disassemble(executor, model, ws.assembly, model.body_count, first_body, qdd);
}

}  // namespace rbd_parallel_core
