// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/algorithm/crba_forward.hpp"
#include "rbd_parallel_core/algorithm/external_forces.hpp"
#include "rbd_parallel_core/algorithm/finite.hpp"
#include "rbd_parallel_core/algorithm/link_motion.hpp"
#include "rbd_parallel_core/gpu/kernels/launch.hpp"
#include "rbd_parallel_core/gpu/kernels/state_workspace.hpp"
#include "rbd_parallel_core/status.hpp"

/// The kernels that take one thread for each state. All arrays are lanes (lanes.hpp) of the states
/// of one chunk of a batch.
namespace rbd_parallel_core {

/// What all of them work with.
template <class Real>
struct StateChunk {
  ModelView<Real> model;  ///< points into memory of the device
  bool model_in_shared;   ///< the bodies fit into what a block shares
  bool friction;
  std::int64_t count;   ///< states
  std::int64_t stride;  ///< of all lanes
  const Real* q;
  Real* workspace;
  Real* taint;          ///< a number for each state: NaN where an input is not finite, else zero
  StateStatus* status;  ///< one for each state

  /// Bytes that a block shares to have the bodies near.
  RBD_INLINE std::size_t shared_bytes() const {
    return model_in_shared ? sizeof(BodyView<Real>) * static_cast<std::size_t>(model.body_count)
                           : 0;
  }
  RBD_INLINE LaneRow<Real> row(const Real* lanes, std::int64_t s) const {
    return {lanes + s, stride};
  }
  RBD_INLINE LaneOut<Real> out(Real* lanes, std::int64_t s) const { return {lanes + s, stride}; }
  RBD_INLINE LaneMatrix<Real> matrix(Real* lanes, std::int64_t s) const {
    return {{lanes + s, stride, model.nv}};
  }
  RBD_INLINE StateWorkspace<Real> workspace_of(std::int64_t s) const {
    return StateWorkspace<Real>::at(workspace + s, stride, model.body_count, model.column_count);
  }
};

/// Forces on the bodies of one state, zero where no wrench was given.
template <class Real>
struct LaneForces {
  typename Strided<Real>::template Array<Force<Real>> given;
  bool any;
  RBD_INLINE Force<Real> load(std::int32_t i) const {
    return any ? given.load(i) : Force<Real>::zero();
  }
  RBD_INLINE void store(std::int32_t i, const Force<Real>& f) const { given.store(i, f); }
};

/// Those of state s; `lanes` is null where no wrench was given.
template <class Real>
RBD_INLINE LaneForces<Real> forces_of(const StateChunk<Real>& chunk, const Real* lanes,
                                      std::int64_t s) {
  if (lanes == nullptr) return {{nullptr, 0}, false};
  return {{const_cast<Real*>(lanes) + s, chunk.stride}, true};
}

/// As taint_if_not_finite of rows. (A loop over a list of vectors is more than nvcc takes.)
template <class Real>
RBD_INLINE Real taint_if_not_finite(const Vec3<Real>& a, const Real& taint) {
  return mul_add(Real(0), a.x, mul_add(Real(0), a.y, mul_add(Real(0), a.z, taint)));
}

/// The base of the kernels: brings the bodies into the memory of the block, then Derived::compute
/// has a state computed.
template <class Real, class Derived>
struct StateBody {
  static constexpr int phases = 2;
  StateChunk<Real> states;

  LaunchShape shape(std::int32_t block) const {
    return one_thread_each(states.count, block, states.shared_bytes());
  }

