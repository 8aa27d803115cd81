// SPDX-License-Identifier: Apache-2.0
#include "tree_backend.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "../../float_mode.hpp"
#include "../compile_option_check.hpp"
#include "../tree_options_check.hpp"
#include "../unaccelerated.hpp"
#include "rbd_parallel_core/algorithm/finite.hpp"

namespace rbd_parallel_core {
namespace {

/// NaN if a number is not finite.
template <class Real>
Real taint_of(std::span<const Real> numbers) noexcept {
  return taint_if_not_finite(Row<Real>{numbers.data()}, static_cast<std::int32_t>(numbers.size()),
                             Real(0));
}

/// Spoils the results of a state that is not ok, and says so.
template <class Real>
void report(const StateStatus& state, std::span<Real> results, std::span<StateStatus> status,
            std::size_t s) noexcept {
  spoil_unless_ok(state, results);
  if (!status.empty()) status[s] = state;
}

/// The n numbers of state s, none where the array is not given.
template <class T>
std::span<T> row_of(std::span<T> array, std::size_t s, std::size_t n) noexcept {
  return array.empty() ? array : array.subspan(s * n, n);
}

}  // namespace

template <class Real>
void TreeBackend<Real>::do_configure(const Model& model, const BackendOptions& options) {
  blocks_.reset();
  scans_.reset();
  mass_matrix_.reset();
  threads_ = 1;
  by_blocks_ = false;
  refuse_compile_option(options, name());
  require_lengths(options.tree);
  if (options.tree.family == TreeFamily::scans) {
    refuse_group_and_lanes(options.tree, "tree with the family scans");
  }
  this->configure_kernels(model, options, /*with_packs=*/false, 1);
  if (!cuts(model, options.tree)) return;
  const InstructionSet set = choose_instruction_set(options.instruction_set);
  const std::chrono::microseconds spin(options.spin_us);
  const int threads = threads_ = std::min(options.threads, usable_cores());
  if (options.tree.family == TreeFamily::scans) {
    scans_.emplace();
    // Not an owner: Backend keeps the model alive.
    scans_->configure(std::shared_ptr<const Model>(std::shared_ptr<void>(), &model), threads,
                      {.block = options.tree.block, .friction = options.friction, .spin = spin});
    return;
  }
  // Torques of mimic joints add up from several blocks: they are left to the kernels for one state.
  if (!model.has_mimic()) {
    blocks_.emplace(this->kernel_model(), set, threads, spin, options.tree);
    const bool asked_for = options.tree.block > 0 || options.tree.group > 0 || !options.tree.lanes;
    by_blocks_ = asked_for || blocks_->pays();
  }
  mass_matrix_.emplace();
  mass_matrix_->configure(this->kernel_model(), threads, set, blocks_ ? &*blocks_ : nullptr, spin);
}

template <class Real>
bool TreeBackend<Real>::side_by_side(Operation operation) const noexcept {
  switch (operation) {
    case Operation::inverse_dynamics:
    case Operation::bias_forces:
    case Operation::gravity_forces:
      return by_blocks_ || scans_;
    case Operation::coriolis_forces:
      return by_blocks_;
    case Operation::forward_dynamics:
      return by_blocks_ && goes_by_two_ports();
    case Operation::mass_matrix:
      return mass_matrix_ || scans_;
    case Operation::sparse_mass_matrix:
      return mass_matrix_.has_value();
    default:
      return false;
  }
}

template <class Real>
CallPlan TreeBackend<Real>::plan(Operation operation, std::size_t batch) const noexcept {
  const bool matrix =
      operation == Operation::mass_matrix || operation == Operation::sparse_mass_matrix;
  return {batch, matrix || !blocks_ ? threads_ : blocks_->used_threads()};
}

template <class Real>
Capabilities TreeBackend<Real>::do_capabilities() const noexcept {
  Capabilities capabilities = KernelBackend<Real>::do_capabilities();
  capabilities.two_port = goes_by_two_ports();
  return capabilities;
}

/// What is not computed side by side is left to the kernels for one state.
template <class Real>
Result TreeBackend<Real>::do_compute(const Call& call) noexcept {
  const auto leave = [&] { return KernelBackend<Real>::do_compute(call); };
  const bool has_torques = by_blocks_ || scans_;
  switch (call.operation()) {
    case Operation::inverse_dynamics:
      if (!has_torques) return leave();
      torques(call.template arguments<Operation::inverse_dynamics>());
      return {};
    case Operation::bias_forces:
      if (!has_torques) return leave();
      torques(unaccelerated(call.template arguments<Operation::bias_forces>()));
      return {};
    case Operation::gravity_forces:
      if (!has_torques) return leave();
      torques(at_rest(call.template arguments<Operation::gravity_forces>()));
      return {};
    case Operation::coriolis_forces:
      if (!by_blocks_) return leave();
      coriolis_torques(call.template arguments<Operation::coriolis_forces>());
      return {};
    case Operation::forward_dynamics: {
      const ForwardDynamics& args = call.template arguments<Operation::forward_dynamics>();
      if (!is_side_by_side(args)) return leave();
      accelerations(args);
      return {};
    }
    case Operation::mass_matrix: {
      const MassMatrix& args = call.template arguments<Operation::mass_matrix>();
      if (!is_side_by_side(args)) return leave();
      mass_matrices(args);
      return {};
    }
    default:
      return leave();
  }
}

// ---- inverse dynamics ---------------------------------------------------------------------------

template <class Real>
std::span<const Force<Real>> TreeBackend<Real>::forces_of(std::span<const Real> q,
                                                          const BasicExternalWrenches<Real>& f_ext,
                                                          std::size_t s) noexcept {
  if (f_ext.links.empty()) return {};
  return {this->body_forces(q, f_ext, s),
          static_cast<std::size_t>(this->kernel_model().body_count)};
}

template <class Real>
Real TreeBackend<Real>::taint_of_state(std::span<const Real> q,
                                       const BasicExternalWrenches<Real>& f_ext,
                                       std::size_t s) noexcept {
  const ModelView<Real>& model = this->kernel_model();
  const Row<Real> row{row_of(q, s, static_cast<std::size_t>(model.nq)).data()};
  return taint_if_no_rotation(model, row,
                              taint_of(row_of(f_ext.wrenches, s, 6 * f_ext.links.size())));
}

template <class Real>
void TreeBackend<Real>::by_blocks(const InverseDynamics& args, std::size_t s,
                                  const Vec3<Real>& gravity, bool friction) noexcept {
  const ModelView<Real>& model = this->kernel_model();
  const auto nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv);
  const std::span<Real> tau = row_of(args.tau, s, nv);
  blocks_->inverse_dynamics({row_of(args.q, s, nq).data(),
                             row_of(args.v, s, nv).data(),
                             row_of(args.a, s, nv).data(),
                             forces_of(args.q, args.f_ext, s).data(),
                             gravity,
                             friction,
                             tau.data(),
                             {}});
  report(status_of(blocks_->taint() + taint_of_state(args.q, args.f_ext, s)), tau, args.status, s);
}

