// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <thread>
#include <vector>

#include "rbd_parallel_core/testing/checks/check_report.hpp"

/// The states of a batch are independent of each other, of their layout, of threads and of what was
/// called before.
namespace rbd_parallel_core::conformance {

/// A state's result is that of the state alone; in batches of two or more it has the same bits at
/// every position.
RBD_CONFORMANCE_FUNCTION Violations check_batches(const BackendUnderTest& under_test) {
  detail::Report report;
  for (const Robot& robot : small_robots()) {
    const auto model = detail::shared(robot);
    const Batch batch = random_batch(*model, 11, 107);
    std::vector<std::size_t> order;
    for (std::size_t s = 0; s < batch.size; ++s) order.push_back((4 * s + 3) % batch.size);
    const Batch shuffled = reordered(batch, order);
    const auto backend = detail::configured(under_test, model, batch.size);
    for (const Call& call : detail::calls_for(under_test, *model)) {
      report.at(robot.name, call.name);
      const Outputs together = run(call, *backend, batch), moved = run(call, *backend, shuffled);
      report.expect_ok(together);
      for (std::size_t s = 0; s < batch.size; ++s) {
        const Outputs alone = run(call, *backend, reordered(batch, {order[s]}));
        for (std::size_t k = 0; k < Outputs::most; ++k) {
          report.expect(
              same_bits(row(moved, k, s), row(together, k, order[s])),
              "state " + std::to_string(order[s]) + " changes with its place in the batch");
          report.expect_near(row(together, k, order[s]), row(alone, k, 0),
                             1e3 * under_test.tolerance,
                             "a state of a batch, compared with the state alone,");
        }
      }
    }
  }
  return report.take();
}

/// Results depend on the arguments, not on what was called before.
RBD_CONFORMANCE_FUNCTION Violations check_memory_of_calls(const BackendUnderTest& under_test) {
  detail::Report report;
  for (const Robot& robot : small_robots()) {
    const auto model = detail::shared(robot);
    const Batch batch = random_batch(*model, 3, 108), other = random_batch(*model, 4, 109);
    const auto backend = detail::configured(under_test, model, 4);
    const std::vector<Call> calls = detail::calls_for(under_test, *model);
    for (std::size_t c = 0; c < calls.size(); ++c) {
      report.at(robot.name, calls[c].name);
      const Outputs first = run(calls[c], *backend, batch);
      const Call& between = calls[(c + 1) % calls.size()];
      report.expect_ok(run(between, *backend, other));
      const Outputs second = run(calls[c], *backend, batch);
      for (std::size_t k = 0; k < Outputs::most; ++k) {
        report.expect(same_bits(first.numbers[k], second.numbers[k]),
                      std::string("the result changes after a call of ") + between.name);
      }
    }
  }
  return report.take();
}

/// Batches of none and of max_batch states are served, larger ones refused.
RBD_CONFORMANCE_FUNCTION Violations check_batch_sizes(const BackendUnderTest& under_test) {
  detail::Report report;
  const Robot robot = mixed_tree(Base::fixed);
  const auto model = detail::shared(robot);
  const std::size_t most = 5;
  const auto backend = detail::configured(under_test, model, most);
  for (const Call& call : detail::calls_for(under_test, *model)) {
    report.at(robot.name, call.name);
    Batch none;
    none.links = {0};
    report.expect_ok(run(call, *backend, none));
    report.expect_ok(run(call, *backend, random_batch(*model, most, 110)));
    const Outputs out = run(call, *backend, random_batch(*model, most + 1, 110));
    const Result& r = out.result;
    report.expect(r.code == Code::batch_too_large && r.argument == Argument::batch &&
                      r.expected == 5 && r.actual == 6,
                  "a batch above max_batch gives: " + message(r));
    report.expect(message(r).find("batch is 6") != std::string::npos &&
                      message(r).find("at most 5") != std::string::npos,
                  "the message does not name both sizes: " + message(r));
    report.expect(
        out.numbers == room_for(call, *model, random_batch(*model, most + 1, 110)).numbers,
        "a refused call wrote to its outputs");
  }
  return report.take();
}

/// Lane-ready arrays give the bits that rows give, in every call, whether the last group is full or
/// not. One state alone may be computed another way where it is a row.
RBD_CONFORMANCE_FUNCTION Violations check_layouts(const BackendUnderTest& under_test) {
  detail::Report report;
  for (const Robot& robot : small_robots()) {
    const auto model = detail::shared(robot);
    const auto probe = detail::configured(under_test, model, 1);
    const std::size_t width = probe->lane_width();
    const auto backend = detail::configured(under_test, model, 3 * width);
    for (const std::size_t size :
         {std::size_t{1}, std::size_t{2}, width + 1, 3 * width - 1, 3 * width}) {
      const Batch rows = random_batch(*model, size, 129), lanes = in_lanes(rows, width);
      for (const Call& call : detail::calls_for(under_test, *model)) {
        report.at(robot.name, call.name);
        const Outputs expected = run(call, *backend, rows), raw = run(call, *backend, lanes);
        report.expect_ok(raw);
        const Outputs actual = in_rows(raw, lanes, width);
        for (std::size_t k = 0; k < Outputs::most; ++k) {
          report.expect_near(actual.numbers[k], expected.numbers[k], 1e3 * under_test.tolerance,
                             "a batch in lanes, compared with rows,");
          report.expect(!under_test.lanes_as_rows || size == 1 ||
                            same_bits(actual.numbers[k], expected.numbers[k]),
                        "lanes and rows differ for " + std::to_string(size) + " states");
        }
      }
    }
  }
  return report.take();
}

/// Thread counts do not change a bit, in batches large enough to be shared out.
RBD_CONFORMANCE_FUNCTION Violations check_thread_counts(const BackendUnderTest& under_test) {
  detail::Report report;
  for (const Robot& robot : {mixed_tree(Base::floating), mimic_hand()}) {
    const auto model = detail::shared(robot);
    const Batch batch = random_batch(*model, under_test.shared_batch, 111);
    const auto one = detail::configured(under_test, model, batch.size, 1);
    const auto three = detail::configured(under_test, model, batch.size, 3);
    for (const Call& call : detail::calls_for(under_test, *model)) {
      report.at(robot.name, call.name);
      const Outputs a = run(call, *one, batch), b = run(call, *three, batch);
      report.expect_ok(b);
      for (std::size_t k = 0; k < Outputs::most; ++k) {
        report.expect(same_bits(a.numbers[k], b.numbers[k]), "1 and 3 threads differ");
      }
    }
  }
  return report.take();
}

/// Several backends on one Model, each in a thread of its own, give what one gives alone.
RBD_CONFORMANCE_FUNCTION Violations check_concurrent_backends(const BackendUnderTest& under_test) {
  detail::Report report;
  const Robot robot = mixed_tree(Base::floating);
  const auto model = detail::shared(robot);
  const Batch batch = random_batch(*model, 8, 112);
  const std::vector<Call> calls = detail::calls_for(under_test, *model);
  const auto run_all = [&] {
    const auto backend = detail::configured(under_test, model, batch.size);
    std::vector<Outputs> all;
    for (int repeat = 0; repeat < 5; ++repeat) {
      all.clear();
      for (const Call& call : calls) all.push_back(run(call, *backend, batch));
    }
    return all;
  };
  const std::vector<Outputs> expected = run_all();
  std::vector<std::vector<Outputs>> results(4);
  std::vector<std::thread> threads;
  for (std::vector<Outputs>& result : results) threads.emplace_back([&] { result = run_all(); });
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<Outputs>& result : results) {
    for (std::size_t c = 0; c < calls.size(); ++c) {
      report.at(robot.name, calls[c].name);
      for (std::size_t k = 0; k < Outputs::most; ++k) {
        report.expect(same_bits(result[c].numbers[k], expected[c].numbers[k]),
                      "a backend in another thread gives another result");
      }
    }
  }
  return report.take();
}

}  // namespace rbd_parallel_core::conformance
