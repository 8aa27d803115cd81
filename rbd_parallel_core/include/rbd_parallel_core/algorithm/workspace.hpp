// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "rbd_parallel_core/algorithm/aba.hpp"
#include "rbd_parallel_core/algorithm/arena.hpp"
#include "rbd_parallel_core/algorithm/crba.hpp"
#include "rbd_parallel_core/algorithm/kinematics.hpp"
#include "rbd_parallel_core/algorithm/rnea.hpp"
#include "rbd_parallel_core/algorithm/rnea_vjp.hpp"
#include "rbd_parallel_core/spatial/dual.hpp"

namespace rbd_parallel_core {

/// The workspaces of all algorithms for one state (or one pack of states), cut from one block of
/// memory that the owner provides. RNEA, ABA, CRBA, the accelerations of bodies and the products
/// with derivatives share a region: none of them needs what another one left.
template <class S>
struct Workspace {
  RneaWorkspace<S, Column> rnea;
  AbaWorkspace<S, Column> aba;
  CrbaWorkspace<S, Column> crba;
  KinematicsWorkspace<S, Column> kinematics;
  VjpWorkspace<S, Column> vjp;
  RneaWorkspace<Dual<S>, Column> dual_rnea;
  KinematicsWorkspace<Dual<S>, Column> dual_kinematics;  ///< placements only
  Column<Force<Dual<S>>> dual_f_ext;                     ///< per body
  Column<Force<S>> f_ext;                                ///< per body
  S* vector;                                             ///< nv numbers
  S* zeros;  ///< nv numbers that nothing writes to; zero if the memory was

  /// Bytes needed for a robot of `bodies` bodies whose joints have `columns` columns (>= nv).
  static RBD_INLINE std::size_t bytes(std::size_t bodies, std::size_t columns) {
    Workspace unused;
    return unused.lay_out(nullptr, bodies, columns);
  }

  /// Points into `memory`, which must be aligned for S and hold bytes(bodies, columns).
  static RBD_INLINE Workspace in(std::byte* memory, std::size_t bodies, std::size_t columns) {
    Workspace ws;
    ws.lay_out(memory, bodies, columns);
    return ws;
  }

 private:
  RBD_INLINE std::size_t lay_out(std::byte* memory, std::size_t bodies, std::size_t columns) {
    Arena<> arena{memory};  // every array is made of S, so alignment needs no thought
    JointTurns<S, Column> turns;
    const auto turn_count =
        static_cast<std::size_t>(padded_turns(static_cast<std::int32_t>(bodies)));
    arena.cut(turns.angle.data, turn_count);
    arena.cut(turns.sine.data, turn_count);
    arena.cut(turns.cosine.data, turn_count);
    rnea.turns = aba.turns = crba.turns = kinematics.turns = vjp.turns = turns;
    arena.cut(kinematics.X0.data, bodies);
    arena.cut(kinematics.v.data, bodies);
    arena.cut(f_ext.data, bodies);
    arena.cut(vector, columns);
    arena.cut(zeros, columns);

    Arena<> for_rnea = arena, for_aba = arena, for_crba = arena, for_accelerations = arena;
    Arena<> for_vjp = arena, for_duals = arena;
    for_rnea.cut(rnea.w.data, bodies);
    for_rnea.cut(rnea.a.data, bodies);
    for_rnea.cut(rnea.K.data, bodies);
    for_rnea.cut(rnea.f.data, bodies);
    for_aba.cut(aba.w.data, bodies);
    for_aba.cut(aba.c.data, bodies);
    for_aba.cut(aba.IA.data, bodies);
    for_aba.cut(aba.pA.data, bodies);
    for_aba.cut(aba.eliminated.data, columns);
    for_crba.cut(crba.E.data, bodies);
    for_crba.cut(crba.p.data, bodies);
    for_crba.cut(crba.to_head.data, bodies);
    for_crba.cut(crba.Ic.data, bodies);
    for_crba.cut(crba.axis.data, columns);
    for_accelerations.cut(kinematics.a.data, bodies);
    for_vjp.cut(vjp.a.data, bodies);
    for_vjp.cut(vjp.mu.data, bodies);
    for_vjp.cut(vjp.motion.data, bodies);
    for_vjp.cut(vjp.forces.data, bodies);
    JointTurns<Dual<S>, Column> dual_turns;
    for_duals.cut(dual_turns.angle.data, turn_count);
    for_duals.cut(dual_turns.sine.data, turn_count);
    for_duals.cut(dual_turns.cosine.data, turn_count);
    dual_rnea.turns = dual_kinematics.turns = dual_turns;
    for_duals.cut(dual_rnea.w.data, bodies);
    for_duals.cut(dual_rnea.a.data, bodies);
    for_duals.cut(dual_rnea.K.data, bodies);
    for_duals.cut(dual_rnea.f.data, bodies);
    for_duals.cut(dual_kinematics.X0.data, bodies);
    for_duals.cut(dual_f_ext.data, bodies);
    return std::max({for_rnea.used, for_aba.used, for_crba.used, for_accelerations.used,
                     for_vjp.used, for_duals.used});
  }
};

}  // namespace rbd_parallel_core
