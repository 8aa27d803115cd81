// SPDX-License-Identifier: Apache-2.0
#include "kernel_backend.hpp"

#include <algorithm>

#include "../unaccelerated.hpp"
#include "float_range.hpp"
#include "kernel_costs.hpp"

namespace rbd_parallel_core {

template <class Real>
auto KernelBackend<Real>::make_kernels(const KernelTable<Real>& table, bool friction, bool dense,
                                       int threads) const -> Kernels {
  Kernels kernels;
  kernels.table = &table;
  const SparseRows sparse_rows{sparse_rows_.row_start().data(), sparse_rows_.depth().data()};
  for (int thread = 0; thread < threads; ++thread) {
    kernels.memory.emplace_back(table.bytes(model_, dense));
    kernels.contexts.push_back({model_, friction, dense, sparse_rows, kernels.memory.back().get()});
    table.prepare(kernels.contexts.back());
  }
  return kernels;
}

template <class Real>
void KernelBackend<Real>::configure_kernels(const Model& model, const BackendOptions& options,
                                            bool with_packs, int threads) {
  const InstructionSet set = choose_instruction_set(options.instruction_set);
  threads = std::min(threads, usable_cores());  // memory only for what can run
  tiles_.reset();
  packs_ = {};
  if constexpr (std::is_same_v<Real, double>) {
    model_ = model.view();
  } else {
    converted_.emplace(model.view());
    model_ = converted_->view();
    require_float_range(model_, model);
  }
  sparse_rows_ = MassMatrixRows({model_.dof_parent, static_cast<std::size_t>(model_.nv)});
  const bool matrices_one_by_one =
      with_packs && model_.nv > largest_pack_nv && model_.nv <= largest_threaded_nv;
  scalars_ = make_kernels(scalar_kernels<Real>(set), options.friction,
                          model_.nv <= largest_dense_nv, matrices_one_by_one ? threads : 1);
  if (!with_packs) return;
  packs_ = make_kernels(pack_kernels<Real>(set), options.friction, model_.nv <= largest_pack_nv,
                        threads);
  if (threads > 1) {
    tiles_.emplace(threads, packs_.table->width, std::chrono::microseconds(options.spin_us));
  }
}

template <class Real>
void KernelBackend<Real>::run(const Call& call, bool needs_matrix) noexcept {
  const Kernels& kernels = kernels_for(call.batch(), call.layout(), needs_matrix);
  const auto kernel = kernels.table->kernel[static_cast<std::size_t>(call.operation())];
  const void* const args = call.erased_arguments();
  if (!tiles_ || kernels.contexts.size() == 1) {
    kernel(kernels.contexts.front(), args, {0, call.batch()});
    return;
  }
  tiles_->run(
      call.batch(), predicted_us(kernels, call.operation(), call.batch()),
      [&](StateRange range, std::size_t thread) { kernel(kernels.contexts[thread], args, range); });
}

template <class Real>
auto KernelBackend<Real>::kernels_for(std::size_t batch, Layout layout,
                                      bool needs_matrix) const noexcept -> const Kernels& {
  const bool in_lanes = layout == Layout::lanes;
  const bool fits = !needs_matrix || in_lanes || model_.nv <= largest_pack_nv;
  // One state alone is faster by itself than in a pack of copies.
  const bool one_by_one = packs_.table == nullptr || !fits || (batch == 1 && !in_lanes);
  return one_by_one ? scalars_ : packs_;
}

template <class Real>
double KernelBackend<Real>::predicted_us(const Kernels& kernels, Operation operation,
                                         std::size_t batch) const noexcept {
  const std::size_t width = kernels.table->width;
  return rbd_parallel_core::predicted_us(operation, static_cast<std::size_t>(model_.body_count),
                                         static_cast<std::size_t>(sparse_rows_.row_start().back()),
                                         (batch + width - 1) / width);
}

template <class Real>
CallPlan KernelBackend<Real>::plan(Operation operation, std::size_t batch) const noexcept {
  const Kernels& kernels = kernels_for(batch, Layout::rows, keeps_matrices(operation));
  const std::size_t width = kernels.table->width;
  CallPlan plan{.runs = (batch + width - 1) / width, .threads = 1};
  if (tiles_ && kernels.contexts.size() > 1) {
    plan.threads = tiles_->cut(batch, predicted_us(kernels, operation, batch)).threads;
  }
  return plan;
}

template <class Real>
Capabilities KernelBackend<Real>::do_capabilities() const noexcept {
  return {.lane_width = packs_.table ? packs_.table->width : 1,
          .largest_nv_by_crba = largest_dense_nv,
          .largest_nv_by_crba_in_lanes = packs_.table ? largest_pack_nv : largest_dense_nv};
}

template <class Real>
Result KernelBackend<Real>::do_compute(const Call& call) noexcept {
  switch (call.operation()) {
    case Operation::bias_forces:
      run_inverse_dynamics(unaccelerated(call.template arguments<Operation::bias_forces>()));
      return {};
    case Operation::gravity_forces:
      run_inverse_dynamics(at_rest(call.template arguments<Operation::gravity_forces>()));
      return {};
    case Operation::mass_matrix:
      return run_mass_matrix(call);
    case Operation::forward_dynamics:
      run(call,
          call.template arguments<Operation::forward_dynamics>().method != ForwardMethod::aba);
      return {};
    default:
      return run_if_it_fits(call);
  }
}

template <class Real>
Result KernelBackend<Real>::run_if_it_fits(const Call& call) noexcept {
  const Operation operation = call.operation();
  const bool solves =
      operation == Operation::forward_dynamics_jvp || operation == Operation::forward_dynamics_vjp;
  const bool needs_matrix = keeps_matrices(operation) || (solves && model_.has_mimic);
  const int largest = largest_matrix(call.layout());
  if (needs_matrix && model_.nv > largest) return too_large(operation, largest, model_.nv);
  run(call, needs_matrix);
  return {};
}

template <class Real>
void KernelBackend<Real>::run_inverse_dynamics(const InverseDynamics& args) noexcept {
  run({OperationTag<Operation::inverse_dynamics>{}, args});
}

template <class Real>
Result KernelBackend<Real>::run_mass_matrix(const Call& call) noexcept {
  const MassMatrix& args = call.template arguments<Operation::mass_matrix>();
  if (args.cholesky.empty() && !args.inverse.empty()) {
    const int largest = largest_matrix(args.layout);
    if (model_.nv > largest) return {Code::unsupported, Argument::inverse, largest, model_.nv};
  }
  run(call, true);
  return {};
}

template class KernelBackend<double>;
template class KernelBackend<float>;

}  // namespace rbd_parallel_core
