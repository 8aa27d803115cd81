// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "float_mode.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/model/generators.hpp"
#include "rbd_parallel_core/study/forward_methods.hpp"
#include "rbd_parallel_core/testing/robots.hpp"
#include "rbd_parallel_core/vtree/threaded_loop.hpp"
#include "team.hpp"

namespace rbd_parallel_core {
namespace {

/// Whether this thread can be told to flush denormal numbers to zero.
bool there_is_a_choice() {
  const FloatMode mode = FloatMode::of_this_thread();
  return !(mode == mode.flushing());
}

#define RBD_SKIP_WITHOUT_CHOICE() \
  if (!there_is_a_choice()) GTEST_SKIP() << "this processor has one mode, or it flushes already"

/// 1e-310 as the processor reads and writes it.
double denormal_number() {
  volatile double tiny = 1e-310, one = 1;
  return tiny * one;
}

/// Modes in which a caller may be. Each is what the thread is in while visit() runs.
template <class Visit>
void in_every_mode(const Visit& visit) {
  for (const int rounding : {FE_TONEAREST, FE_UPWARD}) {
    ASSERT_EQ(std::fesetround(rounding), 0);
    visit();
    {
      const FloatModeScope scope(FloatMode::of_this_thread().flushing());
      visit();
    }
    ASSERT_EQ(std::fesetround(FE_TONEAREST), 0);
  }
}

TEST(FloatMode, LastsAsLongAsItsScope) {
  RBD_SKIP_WITHOUT_CHOICE();
  const FloatMode before = FloatMode::of_this_thread();
  EXPECT_GT(denormal_number(), 0);
  {
    const FloatModeScope scope(before.flushing());
    EXPECT_EQ(FloatMode::of_this_thread(), before.flushing());
    EXPECT_EQ(denormal_number(), 0);
    {
      const FloatModeScope inner(before);
      EXPECT_GT(denormal_number(), 0);
    }
    EXPECT_EQ(denormal_number(), 0);
  }
  EXPECT_EQ(FloatMode::of_this_thread(), before);
  EXPECT_GT(denormal_number(), 0);
}

TEST(FloatMode, KeepsWhichExceptionsHaveCome) {
  std::feclearexcept(FE_ALL_EXCEPT);
  {
    const FloatModeScope scope(FloatMode::of_this_thread().flushing());
    volatile double zero = 0, one = 1;
    zero = one / zero;
  }
  EXPECT_NE(std::fetestexcept(FE_DIVBYZERO), 0);
  std::feclearexcept(FE_ALL_EXCEPT);
}

TEST(FloatMode, AllOfATeamComputeAsTheCallerButFlush) {
  for (const int threads : {1, 2, 3}) {
    Team team(threads, std::chrono::microseconds(50));
    in_every_mode([&] {
      const FloatMode mine = FloatMode::of_this_thread();
      std::atomic<int> otherwise = 0;
      for (int call = 0; call < 50; ++call) {
        team.call([&] {
          team.phase(64, [&](std::int32_t, int) {
            if (!(FloatMode::of_this_thread() == mine.flushing())) ++otherwise;
          });
        });
        ASSERT_EQ(FloatMode::of_this_thread(), mine);
      }
      EXPECT_EQ(otherwise, 0) << threads << " threads";
    });
  }
}

TEST(FloatMode, AllRoundsOfALoopComputeAsTheCaller) {
  for (const int threads : {1, 2, 3}) {
    const ThreadedLoop loop(threads);
    in_every_mode([&] {
      const FloatMode mine = FloatMode::of_this_thread();
      std::atomic<int> otherwise = 0;
      for (int call = 0; call < 50; ++call) {
        loop(64, [&](std::int32_t) {
          if (!(FloatMode::of_this_thread() == mine)) ++otherwise;
        });
        ASSERT_EQ(FloatMode::of_this_thread(), mine);
      }
      EXPECT_EQ(otherwise, 0) << threads << " threads";
    });
  }
}

/// A chain without gravity that torques of 1e-307 push: most of what is computed is denormal.
struct FaintPush {
  FaintPush() {
    ModelOptions options;
    options.gravity = {0, 0, 0};
    model = std::make_shared<const Model>(serial_chain(300, 0.3, 1, options));
    conformance::Random random(3);
    q = random.numbers(300, 3);
    rate = random.numbers(300, 1e-307);
  }
  std::vector<double> forward(Backend& backend, ForwardMethod method = ForwardMethod::aba) const {
    std::vector<double> qdd(300);
    const Result result =
        backend.forward_dynamics({.q = q, .v = {}, .tau = rate, .method = method, .qdd = qdd});
    EXPECT_TRUE(result.ok()) << message(result);
    return qdd;
  }
  std::vector<double> inverse(Backend& backend) const {
    std::vector<double> tau(300);
    const Result result = backend.inverse_dynamics({.q = q, .v = {}, .a = rate, .tau = tau});
    EXPECT_TRUE(result.ok()) << message(result);
    return tau;
  }

  std::shared_ptr<const Model> model;
  std::vector<double> q, rate;
};

/// Whether compute() has the same results whether or not the calling thread flushes, which it does
/// afterwards as it did before.
template <class Compute>
bool ignores_the_mode(const Compute& compute) {
  const FloatMode before = FloatMode::of_this_thread();
  const std::vector<double> plain = compute();
  EXPECT_EQ(FloatMode::of_this_thread(), before);
  const FloatModeScope scope(before.flushing());
  const std::vector<double> flushed = compute();
  EXPECT_EQ(FloatMode::of_this_thread(), before.flushing());
  return plain == flushed;
}

TEST(FloatMode, ResultsOfTreeDoNotDependOnTheCallers) {
  RBD_SKIP_WITHOUT_CHOICE();
  const FaintPush push;
  const auto reference = make_backend("reference");
  reference->configure(push.model);
  EXPECT_FALSE(ignores_the_mode([&] { return push.forward(*reference); }))
      << "the numbers cannot tell the modes apart";
  EXPECT_FALSE(ignores_the_mode([&] { return push.inverse(*reference); }));
  std::vector<double> alone;
  for (const int threads : {1, 2, 3}) {
    for (const TreeOptions options : {TreeOptions{}, TreeOptions{.block = 150, .lanes = false},
                                      TreeOptions{.family = TreeFamily::scans}}) {
      const auto tree = make_backend("tree");
      tree->configure(push.model, {.threads = threads, .tree = options});
      EXPECT_TRUE(ignores_the_mode([&] { return push.inverse(*tree); })) << threads;
      if (options.family == TreeFamily::scans) continue;  // forward dynamics is that of `reference`
      EXPECT_TRUE(ignores_the_mode([&] { return push.forward(*tree); })) << threads;
      if (options.block != 0) continue;
      const std::vector<double> qdd = push.forward(*tree);
      if (threads == 1) alone = qdd;
      EXPECT_EQ(qdd, alone);
    }
  }
}

TEST(FloatMode, ResultsOfPublishedMethodsDoNotDependOnTheCallers) {
  RBD_SKIP_WITHOUT_CHOICE();
  const FaintPush push;
  const auto backend = make_backend("reference");
  backend->configure(push.model);
  for (const ForwardMethod method :
       {ForwardMethod::hybrid_abia, ForwardMethod::dca, ForwardMethod::dcae}) {
    backend->prepare(method);
    EXPECT_TRUE(ignores_the_mode([&] { return push.forward(*backend, method); }))
        << name_of(method);
  }
}

}  // namespace
}  // namespace rbd_parallel_core
