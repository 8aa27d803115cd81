// SPDX-License-Identifier: Apache-2.0
//
// One Model and many backends, each in a thread of its own: 60 000 evaluations in which no bit
// differs from what one backend gives alone. Built a second time with ThreadSanitizer, for a tenth
// of them, which must find nothing, except in the backend that is racy on purpose.

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "plain_memory.hpp"
#include "rbd_parallel_core/delegating_backend.hpp"
#include "rbd_parallel_core/model/generators.hpp"
#include "rbd_parallel_core/testing/backend_calls.hpp"
#include "rehoused_backend.hpp"

namespace rbd_parallel_core::conformance {
namespace {

#ifdef __SANITIZE_THREAD__
// It sees whether accesses are ordered, not whether they happen to meet: a few rounds show all.
constexpr std::size_t enough_evaluations = 6000, shared_out_batch = 301;
#else
constexpr std::size_t enough_evaluations = 60000, shared_out_batch = 1501;
#endif
constexpr int thread_count = 4;

using Make = std::function<std::unique_ptr<Backend>()>;

std::vector<Call> calls_for(const Model& model) {
  std::vector<Call> calls;
  for (const Call& call : every_call()) {
    if (call.possible(model)) calls.push_back(call);
  }
  return calls;
}

/// Has `thread_count` threads make all calls again and again, and counts the results that differ
/// from those of one backend before.
std::size_t mismatches(const Make& make, const std::shared_ptr<const Model>& model,
                       const std::vector<Call>& calls, std::size_t batch_size,
                       const BackendOptions& options = {},
                       std::size_t evaluations = enough_evaluations) {
  const Batch batch = random_batch(*model, batch_size, 133);
  const auto alone = make();
  alone->configure(model, {.max_batch = batch_size});
  std::vector<Outputs> expected;
  for (const Call& call : calls) expected.push_back(run(call, *alone, batch));

  const std::size_t each_round = thread_count * calls.size() * batch_size;
  const std::size_t rounds = (evaluations + each_round - 1) / each_round;
  std::atomic<std::size_t> different{0};
  const auto work = [&] {
    const auto backend = make();
    BackendOptions own = options;
    own.max_batch = batch_size;
    backend->configure(model, own);
    for (std::size_t round = 0; round < rounds; ++round) {
      for (std::size_t c = 0; c < calls.size(); ++c) {
        const Outputs out = run(calls[c], *backend, batch);
        bool same = out.result.ok() && out.status == expected[c].status;
        for (std::size_t k = 0; k < Outputs::most; ++k) {
          same = same && same_bits(out.numbers[k], expected[c].numbers[k]);
        }
        different += same ? 0 : 1;
      }
    }
  };
  std::vector<std::thread> threads;
  for (int k = 0; k < thread_count; ++k) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  return different;
}

std::shared_ptr<const Model> tree() {
  return std::make_shared<const Model>(mixed_tree(Base::floating).model());
}

TEST(Threads, OneModelManyBackends) {
  const auto model = tree();
  for (const std::string name : {"cpu", "compiled", "reference", "tree"}) {
    EXPECT_EQ(mismatches([&] { return make_backend(name); }, model, calls_for(*model), 37), 0u)
        << name;
  }
}

TEST(Threads, OneModelManyBackendsOfFloat) {
  const auto model = tree();
  const Make make = [] { return std::make_unique<RehousedBackend<float, PlainMemory>>("cpu"); };
  EXPECT_EQ(mismatches(make, model, calls_for(*model), 37), 0u);
}

/// Where each call takes long, one of them: how a batch is shared out is the same for all.
std::vector<Call> shared_out_calls(const Model& model) {
  std::vector<Call> calls = calls_for(model);
#ifdef __SANITIZE_THREAD__
  calls.erase(calls.begin() + 1, calls.end());
#endif
  return calls;
}

TEST(Threads, BackendsThatShareOutTheirBatches) {
  const auto model = tree();
  for (const std::string name : {"cpu", "compiled"}) {
    for (const int spin_us : {0, default_spin_us}) {
      EXPECT_EQ(mismatches([&] { return make_backend(name); }, model, shared_out_calls(*model),
                           shared_out_batch, {.threads = 2, .spin_us = spin_us}),
                0u)
          << name << ", spin_us " << spin_us;
    }
  }
}

/// Short calls, some of which find workers awake and some do not.
TEST(Threads, BackendsThatShareOutShortBatches) {
  const auto model = tree();
  for (const std::size_t batch : {90, 300}) {
    EXPECT_EQ(mismatches([] { return make_backend("cpu"); }, model, shared_out_calls(*model), batch,
                         {.threads = 3, .spin_us = 50}),
              0u);
  }
}

/// One state of a large tree, whose phases several threads share.
TEST(Threads, TreesThatAreSharedOut) {
  const auto model =
      std::make_shared<const Model>(auto_tree({.bodies = 3000, .branching = 1.5, .skew = 0.3}));
  std::vector<Call> calls;
  for (const Call& call : every_call()) {
    if (call.operation == Operation::inverse_dynamics && call.possible(*model)) {
      calls.push_back(call);
    }
  }
  EXPECT_EQ(mismatches([] { return make_backend("tree"); }, model, calls, 5, {.threads = 2},
                       enough_evaluations / 50),
            0u);
}

/// Keeps a joint's position where all backends keep theirs, and computes when the others have
/// written to it too.
class RacyBackend : public DelegatingBackend {
 public:
  explicit RacyBackend(std::barrier<>* others)
      : DelegatingBackend(make_backend("reference")), others_(others) {}
  std::string name() const override { return "racy"; }

 protected:
  Result do_compute(const Call& call) noexcept override {
    const Forces* const args = call.arguments_if<Operation::gravity_forces>();
    if (args == nullptr) return DelegatingBackend::do_compute(call);
    std::vector<double> q(args->q.begin(), args->q.end());
    shared_ += q.back();
    if (others_ != nullptr) others_->arrive_and_wait();
    q.back() = shared_;
    Forces changed = *args;
    changed.q = q;
    return delegate().gravity_forces(changed);
  }

 private:
  inline static double shared_ = 0;
  std::barrier<>* others_;
};

/// The count above is not zero by itself; and ThreadSanitizer must cry out here.
TEST(RacyBackend, IsCaught) {
  const auto model = tree();
  std::barrier<> others(thread_count);
  // The first one is asked before there are threads.
  std::atomic<std::size_t> made{0};
  const Make make = [&] { return std::make_unique<RacyBackend>(made++ == 0 ? nullptr : &others); };
  std::vector<Call> calls;
  for (const Call& call : every_call()) {
    if (call.operation == Operation::gravity_forces) calls.push_back(call);
  }
  EXPECT_GT(mismatches(make, model, calls, 37), 0u);
}

}  // namespace
}  // namespace rbd_parallel_core::conformance
