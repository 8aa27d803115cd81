// SPDX-License-Identifier: Apache-2.0
#include "compiled_backend.hpp"

#include <algorithm>
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

/// What a run of the code takes, about: for an instruction of it, and for a body, whose sine and
/// cosine are computed and whose numbers are read and written. Enough to judge whether a call is
/// worth several threads; it must not depend on the machine.
constexpr double ns_per_line = 0.25, ns_per_body = 8;

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
  return {};
}

/// That the arrays of a function are those that the table says, in name.
void require_arrays(const CodedFunction& expected, const symbolic::Function& actual) {
  ArgumentSet inputs, outputs;
  const auto insert = [](const symbolic::Function::Array& array, ArgumentSet& set) {
    for (std::size_t k = 0; k < argument_names.size(); ++k) {
      const auto argument = static_cast<Argument>(k);
      if (argument != Argument::wrenches && argument_names[k] == array.name) set.insert(argument);
    }
  };
  for (const auto& array : actual.inputs) insert(array, inputs);
  for (const auto& array : actual.outputs) insert(array, outputs);
  if (inputs == expected.inputs && outputs == expected.outputs) return;
  throw std::logic_error("a function of " + name_of(expected.operation) +
                         " has other arrays than its entry in the table");
}

/// Under which operation explain() speaks of a function.
Operation explained_as(const CodedFunction& function) {
  const bool sparse = function.outputs.contains(Argument::sparse);
  return sparse ? Operation::sparse_mass_matrix : function.operation;
}

/// Whether BackendOptions::compile names a function's operation. A mass matrix is named in all its
/// forms.
bool is_named(const CodedFunction& function, const OperationSet& operations) {
  return operations.contains(function.operation) || operations.contains(explained_as(function));
}

/// That there are functions for all that a user names.
void require_functions(const OperationSet& operations) {
  for (const Operation operation : all_operations) {
    if (!operations.contains(operation)) continue;
    const auto functions = compiled::coded_functions();
    const bool found =
        std::any_of(functions.begin(), functions.end(), [&](const CodedFunction& function) {
          return function.operation == operation || explained_as(function) == operation;
        });
    if (found) continue;
    throw std::invalid_argument("configure: compile names " + name_of(operation) +
                                ", which no code is made for; leave it out, cpu computes it");
  }
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
      if (!(args.*field.wrenches).links.empty()) shape.wrenches = (args.*field.wrenches).axes;
    }
  });
  if constexpr (requires { args.method; }) shape.method = args.method;
  return shape;
}

/// The arrays of a call that a function has, in its order, which is that of the fields.
template <class Real, class Args>
struct CallArrays {
  static constexpr std::size_t count(bool outputs) {
    std::size_t n = 0;
    for_each_field_index<Args>([&]<std::size_t k>(std::integral_constant<std::size_t, k>) {
      constexpr auto field = std::get<k>(fields_of<Args>);
      constexpr bool is_output = requires { field.meaning; };
      constexpr bool is_array = requires { field.array; };
      if (is_array && is_output == outputs) ++n;
    });
    return n;
  }
  std::array<std::span<const Real>, count(false)> inputs;
  std::array<std::span<Real>, count(true)> outputs;
  const BasicExternalWrenches<Real>* f_ext = nullptr;

  CallArrays(const CodedFunction& function, const Args& args) noexcept {
    std::size_t next_input = 0, next_output = 0;
    for_each_field_index<Args>([&]<std::size_t k>(std::integral_constant<std::size_t, k>) {
      constexpr auto field = std::get<k>(fields_of<Args>);
      if constexpr (requires { field.meaning; }) {
        if (function.outputs.contains(field.argument)) outputs[next_output++] = args.*field.array;
      } else if constexpr (requires { field.wrenches; }) {
        f_ext = &(args.*field.wrenches);
      } else if constexpr (requires { field.array; }) {
        if (function.inputs.contains(field.argument)) inputs[next_input++] = args.*field.array;
      }
    });
  }
};

}  // namespace

// ---- making code --------------------------------------------------------------------------------

template <class Real>
void CompiledBackend<Real>::do_configure(const Model& model, const BackendOptions& options) {
  refuse_tree_options(options.tree, name());
  if (options.compile) require_functions(*options.compile);
  this->configure_kernels(model, options, /*with_packs=*/true, options.threads);
  functions_ = {};
  coded_.clear();
  placements_.reset();
  compile({.model = model.view(),
           .options = {.friction = options.friction,
                       .singular_tolerance = 64 * double(std::numeric_limits<Real>::epsilon())},
           .set = choose_instruction_set(options.instruction_set),
           .operations = options.compile.value_or(OperationSet::all())});
}

template <class Real>
void CompiledBackend<Real>::compile(const Making& making) {
  const std::string obstacle = compiled::why_no_machine_code();
  for (const CodedFunction& function : compiled::coded_functions()) {
    // A call cannot ask for aba then.
    if (making.model.has_mimic && function.method == ForwardMethod::aba) continue;
    coded_.push_back(obstacle.empty() ? compile(function, making)
                                      : Coded{&function, nullptr, obstacle});
  }
  compile_placements(making);
  functions_ = {};
  for (const Coded& coded : coded_) {
    Functions& own = functions_[static_cast<std::size_t>(coded.function->operation)];
    if (own.begin == nullptr) own.begin = &coded;
    own.end = &coded + 1;
  }
}