  template <int phase>
  RBD_HD void run(const ThreadIndex& at, std::byte* shared) const {
    if constexpr (phase == 0) {
      const std::size_t words = states.shared_bytes() / sizeof(std::uint32_t);
      const auto* const from = reinterpret_cast<const std::uint32_t*>(states.model.body);
      auto* const to = reinterpret_cast<std::uint32_t*>(shared);
      for (std::size_t k = static_cast<std::size_t>(at.thread); k < words;
           k += static_cast<std::size_t>(at.block_size)) {
        to[k] = from[k];
      }
    } else {
      const std::int64_t s = at.global();
      if (s >= states.count) return;
      ModelView<Real> model = states.model;
      if (states.model_in_shared) model.body = reinterpret_cast<const BodyView<Real>*>(shared);
      static_cast<const Derived*>(this)->compute(model, s);
    }
  }
};

/// The wrenches on links become forces on bodies. Writes the taint of the wrenches.
template <class Real>
struct ExternalForcesBody : StateBody<Real, ExternalForcesBody<Real>> {
  const std::int32_t* links;
  std::int32_t link_count;
  const Real* wrenches;        ///< 6 link_count numbers a state
  std::int64_t wrench_stride;  ///< of their lanes
  bool in_world_axes;
  Real* forces;  ///< out: a Force for each body

  RBD_HD void compute(const ModelView<Real>& model, std::int64_t s) const {
    const StateChunk<Real>& chunk = this->states;
    const StateWorkspace<Real> ws = chunk.workspace_of(s);
    if (in_world_axes) forward_kinematics(model, ws.kinematics, chunk.row(chunk.q, s));
    const LaneForces<Real> f_ext{{forces + s, chunk.stride}, true};
    clear_external_forces(model, f_ext);
    Real taint(0);
    for (std::int32_t k = 0; k < link_count; ++k) {
      const LaneRow<Real> wrench{wrenches + 6 * k * wrench_stride + s, wrench_stride};
      taint = taint_if_not_finite(wrench, 6, taint);
      add_external_force(model, ws.kinematics, links[k], wrench, in_world_axes, f_ext);
    }
    chunk.taint[s] = taint;
  }
};

/// Which rates inverse dynamics reads; what is zero is left out of what is compiled.
enum class Rates { none, velocities, all };

/// rnea(). Reads the taint.
template <class Real, Rates rates>
struct InverseDynamicsBody : StateBody<Real, InverseDynamicsBody<Real, rates>> {
  const Real *v, *a;
  const Real* forces;  ///< a Force for each body, or null
  Vec3<Real> gravity;
  Real* tau;  ///< out

  RBD_HD void compute(const ModelView<Real>& model, std::int64_t s) const {
    const StateChunk<Real>& chunk = this->states;
    const LaneRow<Real> q = chunk.row(chunk.q, s);
    if constexpr (rates == Rates::none) {
      with(model, s, q, Zeros<Real>{}, Zeros<Real>{});
    } else if constexpr (rates == Rates::velocities) {
      with(model, s, q, chunk.row(v, s), Zeros<Real>{});
    } else {
      with(model, s, q, chunk.row(v, s), chunk.row(a, s));
    }
  }

 private:
  template <class V, class A>
  RBD_INLINE void with(const ModelView<Real>& model, std::int64_t s, const LaneRow<Real>& q,
                       const V& v_here, const A& a_here) const {
    const StateChunk<Real>& chunk = this->states;
    const LaneOut<Real> out = chunk.out(tau, s);
    const LaneForces<Real> f_ext = forces_of(chunk, forces, s);
    rnea(model, chunk.workspace_of(s).rnea, q, v_here, a_here, f_ext, gravity, chunk.friction, out);
    Real taint = chunk.taint[s] + taint_of_q<Real>(model, q);
    taint = taint_if_not_finite(v_here, model.nv, taint);
    taint = taint_if_not_finite(a_here, model.nv, taint);
    taint = taint_if_not_finite(chunk.row(tau, s), model.nv, taint);
    const StateStatus status = status_of(taint);
    spoil_unless_ok<Real>(status, out, model.nv);
    chunk.status[s] = status;
  }
};

/// crba(): M in full. Adds to the taint what is not finite in q or M.
template <class Real>
struct MassMatrixBody : StateBody<Real, MassMatrixBody<Real>> {
  Real* M;  ///< out: nv x nv

