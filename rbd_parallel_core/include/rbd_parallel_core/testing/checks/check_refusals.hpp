// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rbd_parallel_core/testing/checks/check_report.hpp"

/// What a call must refuse, and how.
namespace rbd_parallel_core::conformance {

namespace detail {

/// Expects the call to be refused with that result, with a text that names the argument and both
/// numbers, and without a number being written.
inline void expect_refusal(Report& report, const Call& call, Backend& backend, const Batch& batch,
                           Outputs out, const Result& expected, const std::string& name) {
  const auto before = out.numbers;
  const Result r = call.run(backend, batch, out);
  const bool same = r.code == expected.code && r.argument == expected.argument &&
                    r.expected == expected.expected && r.actual == expected.actual;
  report.expect(same, "expected the refusal '" + message(expected) + "', got '" + message(r) + "'");
  const std::string text = message(r);
  report.expect(text.find(name) != std::string::npos,
                "the message does not name " + name + ": " + text);
  report.expect(before == out.numbers, "a refused call wrote to its outputs");
}

inline Result refusal(Code code, Argument argument, std::size_t expected, std::size_t actual) {
  return {code, argument, static_cast<std::int64_t>(expected), static_cast<std::int64_t>(actual)};
}

/// The inputs and outputs of a call that have a size of their own.
struct SizedInput {
  char reads;
  std::vector<double> Batch::*array;
  Argument argument;
  const char* name;
  bool required;
};
inline constexpr SizedInput sized_inputs[] = {
    {'q', &Batch::q, Argument::q, "q", true},
    {'v', &Batch::v, Argument::v, "v", false},
    {'a', &Batch::a, Argument::a, "a", false},
    {'t', &Batch::tau, Argument::tau, "tau", false},
    {'f', &Batch::wrenches, Argument::wrenches, "f_ext", true}};

struct SizedOutput {
  Argument argument;
  const char* name;
  bool required;
};
inline std::vector<SizedOutput> sized_outputs(Operation operation) {
  switch (operation) {
    case Operation::mass_matrix:
      return {{Argument::mass_matrix, "mass_matrix", false},
              {Argument::cholesky, "cholesky", false},
              {Argument::inverse, "inverse", false}};
    case Operation::sparse_mass_matrix:
      return {{Argument::sparse, "sparse", false},
              {Argument::sparse_cholesky, "sparse_cholesky", false}};
    case Operation::energies:
      return {{Argument::kinetic, "kinetic", false},
              {Argument::potential, "potential", false},
              {Argument::com, "com", false}};
    case Operation::link_kinematics:
      return {{Argument::poses, "poses", false}, {Argument::jacobian, "jacobian", false}};
    case Operation::forward_dynamics:
      return {{Argument::qdd, "qdd", true}};
    default:
      return {{Argument::tau, "tau", true}};
  }
}

}  // namespace detail

}  // namespace rbd_parallel_core::conformance
