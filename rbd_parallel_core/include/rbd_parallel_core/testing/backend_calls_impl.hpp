// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "rbd_parallel_core/model/mass_matrix_pattern.hpp"
#include "rbd_parallel_core/testing/backend_calls.hpp"

/// The functions that backend_calls.hpp declares.
namespace rbd_parallel_core::conformance {

RBD_CONFORMANCE_FUNCTION Batch random_batch(const Model& model, std::size_t size,
                                            std::uint64_t seed) {
  Random random(seed);
  Batch batch;
  batch.size = batch.stored = size;
  const std::size_t nv = index(model.nv());
  const int last = static_cast<int>(model.links().size()) - 1;
  batch.links = {last, 0, last / 2, last};  // the base, and one link twice
  for (std::size_t s = 0; s < size; ++s) {
    const std::vector<double> q = random_configuration(model, random);
    batch.q.insert(batch.q.end(), q.begin(), q.end());
  }
  batch.v = random.numbers(size * nv, 2);
  batch.a = random.numbers(size * nv, 5);
  batch.tau = random.numbers(size * nv, 10);
  batch.wrenches = random.numbers(size * 6 * batch.links.size(), 20);
  for (std::vector<double> Batch::*array :
       {&Batch::dq, &Batch::dv, &Batch::da, &Batch::dtau, &Batch::weights}) {
    batch.*array = random.numbers(size * nv, 1);
  }
  return batch;
}

RBD_CONFORMANCE_FUNCTION Batch reordered(const Batch& batch,
                                         const std::vector<std::size_t>& order) {
  Batch result;
  result.size = result.stored = order.size();
  result.links = batch.links;
  const auto pick = [&](const std::vector<double>& from, std::vector<double>& to) {
    const std::size_t n = from.size() / batch.size;
    for (const std::size_t s : order) {
      const auto row = from.begin() + static_cast<std::ptrdiff_t>(s * n);
      to.insert(to.end(), row, row + static_cast<std::ptrdiff_t>(n));
    }
  };
  for (const BatchInput& input : batch_inputs) pick(batch.*input.array, result.*input.array);
  return result;
}

RBD_CONFORMANCE_FUNCTION bool Call::reads(Argument argument) const {
  if (argument == Argument::wrenches) return with_wrenches;
  bool read = false;
  detail::visit_fields(*this, FieldVisitor{[&]<class A, class R>(const InputField<A, R>& field) {
                                             read = read || field.argument == argument;
                                           },
                                           [](const auto&) {}});
  return read && !detail::among(argument, ignores);
}

RBD_CONFORMANCE_FUNCTION bool Call::names_links() const {
  bool named = with_wrenches;
  detail::visit_fields(*this, FieldVisitor{[&]<class A>(const LinksField<A>&) { named = true; },
                                           [](const auto&) {}});
  return named;
}

RBD_CONFORMANCE_FUNCTION bool Call::requires_output(Argument argument) const {
  bool is_required = false;
  detail::visit_fields(*this, FieldVisitor{[&]<class A, class R>(const OutputField<A, R>& field) {
                                             if (field.argument != argument) return;
                                             is_required = field.presence == Presence::required;
                                           },
                                           [](const auto&) {}});
  return is_required;
}

RBD_CONFORMANCE_FUNCTION std::array<std::size_t, Outputs::most> Call::columns(
    const Model& model, const Batch& batch) const {
  const Extents extents{.nq = index(model.nq()),
                        .nv = index(model.nv()),
                        .nonzeros = static_cast<std::size_t>(mass_matrix_nonzeros(model)),
                        .links = batch.links.size(),
                        .parameters = index(model.body_count()) * parameters_per_body};
  std::array<std::size_t, Outputs::most> columns{};
  std::size_t next = 0;
  detail::visit_fields(*this, FieldVisitor{[&]<class A, class R>(const OutputField<A, R>& field) {
                                             const bool all = outputs.empty();
                                             if (all || detail::among(field.argument, outputs)) {
                                               columns.at(next++) = field.shape.numbers(extents);
                                             }
                                           },
                                           [](const auto&) {}});
  return columns;
}

RBD_CONFORMANCE_FUNCTION Result Call::run(Backend& backend, const Batch& in, Outputs& out) const {
  Result result;
  visit_operation(detail::called(*this), [&]<Operation operation>(OperationTag<operation> tag) {
    result = backend.compute(
        {tag, detail::arguments_of<ArgumentsOf<operation, double>>(*this, in, out)});
  });
  return result;
}

RBD_CONFORMANCE_FUNCTION bool solves(const Call& call) {
  switch (call.operation) {
    case Operation::forward_dynamics:
    case Operation::forward_dynamics_derivatives:
    case Operation::forward_dynamics_jvp:
    case Operation::forward_dynamics_vjp:
      return true;
    default:
      return false;
  }
}

RBD_CONFORMANCE_FUNCTION std::vector<Argument> outputs_of(const Call& call) {
  if (!call.outputs.empty()) return call.outputs;
  std::vector<Argument> outputs;
  detail::visit_fields(call, FieldVisitor{[&]<class A, class R>(const OutputField<A, R>& field) {
                                            outputs.push_back(field.argument);
                                          },
                                          [](const auto&) {}});
  return outputs;
}

RBD_CONFORMANCE_FUNCTION const std::vector<Call>& every_call() {
  using Op = Operation;
  static const std::vector<Call> calls = {
      {.name = "inverse_dynamics", .operation = Op::inverse_dynamics},
      {.name = "inverse_dynamics with wrenches in link axes",
       .operation = Op::inverse_dynamics,
       .with_wrenches = true,
       .axes = Axes::link},
      {.name = "inverse_dynamics with wrenches in world axes",
       .operation = Op::inverse_dynamics,
       .with_wrenches = true},
      {.name = "bias_forces", .operation = Op::bias_forces},
      {.name = "gravity_forces", .operation = Op::gravity_forces, .ignores = {Argument::v}},
      {.name = "coriolis_forces", .operation = Op::coriolis_forces},
      {.name = "mass_matrix",
       .operation = Op::mass_matrix,
       .outputs = {Argument::mass_matrix, Argument::cholesky, Argument::inverse}},
      {.name = "sparse_mass_matrix",
       .operation = Op::sparse_mass_matrix,
       .outputs = {Argument::sparse, Argument::sparse_cholesky}},
      {.name = "forward_dynamics by automatic", .operation = Op::forward_dynamics},
      {.name = "forward_dynamics by aba with wrenches in link axes",
       .operation = Op::forward_dynamics,
       .possible = detail::without_mimic,
       .with_wrenches = true,
       .axes = Axes::link,
       .method = ForwardMethod::aba},
      {.name = "forward_dynamics by aba with wrenches in world axes",
       .operation = Op::forward_dynamics,
       .possible = detail::without_mimic,
       .with_wrenches = true,
       .method = ForwardMethod::aba},
      {.name = "forward_dynamics by crba with wrenches in world axes",
       .operation = Op::forward_dynamics,
       .with_wrenches = true,
       .method = ForwardMethod::crba},
      {.name = "energies", .operation = Op::energies},
      {.name = "link_kinematics in world axes", .operation = Op::link_kinematics},
      {.name = "link_kinematics in link axes",
       .operation = Op::link_kinematics,
       .axes = Axes::link},
      {.name = "link_motion in world axes", .operation = Op::link_motion},
      {.name = "link_motion in link axes", .operation = Op::link_motion, .axes = Axes::link},
      {.name = "inverse_dynamics_derivatives", .operation = Op::inverse_dynamics_derivatives},
      {.name = "inverse_dynamics_derivatives with wrenches in link axes",
       .operation = Op::inverse_dynamics_derivatives,
       .with_wrenches = true,
       .axes = Axes::link},
      {.name = "inverse_dynamics_derivatives with wrenches in world axes",
       .operation = Op::inverse_dynamics_derivatives,
       .with_wrenches = true},
      {.name = "forward_dynamics_derivatives with wrenches in link axes",
       .operation = Op::forward_dynamics_derivatives,
       .with_wrenches = true,
       .axes = Axes::link},
      {.name = "forward_dynamics_derivatives with wrenches in world axes",
       .operation = Op::forward_dynamics_derivatives,
       .with_wrenches = true},
      {.name = "inverse_dynamics_jvp with wrenches in link axes",
       .operation = Op::inverse_dynamics_jvp,
       .with_wrenches = true,
       .axes = Axes::link},
      {.name = "inverse_dynamics_jvp with wrenches in world axes",
       .operation = Op::inverse_dynamics_jvp,
       .with_wrenches = true},
      {.name = "inverse_dynamics_vjp with wrenches in link axes",
       .operation = Op::inverse_dynamics_vjp,
       .with_wrenches = true,
       .axes = Axes::link},
      {.name = "inverse_dynamics_vjp with wrenches in world axes",
       .operation = Op::inverse_dynamics_vjp,
       .with_wrenches = true},
      {.name = "forward_dynamics_jvp with wrenches in link axes",
       .operation = Op::forward_dynamics_jvp,
       .with_wrenches = true,
       .axes = Axes::link},
      {.name = "forward_dynamics_jvp with wrenches in world axes",
       .operation = Op::forward_dynamics_jvp,
       .with_wrenches = true},
      {.name = "forward_dynamics_vjp with wrenches in link axes",
       .operation = Op::forward_dynamics_vjp,
       .with_wrenches = true,
       .axes = Axes::link},
      {.name = "forward_dynamics_vjp with wrenches in world axes",
       .operation = Op::forward_dynamics_vjp,
       .with_wrenches = true},
      {.name = "coriolis_matrix", .operation = Op::coriolis_matrix},
      {.name = "centroidal_momentum", .operation = Op::centroidal_momentum},
      {.name = "regressor", .operation = Op::regressor},
  };
  return calls;
}

RBD_CONFORMANCE_FUNCTION Outputs room_for(const Call& call, const Model& model,
                                          const Batch& batch) {
  Outputs out;
  const std::array<std::size_t, Outputs::most> columns = call.columns(model, batch);
  for (std::size_t k = 0; k < Outputs::most; ++k)
    out.numbers[k].assign(batch.stored * columns[k], -7.25e77);
  out.status.assign(batch.size, {StateStatus::Code::singular, -99});
  return out;
}

RBD_CONFORMANCE_FUNCTION Outputs run(const Call& call, Backend& backend, const Batch& batch) {
  Outputs out = room_for(call, backend.model(), batch);
  out.result = call.run(backend, batch, out);
  return out;
}

namespace detail {

/// Where number k of state s is in Layout::lanes, where a state has n numbers.
inline std::size_t place_in_lanes(std::size_t s, std::size_t k, std::size_t n, std::size_t width) {
  return (s / width * n + k) * width + s % width;
}

}  // namespace detail

RBD_CONFORMANCE_FUNCTION Batch in_lanes(const Batch& rows, std::size_t width) {
  Batch lanes = rows;
  lanes.layout = Layout::lanes;
  lanes.stored = (rows.size + width - 1) / width * width;
  for (const BatchInput& input : batch_inputs) {
    const auto array = input.array;
    const std::size_t n = (rows.*array).size() / rows.size;
    (lanes.*array).assign(lanes.stored * n, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t s = 0; s < rows.size; ++s) {
      for (std::size_t k = 0; k < n; ++k) {
        (lanes.*array)[detail::place_in_lanes(s, k, n, width)] = (rows.*array)[s * n + k];
      }
    }
  }
  return lanes;
}

RBD_CONFORMANCE_FUNCTION Outputs in_rows(const Outputs& out, const Batch& lanes,
                                         std::size_t width) {
  Outputs rows = out;
  for (std::size_t output = 0; output < Outputs::most; ++output) {
    const std::size_t n = out.numbers[output].size() / lanes.stored;
    rows.numbers[output].resize(lanes.size * n);
    for (std::size_t s = 0; s < lanes.size; ++s) {
      for (std::size_t k = 0; k < n; ++k) {
        rows.numbers[output][s * n + k] =
            out.numbers[output][detail::place_in_lanes(s, k, n, width)];
      }
    }
  }
  return rows;
}

RBD_CONFORMANCE_FUNCTION std::vector<double> row(const Outputs& out, std::size_t k, std::size_t s) {
  const std::vector<double>& all = out.numbers[k];
  const std::size_t n = all.size() / out.status.size();
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(s * n);
  return {first, first + static_cast<std::ptrdiff_t>(n)};
}

RBD_CONFORMANCE_FUNCTION bool same_bits(const std::vector<double>& a,
                                        const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

RBD_CONFORMANCE_FUNCTION double relative_error(const std::vector<double>& a,
                                               const std::vector<double>& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double error = 0, scale = 1;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (!std::isfinite(a[k]) || !std::isfinite(b[k]))
      return std::numeric_limits<double>::infinity();
    error = std::max(error, std::abs(a[k] - b[k]));
    scale = std::max(scale, std::abs(b[k]));
  }
  return error / scale;
}

}  // namespace rbd_parallel_core::conformance