template <class Real>
void TreeBackend<Real>::by_scans(const InverseDynamics& args, std::size_t s) noexcept {
  const ModelView<Real>& model = this->kernel_model();
  const auto nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv);
  const std::span<const Real> q = row_of(args.q, s, nq), v = row_of(args.v, s, nv),
                              a = row_of(args.a, s, nv);
  const std::span<Real> tau = row_of(args.tau, s, nv);
  // The sizes are those that it was configured for, so it has nothing to refuse.
  static_cast<void>(
      scans_->inverse_dynamics(q, v, a, forces_of(args.q, args.f_ext, s), model.gravity, tau));
  const Real taint = taint_of(q) + taint_of(v) + taint_of(a) + taint_of<Real>(tau);
  report(status_of(taint + taint_of_state(args.q, args.f_ext, s)), tau, args.status, s);
}

template <class Real>
void TreeBackend<Real>::torques(const InverseDynamics& args) noexcept {
  const FloatModeScope scope(FloatMode::of_this_thread().flushing());
  for (std::size_t s = 0; s < args.batch; ++s) {
    if (scans_) {
      by_scans(args, s);
    } else {
      by_blocks(args, s, this->kernel_model().gravity, this->options().friction);
    }
  }
}

template <class Real>
void TreeBackend<Real>::coriolis_torques(const Forces& args) noexcept {
  const FloatModeScope scope(FloatMode::of_this_thread().flushing());
  const InverseDynamics still = unaccelerated(args);
  for (std::size_t s = 0; s < args.batch; ++s) by_blocks(still, s, Vec3<Real>::zero(), false);
}

// ---- forward dynamics ---------------------------------------------------------------------------

