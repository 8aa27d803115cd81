// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "rbd_parallel_core/testing/checks/check_refusals.hpp"
#include "rbd_parallel_core/testing/checks/number_checks.hpp"

/// Arguments: which may be left out, which are refused.
namespace rbd_parallel_core::conformance {

/// An input that may be left out stands for zeros, and gravity_forces does not read v.
RBD_CONFORMANCE_FUNCTION Violations check_empty_inputs(const BackendUnderTest& under_test) {
  detail::Report report;
  for (const Robot& robot : small_robots()) {
    const auto model = detail::shared(robot);
    const Batch batch = random_batch(*model, 3, 113);
    const auto backend = detail::configured(under_test, model, batch.size, 1, true);
    for (const Call& call : detail::calls_for(under_test, *model)) {
      report.at(robot.name, call.name);
      for (const detail::SizedInput& input : detail::sized_inputs) {
        if (input.required) continue;
        Batch zeros = batch, empty = batch;
        std::fill((zeros.*input.array).begin(), (zeros.*input.array).end(), 0.0);
        (empty.*input.array).clear();
        const Outputs expected = run(call, *backend, zeros), actual = run(call, *backend, empty);
        report.expect_ok(actual);
        for (std::size_t k = 0; k < Outputs::most; ++k) {
          report.expect_near(actual.numbers[k], expected.numbers[k], 1e3 * under_test.tolerance,
                             std::string("the result with an empty ") + input.name);
        }
      }
    }
  }
  return report.take();
}

/// Each output asked for alone, and without status, is what it is among the others.
RBD_CONFORMANCE_FUNCTION Violations check_single_outputs(const BackendUnderTest& under_test) {
  detail::Report report;
  for (const Robot& robot : {mixed_tree(Base::floating), mimic_hand()}) {
    const auto model = detail::shared(robot);
    const Batch batch = random_batch(*model, 3, 114);
    const auto backend = detail::configured(under_test, model, batch.size);
    for (const Call& call : detail::calls_for(under_test, *model)) {
      report.at(robot.name, call.name);
      const bool may_leave_out = !call.requires_output(outputs_of(call).front());
      const Outputs all = run(call, *backend, batch);
      for (std::size_t k = 0; k < Outputs::most; ++k) {
        Outputs one = room_for(call, *model, batch);
        for (std::size_t other = 0; may_leave_out && other < Outputs::most; ++other) {
          if (other != k) one.numbers[other].clear();
        }
        one.status.clear();
        const Result result = call.run(*backend, batch, one);
        report.expect(result.ok(), "one output alone is refused: " + message(result));
        report.expect_near(one.numbers[k], all.numbers[k], 1e3 * under_test.tolerance,
                           "output " + std::to_string(k) + " alone");
      }
    }
  }
  return report.take();
}

/// An array of a wrong size is refused; the result names the argument, the expected and the actual
/// size.
RBD_CONFORMANCE_FUNCTION Violations check_wrong_sizes(const BackendUnderTest& under_test) {
  detail::Report report;
  const Robot robot = mixed_tree(Base::floating);
  const auto model = detail::shared(robot);
  const Batch batch = random_batch(*model, 3, 115);
  const auto backend = detail::configured(under_test, model, batch.size);
  const auto resized = [](const std::vector<double>& array, std::ptrdiff_t by) {
    std::vector<double> result = array;
    result.resize(index(static_cast<std::ptrdiff_t>(array.size()) + by), 0.0);
    return result;
  };
  for (const Call& call : detail::calls_for(under_test, *model)) {
    report.at(robot.name, call.name);
    const Outputs room = room_for(call, *model, batch);
    for (const detail::SizedInput& input : detail::sized_inputs) {
      if (!call.reads(input.argument)) continue;
      const std::size_t n = (batch.*input.array).size();
      for (const std::ptrdiff_t by : {-1, 1}) {
        Batch bad = batch;
        bad.*input.array = resized(bad.*input.array, by);
        detail::expect_refusal(
            report, call, *backend, bad, room,
            detail::refusal(Code::wrong_size, input.argument, n, (bad.*input.array).size()),
            input.name);
      }
      if (!input.required) continue;
      Batch bad = batch;
      (bad.*input.array).clear();
      detail::expect_refusal(report, call, *backend, bad, room,
                             detail::refusal(Code::missing, input.argument, n, 0), input.name);
    }
    const std::vector<Argument> outputs = outputs_of(call);
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const std::size_t n = room.numbers[k].size();
      for (const std::ptrdiff_t by : {-1, 1}) {
        Outputs bad = room;
        bad.numbers[k] = resized(bad.numbers[k], by);
        const std::size_t actual = bad.numbers[k].size();
        detail::expect_refusal(report, call, *backend, batch, std::move(bad),
                               detail::refusal(Code::wrong_size, outputs[k], n, actual),
                               std::string(name_of(outputs[k])));
      }
      if (!call.requires_output(outputs[k])) continue;
      Outputs bad = room;
      bad.numbers[k].clear();
      detail::expect_refusal(report, call, *backend, batch, std::move(bad),
                             detail::refusal(Code::missing, outputs[k], n, 0),
                             std::string(name_of(outputs[k])));
    }
    for (const std::size_t size : {2, 4}) {
      Outputs bad = room;
      bad.status.resize(size);
      detail::expect_refusal(report, call, *backend, batch, std::move(bad),
                             detail::refusal(Code::wrong_size, Argument::status, 3, size),
                             "status");
    }
  }
  return report.take();
}