  RBD_HD void compute(const ModelView<Real>& model, std::int64_t s) const {
    const StateChunk<Real>& chunk = this->states;
    const LaneRow<Real> q = chunk.row(chunk.q, s);
    crba(model, chunk.workspace_of(s).crba, q, chunk.matrix(M, s));
    const std::int32_t square = model.nv * model.nv;
    const Real taint = taint_if_not_finite(chunk.row(M, s), square, taint_of_q<Real>(model, q));
    const StateStatus status = status_of(taint);
    spoil_unless_ok<Real>(status, chunk.out(M, s), square);
    chunk.taint[s] = taint;
    chunk.status[s] = status;
  }
};

/// M, as MassMatrixBody left it, becomes its factor L; M = L^T L.
template <class Real>
struct FactorBody : StateBody<Real, FactorBody<Real>> {
  Real* M;  ///< nv x nv

  RBD_HD void compute(const ModelView<Real>& model, std::int64_t s) const {
    const StateChunk<Real>& chunk = this->states;
    const LaneLower<Real> L{{M + s, chunk.stride, model.nv}};
    const Real singular = ltl_factor<Real>(model, L, chunk.workspace_of(s).vector);
    clear_upper_triangle<Real>(L, model.nv);
    const StateStatus status = status_of(chunk.taint[s], singular);
    spoil_unless_ok<Real>(status, chunk.out(M, s), model.nv * model.nv);
    chunk.status[s] = status;
  }
};

/// The inverse of M from its factor; NaN where that is.
template <class Real>
struct InverseBody : StateBody<Real, InverseBody<Real>> {
  Real* L;        ///< nv x nv
  Real* inverse;  ///< out: nv x nv, in full

  RBD_HD void compute(const ModelView<Real>& model, std::int64_t s) const {
    const StateChunk<Real>& chunk = this->states;
    ltl_inverse<Real>(model, LaneLower<Real>{{L + s, chunk.stride, model.nv}},
                      chunk.matrix(inverse, s));
    spoil_unless_ok<Real>(chunk.status[s], chunk.out(inverse, s), model.nv * model.nv);
  }
};

/// Forward dynamics by aba(), or by crba() and its factor. Reads the taint.
template <class Real, bool by_aba>
struct ForwardDynamicsBody : StateBody<Real, ForwardDynamicsBody<Real, by_aba>> {
  const Real *v, *tau;
  const Real* forces;  ///< a Force for each body, or null
  Real* M;             ///< nv x nv to work in; not for aba
  Real* qdd;           ///< out

  RBD_HD void compute(const ModelView<Real>& model, std::int64_t s) const {
    const StateChunk<Real>& chunk = this->states;
    const StateWorkspace<Real> ws = chunk.workspace_of(s);
    const LaneRow<Real> q = chunk.row(chunk.q, s), v_here = chunk.row(v, s);
    const LaneRow<Real> tau_here = chunk.row(tau, s);
    const LaneOut<Real> out = chunk.out(qdd, s);
    const LaneForces<Real> f_ext = forces_of(chunk, forces, s);
    Real singular;
    if constexpr (by_aba) {
      singular = aba(model, ws.aba, q, v_here, tau_here, f_ext, model.gravity, chunk.friction, out);
    } else {
      singular = crba_forward(model, ws.rnea, ws.crba, q, v_here, tau_here, f_ext, model.gravity,
                              chunk.friction, LaneLower<Real>{{M + s, chunk.stride, model.nv}},
                              ws.vector, out);
    }
    Real taint = chunk.taint[s] + taint_of_q<Real>(model, q);
    taint = taint_if_not_finite(v_here, model.nv, taint);
    taint = taint_if_not_finite(tau_here, model.nv, taint);
    const Real bad_results = taint_if_not_finite(chunk.row(qdd, s), model.nv, Real(0));
    const StateStatus status = status_of(taint, singular, bad_results);
    spoil_unless_ok<Real>(status, out, model.nv);
    chunk.status[s] = status;
  }
};

/// Kinetic and potential energy and the centre of mass, five numbers a state: zero where they are
/// not wanted.
template <class Real>
struct EnergiesBody : StateBody<Real, EnergiesBody<Real>> {
  const Real* v;
  bool kinetic, potential, com;
  Real* results;  ///< out

