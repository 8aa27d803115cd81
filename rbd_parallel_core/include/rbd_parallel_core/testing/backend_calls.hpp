// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/model/mass_matrix_pattern.hpp"
#include "rbd_parallel_core/testing/robots.hpp"

/// Every way to call a Backend, in one form: a batch of states in, up to three arrays out. The
/// checks of the conformance suite go over this list, so that none of them forgets an operation.
namespace rbd_parallel_core::conformance {

using rbd_parallel_core::Operation;

/// Inputs of all operations. links: k indices; the other arrays hold the states in `layout`.
struct Batch {
  std::size_t size = 0;
  Layout layout = Layout::rows;
  std::size_t stored = 0;  ///< states that the arrays have room for: whole groups in Layout::lanes
  std::vector<double> q, v, a, tau, wrenches;
  std::vector<int> links;
};

inline Batch random_batch(const Model& model, std::size_t size, std::uint64_t seed) {
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
  return batch;
}

/// The states of a batch in another order: state s of the result is state order[s] of the batch.
inline Batch reordered(const Batch& batch, const std::vector<std::size_t>& order) {
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
  pick(batch.q, result.q);
  pick(batch.v, result.v);
  pick(batch.a, result.a);
  pick(batch.tau, result.tau);
  pick(batch.wrenches, result.wrenches);
  return result;
}

/// What a call fills.
struct Outputs {
  std::array<std::vector<double>, 3> numbers;
  std::vector<StateStatus> status;
  Result result;
};

/// One way to call a backend. `reads`: the inputs it uses, of q v a t(au) f(_ext). `columns`:
/// numbers per state of each output. `run` allocates nothing.
struct Call {
  const char* name;
  const char* reads;
  Operation operation;
  bool (*possible)(const Model&);
  std::array<std::size_t, 3> (*columns)(const Model&, const Batch&);
  Result (*run)(Backend&, const Batch&, Outputs&);
};

namespace detail {

inline bool always(const Model&) { return true; }
inline bool without_mimic(const Model& model) { return !model.has_mimic(); }

using Columns = std::array<std::size_t, 3>;
inline Columns vector_columns(const Model& model, const Batch&) {
  return {index(model.nv()), 0, 0};
}
inline Columns matrix_columns(const Model& model, const Batch&) {
  const std::size_t square = index(model.nv()) * index(model.nv());
  return {square, square, square};
}
inline Columns sparse_columns(const Model& model, const Batch&) {
  const auto nonzeros = static_cast<std::size_t>(mass_matrix_nonzeros(model));
  return {nonzeros, nonzeros, 0};
}
inline Columns energy_columns(const Model&, const Batch&) { return {1, 1, 3}; }
inline Columns link_columns(const Model& model, const Batch& batch) {
  return {7 * batch.links.size(), 6 * batch.links.size() * index(model.nv()), 0};
}

using Axes = ExternalWrenches::Axes;

inline Result inverse_dynamics(Backend& backend, const Batch& in, Outputs& out,
                               const ExternalWrenches& f_ext) {
  return backend.inverse_dynamics({.batch = in.size,
                                   .q = in.q,
                                   .v = in.v,
                                   .a = in.a,
                                   .f_ext = f_ext,
                                   .tau = out.numbers[0],
                                   .status = out.status,
                                   .layout = in.layout});
}

inline Result forward_dynamics(Backend& backend, const Batch& in, Outputs& out,
                               ForwardMethod method, const ExternalWrenches& f_ext) {
  return backend.forward_dynamics({.batch = in.size,
                                   .q = in.q,
                                   .v = in.v,
                                   .tau = in.tau,
                                   .f_ext = f_ext,
                                   .method = method,
                                   .qdd = out.numbers[0],
                                   .status = out.status,
                                   .layout = in.layout});
}

inline Result link_kinematics(Backend& backend, const Batch& in, Outputs& out, Axes axes) {
  return backend.link_kinematics({.batch = in.size,
                                  .q = in.q,
                                  .links = in.links,
                                  .poses = out.numbers[0],
                                  .jacobian = out.numbers[1],
                                  .axes = axes,
                                  .status = out.status,
                                  .layout = in.layout});
}

inline Forces forces(const Batch& in, Outputs& out) {
  return {.batch = in.size,
          .q = in.q,
          .v = in.v,
          .tau = out.numbers[0],
          .status = out.status,
          .layout = in.layout};
}

}  // namespace detail

inline const std::vector<Call>& every_call() {
  using namespace detail;
  using Op = Operation;
  static const std::vector<Call> calls = {
      {"inverse_dynamics", "qva", Op::inverse_dynamics, always, vector_columns,
       [](Backend& b, const Batch& in, Outputs& out) { return inverse_dynamics(b, in, out, {}); }},
      {"inverse_dynamics with wrenches in link axes", "qvaf", Op::inverse_dynamics, always,
       vector_columns,
       [](Backend& b, const Batch& in, Outputs& out) {
         return inverse_dynamics(b, in, out, {in.links, in.wrenches, Axes::link});
       }},
      {"inverse_dynamics with wrenches in world axes", "qvaf", Op::inverse_dynamics, always,
       vector_columns,
       [](Backend& b, const Batch& in, Outputs& out) {
         return inverse_dynamics(b, in, out, {in.links, in.wrenches, Axes::world});
       }},
      {"bias_forces", "qv", Op::bias_forces, always, vector_columns,
       [](Backend& b, const Batch& in, Outputs& out) { return b.bias_forces(forces(in, out)); }},
      {"gravity_forces", "q", Op::gravity_forces, always, vector_columns,
       [](Backend& b, const Batch& in, Outputs& out) { return b.gravity_forces(forces(in, out)); }},
      {"coriolis_forces", "qv", Op::coriolis_forces, always, vector_columns,
       [](Backend& b, const Batch& in, Outputs& out) {
         return b.coriolis_forces(forces(in, out));
       }},
      {"mass_matrix", "q", Op::mass_matrix, always, matrix_columns,
       [](Backend& b, const Batch& in, Outputs& out) {
         return b.mass_matrix({.batch = in.size,
                               .q = in.q,
                               .mass_matrix = out.numbers[0],
                               .cholesky = out.numbers[1],
                               .inverse = out.numbers[2],
                               .status = out.status,
                               .layout = in.layout});
       }},
      {"sparse_mass_matrix", "q", Op::sparse_mass_matrix, always, sparse_columns,
       [](Backend& b, const Batch& in, Outputs& out) {
         return b.mass_matrix({.batch = in.size,
                               .q = in.q,
                               .sparse = out.numbers[0],
                               .sparse_cholesky = out.numbers[1],
                               .status = out.status,
                               .layout = in.layout});
       }},
      {"forward_dynamics by automatic", "qvt", Op::forward_dynamics, always, vector_columns,
       [](Backend& b, const Batch& in, Outputs& out) {
         return forward_dynamics(b, in, out, ForwardMethod::automatic, {});
       }},
      {"forward_dynamics by aba with wrenches in link axes", "qvtf", Op::forward_dynamics,
       without_mimic, vector_columns,
       [](Backend& b, const Batch& in, Outputs& out) {
         return forward_dynamics(b, in, out, ForwardMethod::aba,
                                 {in.links, in.wrenches, Axes::link});
       }},
      {"forward_dynamics by aba with wrenches in world axes", "qvtf", Op::forward_dynamics,
       without_mimic, vector_columns,
       [](Backend& b, const Batch& in, Outputs& out) {
         return forward_dynamics(b, in, out, ForwardMethod::aba,
                                 {in.links, in.wrenches, Axes::world});
       }},
      {"forward_dynamics by crba with wrenches in world axes", "qvtf", Op::forward_dynamics, always,
       vector_columns,
       [](Backend& b, const Batch& in, Outputs& out) {
         return forward_dynamics(b, in, out, ForwardMethod::crba,
                                 {in.links, in.wrenches, Axes::world});
       }},
      {"energies", "qv", Op::energies, always, energy_columns,
       [](Backend& b, const Batch& in, Outputs& out) {
         return b.energies({.batch = in.size,
                            .q = in.q,
                            .v = in.v,
                            .kinetic = out.numbers[0],
                            .potential = out.numbers[1],
                            .com = out.numbers[2],
                            .status = out.status,
                            .layout = in.layout});
       }},
      {"link_kinematics in world axes", "q", Op::link_kinematics, always, link_columns,
       [](Backend& b, const Batch& in, Outputs& out) {
         return link_kinematics(b, in, out, Axes::world);
       }},
      {"link_kinematics in link axes", "q", Op::link_kinematics, always, link_columns,
       [](Backend& b, const Batch& in, Outputs& out) {
         return link_kinematics(b, in, out, Axes::link);
       }},
  };
  return calls;
}

/// Room for the results of a call, filled with a number that no result has.
inline Outputs room_for(const Call& call, const Model& model, const Batch& batch) {
  Outputs out;
  const std::array<std::size_t, 3> columns = call.columns(model, batch);
  for (std::size_t k = 0; k < 3; ++k) out.numbers[k].assign(batch.stored * columns[k], -7.25e77);
  out.status.assign(batch.size, {StateStatus::Code::singular, -99});
  return out;
}

inline Outputs run(const Call& call, Backend& backend, const Batch& batch) {
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

/// The same states in Layout::lanes. Where a lane has no state there is NaN, which must not matter.
inline Batch in_lanes(const Batch& rows, std::size_t width) {
  Batch lanes = rows;
  lanes.layout = Layout::lanes;
  lanes.stored = (rows.size + width - 1) / width * width;
  for (std::vector<double> Batch::*array :
       {&Batch::q, &Batch::v, &Batch::a, &Batch::tau, &Batch::wrenches}) {
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

/// What a call with `lanes` gave, in rows.
inline Outputs in_rows(const Outputs& out, const Batch& lanes, std::size_t width) {
  Outputs rows = out;
  for (std::size_t output = 0; output < 3; ++output) {
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

/// Row s of output k.
inline std::vector<double> row(const Outputs& out, std::size_t k, std::size_t s) {
  const std::vector<double>& all = out.numbers[k];
  const std::size_t n = all.size() / out.status.size();
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(s * n);
  return {first, first + static_cast<std::ptrdiff_t>(n)};
}

/// Equal in every bit; NaN equals NaN.
inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

/// max |a - b| / max(|b|, 1), infinite where a number is not finite or the sizes differ. The robots
/// here have masses and lengths about 1, so a reference far below 1 is zero but for rounding.
inline double relative_error(const std::vector<double>& a, const std::vector<double>& b) {
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