/// A link index out of range is refused, with the range in the text.
RBD_CONFORMANCE_FUNCTION Violations check_unknown_links(const BackendUnderTest& under_test) {
  detail::Report report;
  const Robot robot = mixed_tree(Base::fixed);
  const auto model = detail::shared(robot);
  const int count = static_cast<int>(model->links().size());
  const auto backend = detail::configured(under_test, model, 2);
  for (const Call& call : detail::calls_for(under_test, *model)) {
    if (!call.names_links()) continue;
    report.at(robot.name, call.name);
    for (const int bad :
         {-1, count, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
      Batch batch = random_batch(*model, 2, 116);
      batch.links[1] = bad;
      detail::expect_refusal(report, call, *backend, batch, room_for(call, *model, batch),
                             {Code::out_of_range, Argument::links, count, bad},
                             "0 to " + std::to_string(count - 1));
    }
  }
  return report.take();
}

/// Method aba is refused where joints mimic others, the other methods are not.
RBD_CONFORMANCE_FUNCTION Violations check_aba_with_mimic(const BackendUnderTest& under_test) {
  detail::Report report;
  if (under_test.not_offered.contains(Operation::forward_dynamics)) return {};
  const Robot robot = mimic_hand();
  const auto model = detail::shared(robot);
  const Batch batch = random_batch(*model, 2, 117);
  const auto backend = detail::configured(under_test, model, 2);
  const Call& aba = detail::call_named("forward_dynamics by aba with wrenches in link axes");
  report.at(robot.name, aba.name);
  Outputs out = room_for(aba, *model, batch);
  const Result expected = aba.run(*backend, batch, out);
  report.expect(expected.code == Code::unsupported && expected.argument == Argument::method,
                "expected a refusal of the method, got '" + message(expected) + "'");
  // Its numbers are the methods that are taken in its place, which the message has.
  report.expect(message(expected).find("use automatic, crba") != std::string::npos,
                "the message does not say what is taken instead: " + message(expected));
  detail::expect_refusal(report, aba, *backend, batch, room_for(aba, *model, batch), expected,
                         "mimic");
  report.expect_ok(run(detail::call_named("forward_dynamics by automatic"), *backend, batch));
  return report.take();
}

/// A robot that cannot move has empty vectors and matrices, energies and poses.
RBD_CONFORMANCE_FUNCTION Violations check_no_coordinates(const BackendUnderTest& under_test) {
  detail::Report report;
  const Robot robot = rock();
  const auto model = detail::shared(robot);
  const auto backend = detail::configured(under_test, model, 2);
  const Batch batch = random_batch(*model, 2, 118);
  for (const Call& call : detail::calls_for(under_test, *model)) {
    report.at(robot.name, call.name);
    report.expect_ok(run(call, *backend, batch));
  }
  detail::check_energies(report, under_test, robot);
  detail::check_links(report, under_test, robot, "link_kinematics in world axes", false);
  return report.take();
}

/// What a backend declares not to offer it answers with `unsupported`, without touching the
/// outputs.
RBD_CONFORMANCE_FUNCTION Violations check_not_offered(const BackendUnderTest& under_test) {
  detail::Report report;
  const Robot robot = mixed_tree(Base::fixed);
  const auto model = detail::shared(robot);
  const Batch batch = random_batch(*model, 2, 119);
  const auto backend = detail::configured(under_test, model, 2);
  for (const Call& call : every_call()) {
    report.at(robot.name, call.name);
    if (under_test.not_offered.contains(call.operation)) {
      detail::expect_refusal(report, call, *backend, batch, room_for(call, *model, batch),
                             not_offered(detail::called(call)),
                             "does not offer " + name_of(detail::called(call)));
      continue;
    }
    for (const Argument output : outputs_of(call)) {
      if (!under_test.outputs_not_offered.contains(output)) continue;
      detail::expect_refusal(report, call, *backend, batch, room_for(call, *model, batch),
                             {Code::unsupported, output, 0, 0},
                             "does not offer " + std::string(name_of(output)));
    }
  }
  return report.take();
}

}  // namespace rbd_parallel_core::conformance