template <class Real>
void TreeBackend<Real>::forward(const ForwardDynamics& args, std::size_t s) noexcept {
  const ModelView<Real>& model = this->kernel_model();
  const auto nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv);
  const std::span<Real> qdd = row_of(args.qdd, s, nv);
  blocks_->forward_dynamics({row_of(args.q, s, nq).data(),
                             row_of(args.v, s, nv).data(),
                             row_of(args.tau, s, nv).data(),
                             forces_of(args.q, args.f_ext, s).data(),
                             model.gravity,
                             this->options().friction,
                             qdd.data(),
                             {}});
  const Real taint_of_inputs = taint_of(row_of(args.q, s, nq)) + taint_of(row_of(args.v, s, nv)) +
                               taint_of(row_of(args.tau, s, nv)) +
                               taint_of_state(args.q, args.f_ext, s);
  const Real taint_of_results = blocks_->taint();
  report(status_of(taint_of_inputs, blocks_->singular(), taint_of_results), qdd, args.status, s);
}

template <class Real>
bool TreeBackend<Real>::is_side_by_side(const ForwardDynamics& args) const noexcept {
  const bool asked_for = args.method == ForwardMethod::two_port;
  return asked_for || (args.method == ForwardMethod::aba && by_blocks_ && goes_by_two_ports());
}

template <class Real>
void TreeBackend<Real>::accelerations(const ForwardDynamics& args) noexcept {
  const FloatModeScope scope(FloatMode::of_this_thread().flushing());
  for (std::size_t s = 0; s < args.batch; ++s) forward(args, s);
}

// ---- mass matrix --------------------------------------------------------------------------------

template <class Real>
StateStatus TreeBackend<Real>::mass_matrix_of(const MassMatrix& args, std::size_t s) noexcept {
  const ModelView<Real>& model = this->kernel_model();
  const auto nv = static_cast<std::size_t>(model.nv);
  const auto nonzeros = static_cast<std::size_t>(mass_matrix_->nonzeros());
  const std::span<const Real> q = row_of(args.q, s, static_cast<std::size_t>(model.nq));
  const std::span<Real> M = row_of(args.mass_matrix, s, nv * nv),
                        values = row_of(args.sparse, s, nonzeros),
                        factor = row_of(args.sparse_cholesky, s, nonzeros);
  StateStatus status;
  if (!M.empty()) status = mass_matrix_->dense(q, M);
  if (!values.empty()) status = mass_matrix_->sparse(q, values);
  if (factor.empty()) return status;
  if (values.empty()) {
    status = mass_matrix_->sparse(q, factor);
  } else {
    std::copy(values.begin(), values.end(), factor.begin());
  }
  return status.ok() ? mass_matrix_->factor(factor) : status;
}

template <class Real>
bool TreeBackend<Real>::is_side_by_side(const MassMatrix& args) const noexcept {
  const bool sparse = !args.sparse.empty() || !args.sparse_cholesky.empty();
  const bool factored = !args.cholesky.empty() || !args.inverse.empty();
  if (factored || (args.mass_matrix.empty() && !sparse)) return false;
  return mass_matrix_ || (scans_ && !sparse);
}

template <class Real>
void TreeBackend<Real>::mass_matrices(const MassMatrix& args) noexcept {
  if (scans_) {
    mass_matrix_by_scans(args);
    return;
  }
  for (std::size_t s = 0; s < args.batch; ++s) {
    const StateStatus status = mass_matrix_of(args, s);
    if (!args.status.empty()) args.status[s] = status;
  }
}

template <class Real>
void TreeBackend<Real>::mass_matrix_by_scans(const MassMatrix& args) noexcept {
  const ModelView<Real>& model = this->kernel_model();
  const auto nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv);
  for (std::size_t s = 0; s < args.batch; ++s) {
    const std::span<const Real> q = row_of(args.q, s, nq);
    const std::span<Real> M = row_of(args.mass_matrix, s, nv * nv);
    static_cast<void>(scans_->mass_matrix(q, M));
    Real taint = taint_of_q<Real>(model, Row<Real>{q.data()});
    for (std::size_t i = 0; i < nv; ++i) {
      taint = taint + taint_of<Real>(M.subspan(i * nv, nv));
    }
    report(status_of(taint), M, args.status, s);
  }
}

template class TreeBackend<double>;
template class TreeBackend<float>;

}  // namespace rbd_parallel_core
