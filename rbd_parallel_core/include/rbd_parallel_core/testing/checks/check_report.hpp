// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdio>
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/testing/backend_calls.hpp"
#include "rbd_parallel_core/testing/robots.hpp"

/// What all checks share: the backend under test, what is wrong with it, and how it is called.
namespace rbd_parallel_core::conformance {

struct BackendUnderTest {
  std::string name;
  std::function<std::unique_ptr<Backend>()> make;  ///< a new, unconfigured backend
  std::set<Operation> not_offered = {};  ///< operations that it answers with Code::unsupported
  std::set<Argument> outputs_not_offered = {};  ///< outputs that it answers so, where asked for
  double tolerance =
      1e-12;  ///< largest error relative to the largest entry; 2e-5 suits single precision
  bool lanes_as_rows = true;  ///< batches in lanes have the bits of rows, not just their numbers
  std::size_t shared_batch = 1501;  ///< states enough to be shared out among its threads
};

/// What a check found wrong, a line each; none: passed.
using Violations = std::vector<std::string>;

namespace detail {

inline std::string text(double x) {
  std::array<char, 32> buffer;
  std::snprintf(buffer.data(), buffer.size(), "%.3g", x);
  return buffer.data();
}

/// Collects violations, each with the robot and the call it happened at.
class Report {
 public:
  void at(const std::string& robot, const std::string& call = "") {
    where_ = robot + (call.empty() ? "" : ", " + call) + ": ";
  }
  void expect(bool right, const std::string& what) {
    if (!right) violations_.push_back(where_ + what);
  }
  void expect_near(const std::vector<double>& actual, const std::vector<double>& expected,
                   double tolerance, const std::string& what) {
    const double error = relative_error(actual, expected);
    if (!(error <= tolerance)) {
      violations_.push_back(where_ + what + " has a relative error of " + text(error) +
                            ", allowed is " + text(tolerance));
    }
  }
  void expect_ok(const Outputs& out) {
    expect(out.result.ok(), "refused: " + message(out.result));
    for (std::size_t s = 0; s < out.status.size(); ++s) {
      expect(out.status[s].ok(), "status of state " + std::to_string(s) + " is not ok");
    }
  }
  Violations take() { return std::move(violations_); }

 private:
  std::string where_;
  Violations violations_;
};

inline std::unique_ptr<Backend> configured(const BackendUnderTest& under_test,
                                           const std::shared_ptr<const Model>& model,
                                           std::size_t max_batch, int threads = 1,
                                           bool friction = false) {
  std::unique_ptr<Backend> backend = under_test.make();
  backend->configure(model, {.max_batch = max_batch, .threads = threads, .friction = friction});
  return backend;
}

inline std::shared_ptr<const Model> shared(const Robot& robot) {
  return std::make_shared<const Model>(robot.model());
}

/// The call, without the outputs that this backend does not offer.
inline Call offered_part(const BackendUnderTest& under_test, Call call) {
  if (under_test.outputs_not_offered.empty()) return call;
  call.outputs = outputs_of(call);
  std::erase_if(call.outputs,
                [&](Argument output) { return under_test.outputs_not_offered.contains(output); });
  return call;
}

/// The calls that this backend offers for this model.
inline std::vector<Call> calls_for(const BackendUnderTest& under_test, const Model& model) {
  std::vector<Call> calls;
  for (const Call& call : every_call()) {
    if (!under_test.not_offered.contains(call.operation) && call.possible(model))
      calls.push_back(offered_part(under_test, call));
  }
  return calls;
}

inline const Call& call_named(const std::string& name) {
  for (const Call& call : every_call()) {
    if (name == call.name) return call;
  }
  throw std::invalid_argument("no call is named " + name);
}

}  // namespace detail

}  // namespace rbd_parallel_core::conformance
