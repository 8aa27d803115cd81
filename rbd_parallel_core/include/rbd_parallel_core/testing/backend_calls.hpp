// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/testing/conformance_linkage.hpp"
#include "rbd_parallel_core/testing/robots.hpp"

/// Every way to call a Backend, in one form: a batch of states in, up to four arrays out. The
/// checks of the conformance suite go over this list, so that none of them forgets an operation.
namespace rbd_parallel_core::conformance {

using rbd_parallel_core::Operation;

/// Inputs of all operations. links: k indices; the other arrays hold the states in `layout`.
struct Batch {
  std::size_t size = 0;
  Layout layout = Layout::rows;
  std::size_t stored = 0;  ///< states that the arrays have room for: whole groups in Layout::lanes
  std::vector<double> q, v, a, tau, wrenches;
  std::vector<double> dq, dv, da, dtau, weights;  ///< directions and weights, nv each
  std::vector<int> links;
};

/// An input of a Batch that a call names by `argument`.
struct BatchInput {
  std::vector<double> Batch::*array;
  Argument argument;
};
inline constexpr std::array batch_inputs{BatchInput{&Batch::q, Argument::q},
                                         BatchInput{&Batch::v, Argument::v},
                                         BatchInput{&Batch::a, Argument::a},
                                         BatchInput{&Batch::tau, Argument::tau},
                                         BatchInput{&Batch::wrenches, Argument::wrenches},
                                         BatchInput{&Batch::dq, Argument::dq},
                                         BatchInput{&Batch::dv, Argument::dv},
                                         BatchInput{&Batch::da, Argument::da},
                                         BatchInput{&Batch::dtau, Argument::dtau},
                                         BatchInput{&Batch::weights, Argument::weights}};

Batch random_batch(const Model& model, std::size_t size, std::uint64_t seed);

/// The states of a batch in another order: state s of the result is state order[s] of the batch.
Batch reordered(const Batch& batch, const std::vector<std::size_t>& order);

/// What a call fills.
struct Outputs {
  static constexpr std::size_t most = 4;  ///< arrays of one call
  std::array<std::vector<double>, most> numbers;
  std::vector<StateStatus> status;
  Result result;
};

/// One way to call a backend. What it reads and writes follows from the fields of the operation's
/// arguments (operation.hpp), so that a new operation is a line in every_call().
struct Call {
  std::string name;
  Operation operation;  ///< by its costs: Operation::sparse_mass_matrix is one of them
  bool (*possible)(const Model&) = [](const Model&) { return true; };
  std::vector<Argument> outputs = {};  ///< those asked for, in the order of Outputs; none: all
  std::vector<Argument> ignores = {};  ///< inputs that do not count
  bool with_wrenches = false;
  Axes axes = Axes::world;
  ForwardMethod method = ForwardMethod::automatic;

  /// Whether the numbers of this input count.
  bool reads(Argument argument) const;
  /// Whether it takes links by index.
  bool names_links() const;
  /// Whether the call is refused without this output.
  bool requires_output(Argument argument) const;
  /// Numbers per state of each output.
  std::array<std::size_t, Outputs::most> columns(const Model& model, const Batch& batch) const;
  /// Allocates nothing.
  Result run(Backend& backend, const Batch& in, Outputs& out) const;
};

namespace detail {

inline bool without_mimic(const Model& model) { return !model.has_mimic(); }

inline bool among(Argument argument, const std::vector<Argument>& arguments) {
  return std::find(arguments.begin(), arguments.end(), argument) != arguments.end();
}

/// The input of that name.
inline std::span<const double> input_of(const Batch& batch, Argument argument) {
  for (const BatchInput& input : batch_inputs) {
    if (input.argument == argument) return batch.*input.array;
  }
  return {};
}

/// The operation that a backend is called with.
inline Operation called(const Call& call) {
  return call.operation == Operation::sparse_mass_matrix ? Operation::mass_matrix : call.operation;
}

/// Has visit(field) called for the fields of the call's operation.
template <class Visit>
void visit_fields(const Call& call, const Visit& visit) {
  visit_operation(called(call), [&]<Operation operation>(OperationTag<operation>) {
    for_each_field<ArgumentsOf<operation, double>>(visit);
  });
}

/// The arguments of a call.
template <class Args>
Args arguments_of(const Call& call, const Batch& in, Outputs& out) {
  Args args;
  args.batch = in.size;
  args.layout = in.layout;
  args.status = out.status;
  std::size_t next = 0;
  for_each_field<Args>(FieldVisitor{
      [&](const InputField<Args, double>& field) {
        args.*field.array = input_of(in, field.argument);
      },
      [&](const OutputField<Args, double>& field) {
        if (call.outputs.empty() || among(field.argument, call.outputs)) {
          args.*field.array = out.numbers.at(next++);
        }
      },
      [&](const LinksField<Args>& field) { args.*field.links = in.links; },
      [&](const WrenchesField<Args, ExternalWrenches>& field) {
        if (call.with_wrenches) args.*field.wrenches = {in.links, in.wrenches, call.axes};
      },
      [&](const ChoiceField<Args, Axes>& field) { args.*field.choice = call.axes; },
      [&](const ChoiceField<Args, ForwardMethod>& field) { args.*field.choice = call.method; }});
  return args;
}

}  // namespace detail

/// Whether the call solves for accelerations with M, which may be singular.
bool solves(const Call& call);

/// The arguments of its outputs, in the order of Outputs.
std::vector<Argument> outputs_of(const Call& call);

const std::vector<Call>& every_call();

/// Room for the results of a call, filled with a number that no result has.
Outputs room_for(const Call& call, const Model& model, const Batch& batch);

Outputs run(const Call& call, Backend& backend, const Batch& batch);

/// The same states in Layout::lanes. Where a lane has no state there is NaN, which must not matter.
Batch in_lanes(const Batch& rows, std::size_t width);

/// What a call with `lanes` gave, in rows.
Outputs in_rows(const Outputs& out, const Batch& lanes, std::size_t width);

/// Row s of output k.
std::vector<double> row(const Outputs& out, std::size_t k, std::size_t s);

/// Equal in every bit; NaN equals NaN.
bool same_bits(const std::vector<double>& a, const std::vector<double>& b);

/// max |a - b| / max(|b|, 1), infinite where a number is not finite or the sizes differ. The robots
/// here have masses and lengths about 1, so a reference far below 1 is zero but for rounding.
double relative_error(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace rbd_parallel_core::conformance

#ifdef RBD_CONFORMANCE_FUNCTION
#include "rbd_parallel_core/testing/backend_calls_impl.hpp"
#endif
