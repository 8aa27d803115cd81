// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "stream/stamp_guard.hpp"

namespace rbd_parallel_ros {
namespace {

constexpr std::int64_t ms = 1'000'000, start = 1'000'000 * ms, timeout = 100 * ms;

/// Both clocks agree.
Now at(std::int64_t time) { return {time, time}; }

TEST(StampGuard, StampsInOrderPass) {
  StampGuard guard(timeout);
  for (std::int64_t t = start; t < start + 1000 * ms; t += ms) {
    ASSERT_EQ(guard.check(t, at(t + 2 * ms)), Refusal::none);
  }
}

TEST(StampGuard, ZeroAndNegativeStampsAreNone) {
  StampGuard guard(timeout);
  EXPECT_EQ(guard.check(0, at(10 * ms)), Refusal::stamp_missing);
  EXPECT_EQ(guard.check(-5, at(10 * ms)), Refusal::stamp_missing);
}

TEST(StampGuard, TheClockBoundsStampsOnBothSides) {
  StampGuard guard(timeout);
  EXPECT_EQ(guard.check(start, at(start + timeout + 1)), Refusal::stamp_old);
  EXPECT_EQ(guard.check(start + timeout + 1, at(start)), Refusal::stamp_ahead);
  EXPECT_EQ(guard.check(start, at(start + timeout)), Refusal::none);
}

TEST(StampGuard, ExtremeStampsAreOnlyRefused) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  StampGuard guard(timeout);
  EXPECT_EQ(guard.check(most, at(start)), Refusal::stamp_ahead);
  EXPECT_EQ(guard.check(least, at(start)), Refusal::stamp_missing);
  EXPECT_EQ(guard.check(1, at(most)), Refusal::stamp_old);
  EXPECT_EQ(guard.check(most, at(least)), Refusal::stamp_ahead);
}

TEST(StampGuard, RepeatedAndEarlierStampsAreBackwards) {
  StampGuard guard(timeout);
  EXPECT_EQ(guard.check(start, at(start)), Refusal::none);
  EXPECT_EQ(guard.check(start, at(start)), Refusal::stamp_backwards);
  EXPECT_EQ(guard.check(start - ms, at(start)), Refusal::stamp_backwards);
  EXPECT_EQ(guard.check(start + ms, at(start + ms)), Refusal::none);
}

TEST(StampGuard, AJumpCostsOneInput) {
  for (const std::int64_t jump : {-500 * ms, 500 * ms}) {
    StampGuard guard(timeout);
    EXPECT_EQ(guard.check(start, at(start)), Refusal::none);
    const std::int64_t after = start + jump;
    EXPECT_EQ(guard.check(after, {after, start + ms}), Refusal::clock_jumped);
    EXPECT_EQ(guard.check(after + ms, {after + ms, start + 2 * ms}), Refusal::none);
  }
}

TEST(StampGuard, APauseIsNoJump) {
  StampGuard guard(timeout);
  EXPECT_EQ(guard.check(start, at(start)), Refusal::none);
  EXPECT_EQ(guard.check(start + 3000 * ms, at(start + 3000 * ms)), Refusal::none);
  const RosNanoseconds ahead = start + 3000 * ms + 5 * timeout;
  EXPECT_EQ(guard.check(ahead, {ahead, start + 3000 * ms + 2 * timeout}), Refusal::clock_jumped)
      << "by more than the pause was long";
}

TEST(StampGuard, AfterAPauseAnEarlierStampIsAJump) {
  StampGuard guard(timeout);
  EXPECT_EQ(guard.check(start, at(start)), Refusal::none);
  const SteadyNanoseconds later = start + 3000 * ms;
  EXPECT_EQ(guard.check(start - 500 * ms, {start - 500 * ms, later}), Refusal::clock_jumped);
  EXPECT_EQ(guard.check(start - 499 * ms, {start - 499 * ms, later + ms}), Refusal::none);
}

/// Law: a publisher that stamps into the future, within the time-out, does not make the clock jump.
/// Its next stamps have to catch up with what has passed.
TEST(StampGuard, StampsThatPassGoBackOnlyIfTheClockDid) {
  StampGuard guard(timeout);
  const std::int64_t off = 70 * ms;
  RosNanoseconds last = 0;
  int passed = 0;
  for (std::int64_t i = 0; i < 1000; ++i) {
    const std::int64_t time = start + i * ms, stamp = time + (i % 2 == 0 ? off : -off);
    if (guard.check(stamp, at(time)) != Refusal::none) continue;
    ASSERT_GT(stamp, last) << "at " << i;
    last = stamp;
    ++passed;
  }
  EXPECT_EQ(passed, 500) << "those ahead of the clock are in order";
}

TEST(StampGuard, AfterOneStampInTheFutureTheOthersCatchUp) {
  StampGuard guard(timeout);
  EXPECT_EQ(guard.check(start + 70 * ms, at(start)), Refusal::none);
  for (std::int64_t t = start + ms; t <= start + 140 * ms; t += ms) {
    ASSERT_EQ(guard.check(t - 70 * ms, at(t)), Refusal::stamp_backwards) << t - start;
  }
  EXPECT_EQ(guard.check(start + 71 * ms, at(start + 141 * ms)), Refusal::none);
}

TEST(StampGuard, AClockThatSlewsBackByLessThanTheTimeoutDoesNotExcuseEarlierStamps) {
  StampGuard guard(timeout);
  EXPECT_EQ(guard.check(start + 70 * ms, at(start)), Refusal::none);
  EXPECT_EQ(guard.check(start - 71 * ms, {start - ms, start + ms}), Refusal::stamp_backwards);
}

TEST(StampGuard, AWrongStampDoesNotShiftTheOrder) {
  StampGuard guard(timeout);
  EXPECT_EQ(guard.check(start, at(start)), Refusal::none);
  EXPECT_EQ(guard.check(start + 5000 * ms, at(start + ms)), Refusal::stamp_ahead);
  EXPECT_EQ(guard.check(start + ms, at(start + ms)), Refusal::none);
}

TEST(StampGuard, AfterAResetOnlyTheClockCounts) {
  StampGuard guard(timeout);
  EXPECT_EQ(guard.check(start, at(start)), Refusal::none);
  guard.reset();
  EXPECT_EQ(guard.check(start - 500 * ms, at(start - 500 * ms)), Refusal::none);
}

}  // namespace
}  // namespace rbd_parallel_ros