  RBD_HD void compute(const ModelView<Real>& model, std::int64_t s) const {
    const StateChunk<Real>& chunk = this->states;
    const auto& ws = chunk.workspace_of(s).kinematics;
    const LaneRow<Real> q = chunk.row(chunk.q, s), v_here = chunk.row(v, s);
    const LaneOut<Real> out = chunk.out(results, s);
    for (std::int32_t k = 0; k < 5; ++k) out.store(k, Real(0));
    if (kinetic) {
      body_velocities(model, ws, q, v_here);
      out.store(0, kinetic_energy(model, ws, v_here));
    }
    forward_kinematics(model, ws, q);
    const Vec3<Real> moment = first_moment(model, ws);
    if (potential) out.store(1, -dot(model.gravity, moment));
    if (com) {
      const Real mass = total_mass<Real>(model);
      out.store(2, moment.x / mass);
      out.store(3, moment.y / mass);
      out.store(4, moment.z / mass);
    }
    Real taint = taint_if_not_finite(v_here, model.nv, taint_of_q<Real>(model, q));
    taint = taint_if_not_finite(chunk.row(results, s), 5, taint);
    const StateStatus status = status_of(taint);
    spoil_unless_ok<Real>(status, out, 5);
    chunk.status[s] = status;
  }
};

/// Where the bodies are, for the two that follow: it stays in the workspace.
template <class Real>
struct PlacementsBody : StateBody<Real, PlacementsBody<Real>> {
  RBD_HD void compute(const ModelView<Real>& model, std::int64_t s) const {
    const StateChunk<Real>& chunk = this->states;
    const auto& ws = chunk.workspace_of(s).kinematics;
    const LaneRow<Real> q = chunk.row(chunk.q, s);
    forward_kinematics(model, ws, q);
    // Every link's placement follows from those of the bodies; if these are finite, so is it.
    Real taint = taint_of_q<Real>(model, q);
    for (std::int32_t i = 0; i < model.body_count; ++i) {
      taint = taint_if_not_finite(ws.X0.load(i).r, taint);
    }
    chunk.status[s] = status_of(taint);
  }
};

/// link_pose()
template <class Real>
struct LinkPoseBody : StateBody<Real, LinkPoseBody<Real>> {
  std::int32_t link;
  Real* pose;  ///< out: 7 numbers

  RBD_HD void compute(const ModelView<Real>& model, std::int64_t s) const {
    const StateChunk<Real>& chunk = this->states;
    const LaneOut<Real> out = chunk.out(pose, s);
    link_pose(model, chunk.workspace_of(s).kinematics, link, out);
    spoil_unless_ok<Real>(chunk.status[s], out, 7);
  }
};

/// link_jacobian()
template <class Real>
struct LinkJacobianBody : StateBody<Real, LinkJacobianBody<Real>> {
  std::int32_t link;
  bool in_link_axes;
  Real* jacobian;  ///< out: 6 x nv

  RBD_HD void compute(const ModelView<Real>& model, std::int64_t s) const {
    const StateChunk<Real>& chunk = this->states;
    const LaneOut<Real> out = chunk.out(jacobian, s);
    link_jacobian(model, chunk.workspace_of(s).kinematics, link, in_link_axes, out);
    spoil_unless_ok<Real>(chunk.status[s], out, 6 * model.nv);
  }
};

/// What BodyMotionsBody leaves in the workspace.
enum class Motions : std::uint8_t {
  both,         ///< velocities and, without a, accelerations; judges those with a too
  accelerated,  ///< accelerations with a, after `both`
};

/// How the bodies move, for LinkVectorBody: it stays in the workspace.
template <class Real>
struct BodyMotionsBody : StateBody<Real, BodyMotionsBody<Real>> {
  const Real *v, *a;
  bool placed;  ///< with the placements of the bodies
  bool rated;   ///< rates of Jacobians follow: the placements are judged too
  Motions of;

