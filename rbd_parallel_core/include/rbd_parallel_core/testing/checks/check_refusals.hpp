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

/// The inputs of a call that have a size of their own.
struct SizedInput {
  std::vector<double> Batch::*array;
  Argument argument;
  const char* name;
  bool required;
};
inline constexpr SizedInput sized_inputs[] = {
    {&Batch::q, Argument::q, "q", true},
    {&Batch::v, Argument::v, "v", false},
    {&Batch::a, Argument::a, "a", false},
    {&Batch::tau, Argument::tau, "tau", false},
    {&Batch::wrenches, Argument::wrenches, "f_ext", true},
    {&Batch::dq, Argument::dq, "dq", false},
    {&Batch::dv, Argument::dv, "dv", false},
    {&Batch::da, Argument::da, "da", false},
    {&Batch::dtau, Argument::dtau, "dtau", false},
    {&Batch::weights, Argument::weights, "weights", true}};

}  // namespace detail

}  // namespace rbd_parallel_core::conformance
