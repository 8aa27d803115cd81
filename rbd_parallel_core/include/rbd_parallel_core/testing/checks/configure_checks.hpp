// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rbd_parallel_core/testing/allocation_count.hpp"
#include "rbd_parallel_core/testing/checks/check_refusals.hpp"

/// Before, during and after configure, which takes all memory.
namespace rbd_parallel_core::conformance {

/// Before configure every call is refused.
RBD_CONFORMANCE_FUNCTION Violations check_not_configured(const BackendUnderTest& under_test) {
  detail::Report report;
  const auto model = detail::shared(mixed_tree(Base::fixed));
  const auto backend = under_test.make();
  report.at("no robot");
  report.expect(!backend->configured(), "a new backend says that it is configured");
  report.expect(!backend->name().empty(), "the backend has no name");
  const Batch batch = random_batch(*model, 2, 124);
  for (const Call& call : every_call()) {
    report.at("no robot", call.name);
    detail::expect_refusal(report, call, *backend, batch, room_for(call, *model, batch),
                           {Code::not_configured, Argument::none, 0, 0}, "not configured");
  }
  return report.take();
}

/// Impossible options are refused with std::invalid_argument, and leave the backend unconfigured
/// but usable.
RBD_CONFORMANCE_FUNCTION Violations check_configure_faults(const BackendUnderTest& under_test) {
  detail::Report report;
  const Robot robot = mixed_tree(Base::fixed);
  const auto model = detail::shared(robot);
  const std::vector<std::pair<std::shared_ptr<const Model>, BackendOptions>> faults = {
      {nullptr, {}},
      {model, {.max_batch = 0}},
      {model, {.max_batch = std::size_t{1} << 41}},
      {model, {.max_batch = 1, .threads = 0}},
      {model, {.max_batch = 1, .threads = -3}},
      {model, {.max_batch = 1, .threads = 2, .spin_us = -1}},
      {model, {.max_batch = 1, .threads = 2, .spin_us = largest_spin_us + 1}}};
  const auto backend = under_test.make();
  const Batch batch = random_batch(*model, 1, 125);
  report.at(robot.name, "configure");
  for (const auto& [given, options] : faults) {
    backend->configure(model);
    bool thrown = false;
    try {
      backend->configure(given, options);
    } catch (const std::invalid_argument& error) {
      thrown = std::string(error.what()).size() > 10;
    }
    report.expect(thrown, "impossible options are taken, or refused without a reason");
    report.expect(!backend->configured(), "configured() after a configure that failed");
    for (const Call& call : every_call()) {
      Outputs out = room_for(call, *model, batch);
      const Result result = call.run(*backend, batch, out);
      report.expect(result.code == Code::not_configured,
                    "a call is served after a configure that failed");
    }
  }
  backend->configure(model);
  for (const Call& call : detail::calls_for(under_test, *model))
    report.expect_ok(run(call, *backend, batch));
  return report.take();
}

/// A backend that served another model before gives the same bits as a new one.
RBD_CONFORMANCE_FUNCTION Violations check_reconfigure(const BackendUnderTest& under_test) {
  detail::Report report;
  const auto used = under_test.make();
  std::vector<Robot> robots = {mixed_tree(Base::floating),
                               single_joint(JointKind::prismatic),
                               mimic_hand(),
                               mixed_chain(),
                               rock(),
                               mixed_tree(Base::fixed)};
  for (const Robot& robot : robots) {
    const auto model = detail::shared(robot);
    const Batch batch = random_batch(*model, 4, 126);
    used->configure(model, {.max_batch = 4});
    report.expect(&used->model() == model.get(), "model() is not the configured one");
    const auto fresh = detail::configured(under_test, model, 4);
    for (const Call& call : detail::calls_for(under_test, *model)) {
      report.at(robot.name, call.name);
      const Outputs a = run(call, *used, batch), b = run(call, *fresh, batch);
      report.expect_ok(a);
      for (std::size_t k = 0; k < Outputs::most; ++k) {
        report.expect(same_bits(a.numbers[k], b.numbers[k]), "differs from a new backend");
      }
    }
  }
  return report.take();
}

/// The backend keeps its Model alive.
RBD_CONFORMANCE_FUNCTION Violations check_model_lifetime(const BackendUnderTest& under_test) {
  detail::Report report;
  const Robot robot = mixed_tree(Base::floating);
  auto model = detail::shared(robot);
  const Batch batch = random_batch(*model, 2, 127);
  const auto backend = detail::configured(under_test, model, 2);
  std::vector<Outputs> before;
  for (const Call& call : detail::calls_for(under_test, *model))
    before.push_back(run(call, *backend, batch));
  model.reset();
  std::size_t c = 0;
  for (const Call& call : detail::calls_for(under_test, backend->model())) {
    report.at(robot.name, call.name);
    const Outputs after = run(call, *backend, batch);
    report.expect(same_bits(after.numbers[0], before[c++].numbers[0]),
                  "changes when the caller drops the model");
  }
  return report.take();
}

/// After configure no call allocates or frees: the first one neither, nor one with bad states, nor
/// a refused one. Needs an interposer, see allocation_count.hpp.
RBD_CONFORMANCE_FUNCTION Violations check_allocations(const BackendUnderTest& under_test) {
  detail::Report report;
  if (!can_count_allocations()) return {"no interposer of malloc is linked into this executable"};
  for (const Robot& robot : small_robots()) {
    const auto model = detail::shared(robot);
    const Batch clean = random_batch(*model, 5, 128);
    Batch spoilt = clean, short_q = clean;
    spoilt.q[1] = std::numeric_limits<double>::quiet_NaN();
    short_q.q.pop_back();
    for (const bool friction : {false, true}) {
      const auto backend = detail::configured(under_test, model, clean.size, 1, friction);
      for (const Call& call : detail::calls_for(under_test, *model)) {
        report.at(robot.name, call.name);
        Outputs out = room_for(call, *model, clean);
        for (const Batch* batch : {&clean, &std::as_const(spoilt), &std::as_const(short_q)}) {
          const std::uint64_t before = rbd_allocation_count();
          const Result result = call.run(*backend, *batch, out);
          const std::uint64_t after = rbd_allocation_count();
          report.expect(result.ok() == (batch != &short_q),
                        "unexpected result: " + message(result));
          report.expect(after == before,
                        std::to_string(after - before) + " allocations or releases");
        }
      }
    }
  }
  return report.take();
}

}  // namespace rbd_parallel_core::conformance
