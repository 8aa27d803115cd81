// SPDX-License-Identifier: Apache-2.0
#include "compiled_backend.hpp"

#include <limits>

#include "../tree_options_check.hpp"

namespace rbd_parallel_core {
namespace {

using compiled::ArgumentSet;
using compiled::CallShape;
using compiled::CodedFunction;

/// Larger robots are not even traced: their code would be too long, and to find that out takes
/// long.
constexpr std::int32_t most_bodies = 400, most_columns_of_matrices = 64;

/// Whether a function computes or keeps matrices of nv x nv.
bool has_matrices(const CodedFunction& function) {
  return keeps_matrices(function.operation) || function.operation == Operation::mass_matrix ||
         function.method == ForwardMethod::crba;
}

/// Why a robot's function is not traced at all, or nothing.
std::string why_not_traced(const CodedFunction& function, const ModelView<double>& model) {
  if (model.body_count > most_bodies ||
      (has_matrices(function) && model.nv > most_columns_of_matrices)) {
    return "the robot is too large to be compiled";
  }
  const bool solves = function.operation == Operation::forward_dynamics_derivatives;
  if (model.has_mimic && (function.method == ForwardMethod::aba || solves)) {
    return "the robot has mimic joints, which aba does not take";
  }
  return {};
}

/// What of a call decides which function serves it.
template <class Args>
CallShape shape_of(Operation operation, const Args& args) noexcept {
  CallShape shape{.operation = operation, .outputs = {}};
  for_each_field_index<Args>([&]<std::size_t k>(std::integral_constant<std::size_t, k>) {
    constexpr auto field = std::get<k>(fields_of<Args>);
    if constexpr (requires { field.meaning; }) {
      if (!(args.*field.array).empty()) shape.outputs.insert(field.argument);
    } else if constexpr (requires { field.wrenches; }) {
      shape.wrenches = !(args.*field.wrenches).links.empty();
    }
  });
  if constexpr (requires { args.method; }) shape.method = args.method;
  return shape;
}

/// The arrays of a call that a function has, in its order, which is that of the fields.
template <class Real, class Args>
compiled::CodeCall<Real> arrays_of(const CodedFunction& function, const Args& args) noexcept {
  compiled::CodeCall<Real> call{
      .inputs = {}, .outputs = {}, .status = args.status, .layout = args.layout};
  std::size_t inputs = 0, outputs = 0;
  for_each_field_index<Args>([&]<std::size_t k>(std::integral_constant<std::size_t, k>) {
    constexpr auto field = std::get<k>(fields_of<Args>);
    if constexpr (requires { field.meaning; }) {
      if (function.outputs.contains(field.argument)) call.outputs[outputs++] = args.*field.array;
    } else if constexpr (requires { field.array; }) {
      if (function.inputs.contains(field.argument)) call.inputs[inputs++] = args.*field.array;
    }
  });
  return call;
}

}  // namespace

// ---- making code --------------------------------------------------------------------------------

template <class Real>
void CompiledBackend<Real>::do_configure(const Model& model, const BackendOptions& options) {
  refuse_tree_options(options.tree, name());
  this->configure_kernels(model, options, /*with_packs=*/true, options.threads);
  coded_.clear();
  compile(model.view(),
          {.friction = options.friction,
           .singular_tolerance = 64 * double(std::numeric_limits<Real>::epsilon())},
          choose_instruction_set(options.instruction_set));
}

template <class Real>
void CompiledBackend<Real>::compile(const ModelView<double>& model,
                                    const symbolic::TraceOptions& options, InstructionSet set) {
  const std::string obstacle = compiled::why_no_machine_code();
  for (const CodedFunction& function : compiled::coded_functions()) {
    Coded coded{&function, nullptr, obstacle};
    if (coded.why_not.empty()) coded.why_not = why_not_traced(function, model);
    if (coded.why_not.empty()) {
      try {
        coded.code =
            std::make_unique<Code>(function.trace(model, options), set, this->pack_threads());
      } catch (const std::runtime_error& error) {
        coded.why_not = error.what();
      }
    }
    coded_.push_back(std::move(coded));
  }
}

// ---- running it ---------------------------------------------------------------------------------

template <class Real>
auto CompiledBackend<Real>::coded_for(const CallShape& call) const noexcept -> const Coded* {
  for (const Coded& coded : coded_) {
    if (coded.code && coded.function->serves(call)) return &coded;
  }
  return nullptr;
}

template <class Real>
void CompiledBackend<Real>::run(const Code& code, const CodeCall& call,
                                std::size_t batch) noexcept {
  if (this->one_by_one(batch, call.layout, false)) {
    code.run(this->kernel_model(), call, false, 0, {0, batch});
    return;
  }
  this->for_each_range_of_packs(batch, [&](StateRange range, std::size_t thread) {
    code.run(this->kernel_model(), call, true, thread, range);
  });
}

template <class Real>
template <class Args>
bool CompiledBackend<Real>::run(Operation operation, const Args& args) noexcept {
  const Coded* const coded = coded_for(shape_of(operation, args));
  if (coded == nullptr) return false;
  run(*coded->code, arrays_of<Real>(*coded->function, args), args.batch);
  return true;
}

/// Without accelerations it is bias_forces, without velocities too gravity_forces.
template <class Real>
bool CompiledBackend<Real>::run_inverse_dynamics(const BasicInverseDynamics<Real>& args) noexcept {
  if (!args.a.empty() || !args.f_ext.links.empty()) return run(Operation::inverse_dynamics, args);
  return run(args.v.empty() ? Operation::gravity_forces : Operation::bias_forces, args);
}

template <class Real>
Result CompiledBackend<Real>::do_compute(const Call& call) noexcept {
  bool computed = false;
  visit_operation(call.operation(), [&]<Operation operation>(OperationTag<operation>) {
    const auto& args = call.template arguments<operation>();
    if constexpr (operation == Operation::inverse_dynamics) {
      computed = run_inverse_dynamics(args);
    } else if constexpr (operation != Operation::link_kinematics &&
                         operation != Operation::link_motion) {
      computed = run(operation, args);
    }
  });
  return computed ? Result{} : KernelBackend<Real>::do_compute(call);
}

template <class Real>
std::string CompiledBackend<Real>::explain(Operation operation, std::size_t) const {
  if (!this->configured()) return "compiled, which is not configured yet";
  std::string text;
  for (const Coded& coded : coded_) {
    if (coded.function->operation != operation) continue;
    if (coded.code == nullptr) return "fell back to cpu: " + coded.why_not;
    text = "compiled: code of " + std::to_string(coded.code->lines()) +
           " instructions made for the robot";
    break;
  }
  if (text.empty()) return "cpu: there is no code for " + name_of(operation);
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
