// SPDX-License-Identifier: Apache-2.0
// Compiled once for each instruction set; see cmake/instruction_sets.cmake. Everything here is
// local to the file but the table at its end.
#include "kernels.hpp"

#include <cmath>
#include <limits>

#include "rbd_parallel_core/algorithm/cholesky.hpp"
#include "rbd_parallel_core/algorithm/external_forces.hpp"
#include "rbd_parallel_core/algorithm/finite.hpp"

namespace rbd_parallel_core {
namespace {

std::size_t size(std::int32_t n) { return static_cast<std::size_t>(n); }

/// A reader of the n numbers of state s; of zeros where the array is not given.
Row<double> reader(const ReferenceContext& context, std::span<const double> array, std::size_t s,
                   std::size_t n) {
  return {array.empty() ? context.workspace.zeros : array.data() + s * n};
}

/// 0 if the first n numbers are finite, NaN otherwise.
double taint(const double* numbers, std::size_t n) {
  return taint_if_not_finite(Row<double>{numbers}, static_cast<std::int32_t>(n), 0.0);
}

/// The same for row s of an array of n columns that may be absent.
double taint(std::span<const double> array, std::size_t s, std::size_t n) {
  return array.empty() ? 0.0 : taint(array.data() + s * n, n);
}

/// The same for the coordinates of one state: a quaternion that is no rotation counts as not
/// finite, whether or not the result depends on it.
double taint_of_q(const ReferenceContext& context, const double* q) {
  return taint_if_no_rotation(context.model, Row<double>{q}, taint(q, size(context.model.nq)));
}

/// So far from overflow that no product of a few such numbers comes near it; the numbers of a Model
/// are such.
bool moderate(const double* numbers, std::size_t n, std::size_t stride) {
  bool small = true;
  for (std::size_t k = 0; k < n; ++k) small &= std::abs(numbers[k * stride]) < 1e100;
  return small;
}

/// Row s of an output, or nothing if the output is not asked for.
std::span<double> row(std::span<double> array, std::size_t s, std::size_t n) {
  return array.empty() ? array : std::span<double>(array.data() + s * n, n);
}

StateStatus status_of(double taint, double singular = 0) {
  if (taint != taint) return {StateStatus::Code::not_finite, -1};
  if (singular > 0) return {StateStatus::Code::singular, static_cast<std::int32_t>(singular) - 1};
  return {};
}

void spoil(std::span<double> output) {
  double* numbers = output.data();
  const std::size_t n = output.size();
  for (std::size_t k = 0; k < n; ++k) numbers[k] = std::numeric_limits<double>::quiet_NaN();
}

/// Reports how state s went; a bad state's outputs become NaN, so that no wrong number is taken for
/// a right one.
template <class... Outputs>
void finish(std::span<StateStatus> statuses, std::size_t s, const StateStatus& status,
            const Outputs&... outputs) {
  if (!statuses.empty()) statuses.data()[s] = status;
  if (status.ok()) return;
  (spoil(outputs), ...);
}

/// Calls visit(f_ext) with NoForces, or with the forces that the wrenches of state s put on the
/// bodies.
template <class Visit>
void with_forces(const ReferenceContext& context, const ExternalWrenches& f_ext, std::size_t s,
                 const double* q, const Visit& visit) {
  if (f_ext.links.empty()) {
    visit(NoForces{});
    return;
  }
  const bool in_world_axes = f_ext.axes == ExternalWrenches::Axes::world;
  if (in_world_axes)
    forward_kinematics(context.model, context.workspace.kinematics, Row<double>{q});
  const double* wrenches = f_ext.wrenches.data() + s * 6 * f_ext.links.size();
  gather_external_forces(context.model, context.workspace.kinematics, f_ext.links.data(),
                         static_cast<std::int32_t>(f_ext.links.size()), Row<double>{wrenches},
                         in_world_axes, context.workspace.f_ext);
  visit(context.workspace.f_ext);
}

/// Calls visit(v, a) with readers of state s. Where both or the accelerations are zero, their terms
/// are left out of what is compiled; that velocities alone are zero is rare and read as such.
template <class Visit>
void with_rates(const ReferenceContext& context, const InverseDynamics& args, std::size_t s,
                std::size_t nv, const Visit& visit) {
  const Row<double> v = reader(context, args.v, s, nv);
  if (!args.a.empty()) {
    visit(v, Row<double>{args.a.data() + s * nv});
  } else if (!args.v.empty()) {
    visit(v, Zeros<double>{});
  } else {
    visit(Zeros<double>{}, Zeros<double>{});
  }
}

void inverse_dynamics(const ReferenceContext& context, const InverseDynamics& args) noexcept {
  const ModelView<double>& model = context.model;
  const std::size_t nq = size(model.nq), nv = size(model.nv);
  for (std::size_t s = 0; s < args.batch; ++s) {
    const double* q = args.q.data() + s * nq;
    const std::span<double> tau = row(args.tau, s, nv);
    with_rates(context, args, s, nv, [&](const auto& v, const auto& a) {
      with_forces(context, args.f_ext, s, q, [&](const auto& f_ext) {
        rnea(model, context.workspace.rnea, Row<double>{q}, v, a, f_ext, model.gravity,
             context.friction, OutRow<double>{tau.data()});
      });
    });
    const double bad = taint_of_q(context, q) + taint(args.v, s, nv) + taint(args.a, s, nv) +
                       taint(args.f_ext.wrenches, s, 6 * args.f_ext.links.size()) +
                       taint(tau.data(), nv);
    finish(args.status, s, status_of(bad), tau);
  }
}

void coriolis_forces(const ReferenceContext& context, const Forces& args) noexcept {
  const std::size_t nq = size(context.model.nq), nv = size(context.model.nv);
  for (std::size_t s = 0; s < args.batch; ++s) {
    const double* q = args.q.data() + s * nq;
    const std::span<double> tau = row(args.tau, s, nv);
    rnea(context.model, context.workspace.rnea, Row<double>{q}, reader(context, args.v, s, nv),
         Zeros<double>{}, NoForces{}, Vec3<double>::zero(), false, OutRow<double>{tau.data()});
    const double bad = taint_of_q(context, q) + taint(args.v, s, nv) + taint(tau.data(), nv);
    finish(args.status, s, status_of(bad), tau);
  }
}

void mass_matrix(const ReferenceContext& context, const MassMatrix& args) noexcept {
  const std::size_t nq = size(context.model.nq), nv = size(context.model.nv);
  const bool factor = !args.cholesky.empty() || !args.inverse.empty();
  for (std::size_t s = 0; s < args.batch; ++s) {
    const double* q = args.q.data() + s * nq;
    const std::span<double> M = row(args.mass_matrix, s, nv * nv);
    const std::span<double> L = row(args.cholesky, s, nv * nv);
    const std::span<double> inverse = row(args.inverse, s, nv * nv);
    double bad = taint_of_q(context, q), singular = 0;

    if (!M.empty())
      crba(context.model, context.workspace.crba, Row<double>{q},
           OutMatrix<double>{M.data(), context.model.nv});
    if (factor) {
      const OutMatrix<double> work{L.empty() ? context.matrix : L.data(), context.model.nv};
      if (M.empty()) {
        crba(context.model, context.workspace.crba, Row<double>{q}, work);
      } else {
        for (std::size_t k = 0; k < nv * nv; ++k) work.data[k] = M[k];
      }
      bad += taint(work.data, nv * nv);
      singular = ltl_factor<double>(context.model, work, OutRow<double>{context.workspace.vector});
      if (!inverse.empty()) {
        ltl_inverse<double>(context.model, work, OutRow<double>{context.workspace.vector},
                            OutMatrix<double>{inverse.data(), context.model.nv});
      }
      if (!L.empty()) clear_upper_triangle<double>(work, context.model.nv);
    }
    // A look at all of M costs more than is worth it where nothing can have overflowed.
    if (!M.empty() && !(moderate(q, nq, 1) && moderate(M.data(), nv, nv + 1))) {
      bad += taint(M.data(), nv * nv);
    }
    const StateStatus status = status_of(bad, singular);
    const bool only_factor_is_bad = status.code == StateStatus::Code::singular;
    finish(args.status, s, status, only_factor_is_bad ? std::span<double>{} : M, L, inverse);
  }
}

/// M qdd = tau - (C qd + g - J^T f_ext), by the factor of M. Returns what ltl_factor does.
template <class F>
double solve_by_crba(const ReferenceContext& context, const Row<double>& q, const Row<double>& v,
                     const Row<double>& tau, const F& f_ext, const OutRow<double>& qdd) {
  const ModelView<double>& model = context.model;
  rnea(model, context.workspace.rnea, q, v, Zeros<double>{}, f_ext, model.gravity, context.friction,
       qdd);
  for (std::int32_t k = 0; k < model.nv; ++k) qdd.store(k, tau(k) - qdd.load(k));
  const OutMatrix<double> M{context.matrix, model.nv};
  crba(model, context.workspace.crba, q, M);
  const double singular = ltl_factor<double>(model, M, OutRow<double>{context.workspace.vector});
  ltl_solve<double>(model, M, qdd);
  return singular;
}

void forward_dynamics(const ReferenceContext& context, const ForwardDynamics& args) noexcept {
  const ModelView<double>& model = context.model;
  const std::size_t nq = size(model.nq), nv = size(model.nv);
  const bool by_aba = args.method == ForwardMethod::aba;
  for (std::size_t s = 0; s < args.batch; ++s) {
    const Row<double> q{args.q.data() + s * nq};
    const Row<double> v = reader(context, args.v, s, nv), tau = reader(context, args.tau, s, nv);
    const std::span<double> qdd = row(args.qdd, s, nv);
    const OutRow<double> out{qdd.data()};
    double singular = 0;
    with_forces(context, args.f_ext, s, q.data, [&](const auto& f_ext) {
      singular = by_aba ? aba(model, context.workspace.aba, q, v, tau, f_ext, model.gravity,
                              context.friction, out)
                        : solve_by_crba(context, q, v, tau, f_ext, out);
    });
    double bad = taint_of_q(context, q.data) + taint(args.v, s, nv) + taint(args.tau, s, nv) +
                 taint(args.f_ext.wrenches, s, 6 * args.f_ext.links.size());
    if (singular == 0) bad += taint(qdd.data(), nv);
    finish(args.status, s, status_of(bad, singular), qdd);
  }
}

void energies(const ReferenceContext& context, const Energies& args) noexcept {
  const std::size_t nq = size(context.model.nq), nv = size(context.model.nv);
  const double mass = total_mass<double>(context.model);
  for (std::size_t s = 0; s < args.batch; ++s) {
    const double* q = args.q.data() + s * nq;
    const std::span<double> kinetic = row(args.kinetic, s, 1);
    const std::span<double> potential = row(args.potential, s, 1);
    const std::span<double> com = row(args.com, s, 3);
    double bad = taint_of_q(context, q) + taint(args.v, s, nv);

    if (!kinetic.empty()) {
      const Row<double> v = reader(context, args.v, s, nv);
      body_velocities(context.model, context.workspace.kinematics, Row<double>{q}, v);
      kinetic[0] = kinetic_energy(context.model, context.workspace.kinematics, v);
    }
    forward_kinematics(context.model, context.workspace.kinematics, Row<double>{q});
    const Vec3<double> moment = first_moment(context.model, context.workspace.kinematics);
    if (!potential.empty()) potential[0] = -dot(context.model.gravity, moment);
    if (!com.empty()) {
      com[0] = moment.x / mass;
      com[1] = moment.y / mass;
      com[2] = moment.z / mass;
    }
    bad += taint(kinetic.data(), kinetic.size()) + taint(potential.data(), potential.size()) +
           taint(com.data(), com.size());
    finish(args.status, s, status_of(bad), kinetic, potential, com);
  }
}

void link_kinematics(const ReferenceContext& context, const LinkKinematics& args) noexcept {
  const std::size_t nq = size(context.model.nq), nv = size(context.model.nv),
                    count = args.links.size();
  const bool in_link_axes = args.axes == ExternalWrenches::Axes::link;
  for (std::size_t s = 0; s < args.batch; ++s) {
    const double* q = args.q.data() + s * nq;
    const std::span<double> poses = row(args.poses, s, count * 7);
    const std::span<double> jacobian = row(args.jacobian, s, count * 6 * nv);
    forward_kinematics(context.model, context.workspace.kinematics, Row<double>{q});
    for (std::size_t k = 0; k < count; ++k) {
      const std::int32_t link = args.links[k];
      if (!poses.empty()) {
        link_pose(context.model, context.workspace.kinematics, link,
                  OutRow<double>{poses.data() + 7 * k});
      }
      if (!jacobian.empty()) {
        link_jacobian(context.model, context.workspace.kinematics, link, in_link_axes,
                      OutRow<double>{jacobian.data() + 6 * nv * k});
      }
    }
    const double bad = taint_of_q(context, q) + taint(poses.data(), poses.size()) +
                       taint(jacobian.data(), jacobian.size());
    finish(args.status, s, status_of(bad), poses, jacobian);
  }
}

}  // namespace

namespace RBD_ISA {
const ReferenceKernels reference_kernels = {inverse_dynamics, coriolis_forces, mass_matrix,
                                            forward_dynamics, energies,        link_kinematics};
}

}  // namespace rbd_parallel_core
