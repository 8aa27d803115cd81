// SPDX-License-Identifier: Apache-2.0
#include "reference_backend.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rbd_parallel_core/algorithm/cholesky.hpp"
#include "rbd_parallel_core/algorithm/external_forces.hpp"
#include "rbd_parallel_core/algorithm/finite.hpp"

namespace rbd_parallel_core {
namespace {

std::size_t size(std::int32_t n) { return static_cast<std::size_t>(n); }

/// Calls visit with a reader of the n numbers of state s, or with Zeros where the array is not given.
template <class Visit>
void with_rates(std::span<const double> array, std::size_t s, std::int32_t n, const Visit& visit) {
  if (array.empty()) {
    visit(Zeros<double>{});
  } else {
    visit(Row<double>{array.data() + s * size(n)});
  }
}

/// 0 if the first n numbers are finite, NaN otherwise.
double taint(const double* numbers, std::size_t n) {
  return taint_if_not_finite(Row<double>{numbers}, static_cast<std::int32_t>(n), 0.0);
}

/// The same for row s of an array of n columns that may be absent.
double taint(std::span<const double> array, std::size_t s, std::size_t n) {
  return array.empty() ? 0.0 : taint(array.data() + s * n, n);
}

/// Row s of an output, or nothing if the output is not asked for.
std::span<double> row(std::span<double> array, std::size_t s, std::size_t n) {
  return array.empty() ? array : array.subspan(s * n, n);
}

StateStatus status_of(double taint, double singular = 0) {
  if (std::isnan(taint)) return {StateStatus::Code::not_finite, -1};
  if (singular > 0) return {StateStatus::Code::singular, static_cast<std::int32_t>(singular) - 1};
  return {};
}

/// Reports how state s went; a bad state's outputs become NaN, so that no wrong number is taken for a right one.
template <class... Outputs>
void finish(std::span<StateStatus> statuses, std::size_t s, const StateStatus& status,
            const Outputs&... outputs) {
  if (!statuses.empty()) statuses[s] = status;
  if (status.ok()) return;
  const auto spoil = [](std::span<double> output) {
    std::fill(output.begin(), output.end(), std::numeric_limits<double>::quiet_NaN());
  };
  (spoil(outputs), ...);
}

}  // namespace

void ReferenceBackend::do_configure(const Model& model, const BackendOptions& options) {
  view_ = model.view();
  friction_ = options.friction;
  const std::size_t bodies = size(view_.body_count), nv = size(view_.nv);
  const std::size_t bytes = Workspace<double>::bytes(bodies, nv);
  memory_.assign(bytes / sizeof(double) + 1, 0.0);
  workspace_ = Workspace<double>::in(reinterpret_cast<std::byte*>(memory_.data()), bodies, nv);
  matrix_.assign(view_.nv <= largest_dense_nv ? nv * nv : 0, 0.0);
}

template <class Visit>
void ReferenceBackend::with_forces(const ExternalWrenches& f_ext, std::size_t s, const double* q,
                                   const Visit& visit) {
  if (f_ext.links.empty()) {
    visit(NoForces{});
    return;
  }
  const bool in_world_axes = f_ext.axes == ExternalWrenches::Axes::world;
  if (in_world_axes) forward_kinematics(view_, workspace_.kinematics, Row<double>{q});
  const double* wrenches = f_ext.wrenches.data() + s * 6 * f_ext.links.size();
  gather_external_forces(view_, workspace_.kinematics, f_ext.links.data(),
                         static_cast<std::int32_t>(f_ext.links.size()), Row<double>{wrenches},
                         in_world_axes, workspace_.f_ext);
  visit(workspace_.f_ext);
}

Result ReferenceBackend::do_inverse_dynamics(const InverseDynamics& args) noexcept {
  const std::size_t nq = size(view_.nq), nv = size(view_.nv);
  for (std::size_t s = 0; s < args.batch; ++s) {
    const double* q = args.q.data() + s * nq;
    const std::span<double> tau = row(args.tau, s, nv);
    with_rates(args.v, s, view_.nv, [&](const auto& v) {
      with_rates(args.a, s, view_.nv, [&](const auto& a) {
        with_forces(args.f_ext, s, q, [&](const auto& f_ext) {
          rnea(view_, workspace_.rnea, Row<double>{q}, v, a, f_ext, view_.gravity, friction_,
               OutRow<double>{tau.data()});
        });
      });
    });
    const double bad = taint(q, nq) + taint(args.v, s, nv) + taint(args.a, s, nv) +
                       taint(args.f_ext.wrenches, s, 6 * args.f_ext.links.size()) +
                       taint(tau.data(), nv);
    finish(args.status, s, status_of(bad), tau);
  }
  return {};
}

Result ReferenceBackend::do_bias_forces(const Forces& args) noexcept {
  return do_inverse_dynamics({.batch = args.batch,
                              .q = args.q,
                              .v = args.v,
                              .a = {},
                              .tau = args.tau,
                              .status = args.status});
}

Result ReferenceBackend::do_gravity_forces(const Forces& args) noexcept {
  return do_inverse_dynamics({.batch = args.batch,
                              .q = args.q,
                              .v = {},
                              .a = {},
                              .tau = args.tau,
                              .status = args.status});
}

Result ReferenceBackend::do_coriolis_forces(const Forces& args) noexcept {
  const std::size_t nq = size(view_.nq), nv = size(view_.nv);
  for (std::size_t s = 0; s < args.batch; ++s) {
    const double* q = args.q.data() + s * nq;
    const std::span<double> tau = row(args.tau, s, nv);
    with_rates(args.v, s, view_.nv, [&](const auto& v) {
      rnea(view_, workspace_.rnea, Row<double>{q}, v, Zeros<double>{}, NoForces{}, Vec3<double>::zero(),
           false, OutRow<double>{tau.data()});
    });
    const double bad = taint(q, nq) + taint(args.v, s, nv) + taint(tau.data(), nv);
    finish(args.status, s, status_of(bad), tau);
  }
  return {};
}

Result ReferenceBackend::do_mass_matrix(const MassMatrix& args) noexcept {
  const std::size_t nq = size(view_.nq), nv = size(view_.nv);
  const bool factor = !args.cholesky.empty() || !args.inverse.empty();
  if (factor && args.cholesky.empty() && matrix_.size() < nv * nv) {
    return {Code::unsupported, Argument::method, largest_dense_nv, view_.nv};
  }
  for (std::size_t s = 0; s < args.batch; ++s) {
    const double* q = args.q.data() + s * nq;
    const std::span<double> M = row(args.mass_matrix, s, nv * nv);
    const std::span<double> L = row(args.cholesky, s, nv * nv);
    const std::span<double> inverse = row(args.inverse, s, nv * nv);
    double bad = taint(q, nq), singular = 0;

    if (!M.empty()) crba(view_, workspace_.crba, Row<double>{q}, OutMatrix<double>{M.data(), view_.nv});
    if (factor) {
      const OutMatrix<double> work{L.empty() ? matrix_.data() : L.data(), view_.nv};
      if (M.empty()) {
        crba(view_, workspace_.crba, Row<double>{q}, work);
      } else {
        std::copy(M.begin(), M.end(), work.data);
      }
      for (std::int32_t k = 0; k < view_.nv; ++k) bad += 0.0 * work.load(k, k);
      singular = ltl_factor<double>(view_, work, OutRow<double>{workspace_.vector0});
      if (!inverse.empty()) {
        ltl_inverse<double>(view_, work, OutRow<double>{workspace_.vector0},
                            OutMatrix<double>{inverse.data(), view_.nv});
      }
      if (!L.empty()) clear_upper_triangle<double>(work, view_.nv);
    }
    // |M_ij|^2 <= M_ii M_jj: where the diagonal is finite, all is.
    for (std::size_t k = 0; k < M.size(); k += nv + 1) bad += 0.0 * M[k];
    const StateStatus status = status_of(bad, singular);
    const bool only_factor_is_bad = status.code == StateStatus::Code::singular;
    finish(args.status, s, status, only_factor_is_bad ? std::span<double>{} : M, L, inverse);
  }
  return {};
}

Result ReferenceBackend::do_forward_dynamics(const ForwardDynamics& args) noexcept {
  const std::size_t nq = size(view_.nq), nv = size(view_.nv);
  const bool by_aba = args.method == ForwardMethod::aba;
  if (!by_aba && matrix_.size() < nv * nv) {
    return {Code::unsupported, Argument::method, largest_dense_nv, view_.nv};
  }
  for (std::size_t s = 0; s < args.batch; ++s) {
    const double* q = args.q.data() + s * nq;
    const std::span<double> qdd = row(args.qdd, s, nv);
    const OutRow<double> out{qdd.data()};
    double singular = 0;
    with_rates(args.v, s, view_.nv, [&](const auto& v) {
      with_rates(args.tau, s, view_.nv, [&](const auto& tau) {
        with_forces(args.f_ext, s, q, [&](const auto& f_ext) {
          if (by_aba) {
            singular = aba(view_, workspace_.aba, Row<double>{q}, v, tau, f_ext, view_.gravity, friction_,
                           out);
            return;
          }
          // M qdd = tau - (C qd + g - J^T f_ext)
          rnea(view_, workspace_.rnea, Row<double>{q}, v, Zeros<double>{}, f_ext, view_.gravity, friction_,
               out);
          for (std::int32_t k = 0; k < view_.nv; ++k) out.store(k, tau(k) - out.load(k));
          const OutMatrix<double> M{matrix_.data(), view_.nv};
          crba(view_, workspace_.crba, Row<double>{q}, M);
          singular = ltl_factor<double>(view_, M, OutRow<double>{workspace_.vector0});
          ltl_solve<double>(view_, M, out);
        });
      });
    });
    double bad = taint(q, nq) + taint(args.v, s, nv) + taint(args.tau, s, nv) +
                 taint(args.f_ext.wrenches, s, 6 * args.f_ext.links.size());
    if (singular == 0) bad += taint(qdd.data(), nv);
    finish(args.status, s, status_of(bad, singular), qdd);
  }
  return {};
}

Result ReferenceBackend::do_energies(const Energies& args) noexcept {
  const std::size_t nq = size(view_.nq), nv = size(view_.nv);
  const double mass = total_mass<double>(view_);
  for (std::size_t s = 0; s < args.batch; ++s) {
    const double* q = args.q.data() + s * nq;
    const std::span<double> kinetic = row(args.kinetic, s, 1);
    const std::span<double> potential = row(args.potential, s, 1);
    const std::span<double> com = row(args.com, s, 3);
    double bad = taint(q, nq) + taint(args.v, s, nv);

    if (!kinetic.empty()) {
      with_rates(args.v, s, view_.nv, [&](const auto& v) {
        body_velocities(view_, workspace_.kinematics, Row<double>{q}, v);
        kinetic[0] = kinetic_energy(view_, workspace_.kinematics, v);
      });
    }
    forward_kinematics(view_, workspace_.kinematics, Row<double>{q});
    const Vec3<double> moment = first_moment(view_, workspace_.kinematics);
    if (!potential.empty()) potential[0] = -dot(view_.gravity, moment);
    if (!com.empty()) {
      com[0] = moment.x / mass;
      com[1] = moment.y / mass;
      com[2] = moment.z / mass;
    }
    bad += taint(kinetic.data(), kinetic.size()) + taint(potential.data(), potential.size()) +
           taint(com.data(), com.size());
    finish(args.status, s, status_of(bad), kinetic, potential, com);
  }
  return {};
}

Result ReferenceBackend::do_link_kinematics(const LinkKinematics& args) noexcept {
  const std::size_t nq = size(view_.nq), nv = size(view_.nv), count = args.links.size();
  const bool in_link_axes = args.axes == ExternalWrenches::Axes::link;
  for (std::size_t s = 0; s < args.batch; ++s) {
    const double* q = args.q.data() + s * nq;
    const std::span<double> poses = row(args.poses, s, count * 7);
    const std::span<double> jacobian = row(args.jacobian, s, count * 6 * nv);
    forward_kinematics(view_, workspace_.kinematics, Row<double>{q});
    for (std::size_t k = 0; k < count; ++k) {
      const std::int32_t link = args.links[k];
      if (!poses.empty()) {
        link_pose(view_, workspace_.kinematics, link, OutRow<double>{poses.data() + 7 * k});
      }
      if (!jacobian.empty()) {
        link_jacobian(view_, workspace_.kinematics, link, in_link_axes,
                      OutRow<double>{jacobian.data() + 6 * nv * k});
      }
    }
    const double bad = taint(q, nq) + taint(poses.data(), poses.size()) +
                       taint(jacobian.data(), jacobian.size());
    finish(args.status, s, status_of(bad), poses, jacobian);
  }
  return {};
}

}  // namespace rbd_parallel_core