  RBD_HD void compute(const ModelView<Real>& model, std::int64_t s) const {
    const StateChunk<Real>& chunk = this->states;
    const auto& ws = chunk.workspace_of(s).kinematics;
    const LaneRow<Real> q = chunk.row(chunk.q, s), v_here = chunk.row(v, s),
                        a_here = chunk.row(a, s);
    if (of == Motions::accelerated) {
      body_accelerations(model, ws, q, v_here, a_here);
      return;
    }
    if (placed) forward_kinematics(model, ws, q);
    body_velocities(model, ws, q, v_here);
    Real taint = taint_if_not_finite(v_here, model.nv, taint_of_q<Real>(model, q));
    taint = taint_if_not_finite(a_here, model.nv, taint);
    body_accelerations(model, ws, q, v_here, a_here);
    taint = taint_of_bodies(model, ws, taint);
    for (std::int32_t i = 0; rated && i < model.body_count; ++i) {
      taint = taint_if_not_finite(ws.X0.load(i).r, taint);
    }
    body_accelerations(model, ws, q, v_here, Zeros<Real>{});
    chunk.status[s] = status_of(taint_of_bodies(model, ws, taint));
  }

 private:
  /// A link's vectors follow from those of its body, and the classical acceleration from a product
  /// of velocities; if these are finite, so are they.
  template <class Kinematics>
  RBD_INLINE Real taint_of_bodies(const ModelView<Real>& model, const Kinematics& ws,
                                  Real taint) const {
    for (std::int32_t i = 0; i < model.body_count; ++i) {
      const Motion<Real> velocity = ws.v.load(i), acceleration = ws.a.load(i);
      const Vec3<Real> turned = cross(velocity.w, velocity.v);
      taint = taint_if_not_finite(acceleration.w, taint);
      taint = taint_if_not_finite(acceleration.v, taint);
      taint = taint_if_not_finite(turned, taint);
    }
    return taint;
  }
};

enum class LinkVector : std::uint8_t { twist, acceleration };

/// link_twist() or link_acceleration()
template <class Real>
struct LinkVectorBody : StateBody<Real, LinkVectorBody<Real>> {
  std::int32_t link;
  bool in_link_axes;
  LinkVector vector;
  Real* out;  ///< 6 numbers

  RBD_HD void compute(const ModelView<Real>& model, std::int64_t s) const {
    const StateChunk<Real>& chunk = this->states;
    const auto& ws = chunk.workspace_of(s).kinematics;
    const LaneOut<Real> here = chunk.out(out, s);
    if (vector == LinkVector::twist) {
      link_twist(model, ws, link, in_link_axes, here);
    } else {
      link_acceleration(model, ws, link, in_link_axes, here);
    }
    spoil_unless_ok<Real>(chunk.status[s], here, 6);
  }
};

/// Rows of the entries of M that can differ from zero, a thread for each number.
template <class Real>
struct SparseRowsBody {
  static constexpr int phases = 1;
  const Real* M;  ///< lanes of nv x nv
  std::int64_t stride, count;
  const std::int32_t* entry;  ///< for each of them i nv + j
  std::int64_t nonzeros;
  Real* values;  ///< out: rows

  LaunchShape shape() const { return one_thread_each(count * nonzeros, largest_block); }
  template <int>
  RBD_HD void run(const ThreadIndex& at, std::byte*) const {
    const std::int64_t k = at.global();
    if (k >= count * nonzeros) return;
    values[k] = M[entry[k % nonzeros] * stride + k / nonzeros];
  }
};

}  // namespace rbd_parallel_core