template <class Real>
auto CompiledBackend<Real>::compile(const CodedFunction& function, const Making& making) const
    -> Coded {
  Coded coded{&function, nullptr, {}};
  if (!is_named(function, making.operations)) {
    coded.why_not = "it is not among the operations to compile";
    return coded;
  }
  // What the plain function is too long for, those that compute more are too.
  const Coded* const simpler = plain(explained_as(function));
  coded.why_not = simpler != nullptr ? simpler->why_not : why_not_traced(function, making.model);
  if (!coded.why_not.empty()) return coded;
  try {
    const symbolic::Function traced =
        function.trace(making.model, making.options, function.external());
    require_arrays(function, traced);
    coded.code = std::make_unique<Code>(traced, making.set, this->pack_threads());
  } catch (const std::runtime_error& error) {
    coded.why_not = error.what();
  }
  return coded;
}

template <class Real>
void CompiledBackend<Real>::compile_placements(const Making& making) {
  const bool needed = std::any_of(coded_.begin(), coded_.end(), [](const Coded& coded) {
    return coded.code && coded.function->takes(Axes::world);
  });
  if (!needed) return;
  try {
    placements_ = std::make_unique<Code>(symbolic::trace_placements(making.model, making.options),
                                         making.set, this->pack_threads());
  } catch (const std::runtime_error& error) {
    for (Coded& coded : coded_) {
      if (coded.function->wrenches != compiled::Wrenches::along_world) continue;
      coded.code.reset();
      coded.why_not = error.what();
    }
  }
}

// ---- running it ---------------------------------------------------------------------------------

template <class Real>
auto CompiledBackend<Real>::coded_for(const CallShape& call) const noexcept -> const Coded* {
  if (call.wrenches == Axes::world && !placements_) return nullptr;
  const Functions& own = functions_[static_cast<std::size_t>(call.operation)];
  for (const Coded* coded = own.begin; coded != own.end; ++coded) {
    if (coded->code && coded->function->serves(call)) return coded;
  }
  return nullptr;
}

template <class Real>
auto CompiledBackend<Real>::plain(Operation operation) const noexcept -> const Coded* {
  for (const Coded& coded : coded_) {
    if (explained_as(*coded.function) == operation) return &coded;
  }
  return nullptr;
}

template <class Real>
bool CompiledBackend<Real>::has_code(Operation operation) const noexcept {
  const Coded* const coded = plain(operation);
  return coded != nullptr && coded->code != nullptr;
}

template <class Real>
void CompiledBackend<Real>::run(const Code& code, const CodeCall& call,
                                std::size_t batch) noexcept {
  const bool in_world_axes =
      call.f_ext != nullptr && !call.f_ext->links.empty() && call.f_ext->axes == Axes::world;
  const Code* const placements = in_world_axes ? placements_.get() : nullptr;
  if (this->one_by_one(batch, call.layout, false)) {
    code.run(this->kernel_model(), call, false, 0, {0, batch}, placements);
    return;
  }
  const double us_of_run = 1e-3 * (ns_per_line * static_cast<double>(code.lines()) +
                                   ns_per_body * this->kernel_model().body_count);
  const double us = us_of_run * static_cast<double>(this->runs_of_packs(batch));
  this->for_each_range_of_packs(batch, us, [&](StateRange range, std::size_t thread) {
    code.run(this->kernel_model(), call, true, thread, range, placements);
  });
}

template <class Real>
template <class Args>
bool CompiledBackend<Real>::run(Operation operation, const Args& args) noexcept {
  const Coded* const coded = coded_for(shape_of(operation, args));
  if (coded == nullptr) return false;
  const CallArrays<Real, Args> arrays(*coded->function, args);
  run(*coded->code,
      {.inputs = arrays.inputs.data(),
       .outputs = arrays.outputs.data(),
       .status = args.status,
       .layout = args.layout,
       .f_ext = arrays.f_ext},
      args.batch);
  return true;
}

/// Without accelerations it is bias_forces, without velocities too gravity_forces, where these have
/// code.
template <class Real>
bool CompiledBackend<Real>::run_inverse_dynamics(const BasicInverseDynamics<Real>& args) noexcept {
  if (args.a.empty() && args.f_ext.links.empty()) {
    if (args.v.empty() && run(Operation::gravity_forces, args)) return true;
    if (run(Operation::bias_forces, args)) return true;
  }
  return run(Operation::inverse_dynamics, args);
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

// ---- explaining ---------------------------------------------------------------------------------

namespace {

/// The calls of an operation that no function serves, as explain() says it.
const char* without_function(Operation operation) {
  switch (operation) {
    case Operation::mass_matrix:
      return "; full and sparse in one call: cpu";
    case Operation::forward_dynamics:
      return "; by other methods than aba and crba: cpu";
    default:
      return "";
  }
}

}  // namespace

template <class Real>
std::string CompiledBackend<Real>::explain(Operation operation, std::size_t) const {
  if (!this->configured()) return "compiled, which is not configured yet";
  std::string text;
  for (const Coded& coded : coded_) {
    if (explained_as(*coded.function) != operation) continue;
    if (text.empty()) {  // the plain call
      if (!coded.code) return "fell back to cpu: " + coded.why_not;
      text = "compiled: code of " + std::to_string(coded.code->lines()) +
             " instructions made for the robot";
    } else if (!coded.code) {
      text += "; " + std::string(coded.function->when) + ": cpu, since " + coded.why_not;
    }
  }
  if (text.empty()) return "cpu: there is no code for " + name_of(operation);
  return text + without_function(operation);
}

template class CompiledBackend<double>;
template class CompiledBackend<float>;

}  // namespace rbd_parallel_core
