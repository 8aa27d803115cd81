// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/aba.hpp"
#include "rbd_parallel_core/algorithm/crba.hpp"
#include "rbd_parallel_core/algorithm/kinematics.hpp"
#include "rbd_parallel_core/algorithm/rnea.hpp"
#include "rbd_parallel_core/gpu/kernels/state_lanes.hpp"

namespace rbd_parallel_core {

/// Cuts the workspace of one state into arrays.
template <class Real>
struct LaneCutter {
  Real* first;  ///< number 0 of the state
  std::int64_t stride;
  std::int64_t used;  ///< numbers

  template <class Array>
  RBD_INLINE void cut(Array& piece, std::int32_t count) {
    piece = {first + used * stride, stride};
    used += static_cast<std::int64_t>(count) * Array::numbers;
  }
  RBD_INLINE LaneOut<Real> row(std::int32_t count) {
    typename Strided<Real>::template Array<Real> piece;
    cut(piece, count);
    return {piece.data, stride};
  }
};

/// What one thread keeps while it computes one state: the workspaces of all algorithms, of which no
/// two are needed at once, so that they share their memory.
template <class Real>
class StateWorkspace {
 public:
  template <class T>
  using Array = typename Strided<Real>::template Array<T>;

  RneaWorkspace<Real, Strided<Real>::template Array> rnea;
  AbaWorkspace<Real, Strided<Real>::template Array> aba;
  CrbaWorkspace<Real, Strided<Real>::template Array> crba;
  KinematicsWorkspace<Real, Strided<Real>::template Array> kinematics;
  LaneOut<Real> vector;  ///< nv numbers

  /// How many numbers a state needs.
  static RBD_INLINE std::int64_t numbers(std::int32_t bodies, std::int32_t columns) {
    StateWorkspace unused;
    return unused.lay_out({nullptr, 0, 0}, bodies, columns);
  }
  /// `first`: number 0 of the state, the next ones every `stride` numbers.
  static RBD_INLINE StateWorkspace at(Real* first, std::int64_t stride, std::int32_t bodies,
                                      std::int32_t columns) {
    StateWorkspace ws;
    ws.lay_out({first, stride, 0}, bodies, columns);
    return ws;
  }

 private:
  static RBD_INLINE std::int64_t larger(std::int64_t a, std::int64_t b) { return a < b ? b : a; }

  RBD_INLINE std::int64_t lay_out(LaneCutter<Real> cutter, std::int32_t bodies,
                                  std::int32_t columns) {
    JointTurns<Real, Strided<Real>::template Array> turns;
    cutter.cut(turns.angle, bodies);
    cutter.cut(turns.sine, bodies);
    cutter.cut(turns.cosine, bodies);
    rnea.turns = aba.turns = crba.turns = kinematics.turns = turns;
    vector = cutter.row(columns);

    LaneCutter<Real> for_rnea = cutter, for_aba = cutter, for_crba = cutter,
                     for_kinematics = cutter;
    for_rnea.cut(rnea.w, bodies);
    for_rnea.cut(rnea.a, bodies);
    for_rnea.cut(rnea.K, bodies);
    for_rnea.cut(rnea.f, bodies);
    for_aba.cut(aba.w, bodies);
    for_aba.cut(aba.c, bodies);
    for_aba.cut(aba.IA, bodies);
    for_aba.cut(aba.pA, bodies);
    for_aba.cut(aba.eliminated, columns);
    for_crba.cut(crba.E, bodies);
    for_crba.cut(crba.p, bodies);
    for_crba.cut(crba.to_head, bodies);
    for_crba.cut(crba.Ic, bodies);
    for_crba.cut(crba.axis, columns);
    for_kinematics.cut(kinematics.X0, bodies);
    for_kinematics.cut(kinematics.v, bodies);
    for_kinematics.cut(kinematics.a, bodies);
    return larger(larger(for_rnea.used, for_aba.used), larger(for_crba.used, for_kinematics.used));
  }
};

}  // namespace rbd_parallel_core
