// SPDX-License-Identifier: Apache-2.0
#include "compiled_backend.hpp"

#include <algorithm>
#include <limits>

#include "../tree_options_check.hpp"
#include "../unaccelerated.hpp"

namespace rbd_parallel_core {
namespace {

/// Larger robots are not even traced: their code would be too long, and to find that out takes
/// long.
constexpr std::int32_t most_bodies = 400, most_columns_of_matrices = 64;

/// What a run of the code takes, about: for an instruction of it, and for a body, whose sine and
/// cosine are computed and whose numbers are read and written. Enough to judge whether a call is
/// worth several threads; it must not depend on the machine.
constexpr double ns_per_line = 0.25, ns_per_body = 8;

}  // namespace

template <class Real>
auto CompiledBackend<Real>::slot_of(Operation operation) -> Slot {
  switch (operation) {
    case Operation::gravity_forces:
      return gravity;
    case Operation::bias_forces:
      return bias;
    case Operation::coriolis_forces:
      return coriolis;
    case Operation::inverse_dynamics:
      return inverse_dynamics;
    case Operation::mass_matrix:
      return mass_matrix;
    case Operation::forward_dynamics:
      return forward_dynamics;
    case Operation::inverse_dynamics_derivatives:
      return inverse_derivatives;
    case Operation::forward_dynamics_derivatives:
      return forward_derivatives;
    default:
      return slot_count;
  }
}

template <class Real>
void CompiledBackend<Real>::do_configure(const Model& model, const BackendOptions& options) {
  refuse_tree_options(options.tree, name());
  this->configure_kernels(model, options, /*with_packs=*/true, options.threads);
  code_ = {};
  why_not_.fill({});
  const std::string obstacle = compiled::why_no_machine_code();
  if (!obstacle.empty()) {
    why_not_.fill(obstacle);
    return;
  }
  compile(model.view(),
          {.friction = options.friction,
           .singular_tolerance = 64 * double(std::numeric_limits<Real>::epsilon())},
          choose_instruction_set(options.instruction_set));
}

template <class Real>
void CompiledBackend<Real>::compile(const ModelView<double>& model,
                                    const symbolic::TraceOptions& options, InstructionSet set) {
  using symbolic::Rates;
  const auto add = [&](Slot slot, const auto& trace) {
    const bool matrix = slot >= inverse_derivatives || slot == mass_matrix;
    if (model.body_count > most_bodies || (matrix && model.nv > most_columns_of_matrices)) {
      why_not_[slot] = "the robot is too large to be compiled";
      return;
    }
    try {
      code_[slot] = std::make_unique<Code>(trace(), set, this->pack_threads());
    } catch (const std::runtime_error& error) {
      why_not_[slot] = error.what();
    }
  };
  const auto inverse = [&](Rates rates) {
    return [&, rates] { return symbolic::trace_inverse_dynamics(model, rates, options); };
  };
  add(gravity, inverse(Rates::none));
  add(bias, inverse(Rates::velocities));
  add(inverse_dynamics, inverse(Rates::velocities_and_accelerations));
  add(coriolis, [&] { return symbolic::trace_coriolis_forces(model, options); });
  add(mass_matrix, [&] { return symbolic::trace_mass_matrix(model, options); });
  for (const bool with_mass : {false, true}) {
    add(with_mass ? inverse_derivatives_and_mass : inverse_derivatives,
        [&] { return symbolic::trace_inverse_dynamics_derivatives(model, with_mass, options); });
  }
  if (model.has_mimic) {
    why_not_[forward_dynamics] = why_not_[forward_derivatives] =
        "the robot has mimic joints, which aba does not take";
    return;
  }
  add(forward_dynamics, [&] { return symbolic::trace_forward_dynamics(model, options); });
  add(forward_derivatives,
      [&] { return symbolic::trace_forward_dynamics_derivatives(model, options); });
}

template <class Real>
bool CompiledBackend<Real>::run(Slot slot, std::size_t batch, Layout layout,
                                std::span<StateStatus> status,
                                std::initializer_list<std::span<const Real>> inputs,
                                std::initializer_list<std::span<Real>> outputs) noexcept {
  const Code* const code = code_[slot].get();
  if (code == nullptr) return false;
  const bool in_packs = !this->one_by_one(batch, layout, false);
  CodeCall call{.inputs = {}, .outputs = {}, .status = status, .layout = layout};
  std::copy(inputs.begin(), inputs.end(), call.inputs.begin());
  std::copy(outputs.begin(), outputs.end(), call.outputs.begin());
  if (!in_packs) {
    code->run(this->kernel_model(), call, false, 0, {0, batch});
    return true;
  }
  const double us_of_run = 1e-3 * (ns_per_line * static_cast<double>(code->lines()) +
                                   ns_per_body * this->kernel_model().body_count);
  const double us = us_of_run * static_cast<double>(this->runs_of_packs(batch));
  this->for_each_range_of_packs(batch, us, [&](StateRange range, std::size_t thread) {
    code->run(this->kernel_model(), call, true, thread, range);
  });
  return true;
}

template <class Real>
bool CompiledBackend<Real>::compute_inverse_dynamics(
    const BasicInverseDynamics<Real>& args) noexcept {
  if (!args.f_ext.links.empty()) return false;
  if (args.a.empty() && args.v.empty()) {
    return run(gravity, args.batch, args.layout, args.status, {args.q}, {args.tau});
  }
  if (args.a.empty()) {
    return run(bias, args.batch, args.layout, args.status, {args.q, args.v}, {args.tau});
  }
  return run(inverse_dynamics, args.batch, args.layout, args.status, {args.q, args.v, args.a},
             {args.tau});
}

template <class Real>
bool CompiledBackend<Real>::compute_mass_matrix(const BasicMassMatrix<Real>& args) noexcept {
  if (args.mass_matrix.empty() || !args.cholesky.empty() || !args.inverse.empty() ||
      !args.sparse.empty() || !args.sparse_cholesky.empty()) {
    return false;
  }
  return run(mass_matrix, args.batch, args.layout, args.status, {args.q}, {args.mass_matrix});
}

template <class Real>
bool CompiledBackend<Real>::compute_by_code(const Call& call) noexcept {
  if (const auto* args = call.template arguments_if<Operation::inverse_dynamics>()) {
    return compute_inverse_dynamics(*args);
  }
  if (const auto* args = call.template arguments_if<Operation::bias_forces>()) {
    return compute_inverse_dynamics(unaccelerated(*args));
  }
  if (const auto* args = call.template arguments_if<Operation::gravity_forces>()) {
    return compute_inverse_dynamics(at_rest(*args));
  }
  if (const auto* args = call.template arguments_if<Operation::coriolis_forces>()) {
    return run(coriolis, args->batch, args->layout, args->status, {args->q, args->v}, {args->tau});
  }
  if (const auto* args = call.template arguments_if<Operation::mass_matrix>()) {
    return compute_mass_matrix(*args);
  }
  if (const auto* args = call.template arguments_if<Operation::forward_dynamics>()) {
    if (!args->f_ext.links.empty() || args->method != ForwardMethod::aba) return false;
    return run(forward_dynamics, args->batch, args->layout, args->status,
               {args->q, args->v, args->tau}, {args->qdd});
  }
  if (const auto* args = call.template arguments_if<Operation::inverse_dynamics_derivatives>()) {
    if (!args->f_ext.links.empty()) return false;
    if (args->mass_matrix.empty()) {
      return run(inverse_derivatives, args->batch, args->layout, args->status,
                 {args->q, args->v, args->a}, {args->dtau_dq, args->dtau_dv});
    }
    return run(inverse_derivatives_and_mass, args->batch, args->layout, args->status,
               {args->q, args->v, args->a}, {args->dtau_dq, args->dtau_dv, args->mass_matrix});
  }
  if (const auto* args = call.template arguments_if<Operation::forward_dynamics_derivatives>()) {
    if (!args->f_ext.links.empty()) return false;
    return run(forward_derivatives, args->batch, args->layout, args->status,
               {args->q, args->v, args->tau}, {args->dqdd_dq, args->dqdd_dv, args->dqdd_dtau});
  }
  return false;
}

template <class Real>
Result CompiledBackend<Real>::do_compute(const Call& call) noexcept {
  if (compute_by_code(call)) return {};
  return KernelBackend<Real>::do_compute(call);
}

template <class Real>
std::string CompiledBackend<Real>::explain(Operation operation, std::size_t) const {
  if (!this->configured()) return "compiled, which is not configured yet";
  const Slot slot = slot_of(operation);
  if (slot == slot_count) return "cpu: there is no code for " + name_of(operation);
  if (code_[slot] == nullptr) return "fell back to cpu: " + why_not_[slot];
  std::string text = "compiled: code of " + std::to_string(code_[slot]->lines()) +
                     " instructions made for the robot";
  if (operation == Operation::forward_dynamics) text += "; other methods than aba are cpu's";
  if (operation == Operation::mass_matrix) text += "; factors, inverse and sparse are cpu's";
  if (operation != Operation::mass_matrix && operation != Operation::gravity_forces &&
      operation != Operation::bias_forces && operation != Operation::coriolis_forces) {
    text += "; with external wrenches cpu computes";
  }
  return text;
}

template class CompiledBackend<double>;
template class CompiledBackend<float>;

}  // namespace rbd_parallel_core
