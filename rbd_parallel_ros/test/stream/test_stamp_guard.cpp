// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "stream/stamp_guard.hpp"

namespace rbd_parallel_ros {
namespace {

constexpr std::int64_t ms = 1'000'000, start = 1'000'000 * ms, timeout = 100 * ms;

TEST(StampGuard, StampsInOrderPass) {
  StampGuard guard(timeout);
  for (std::int64_t t = start; t < start + 1000 * ms; t += ms) {
    ASSERT_EQ(guard.check(t, t + 2 * ms), Refusal::none);
  }
}

TEST(StampGuard, ZeroAndNegativeStampsAreNone) {
  StampGuard guard(timeout);
  EXPECT_EQ(guard.check(0, 10 * ms), Refusal::stamp_missing);
  EXPECT_EQ(guard.check(-5, 10 * ms), Refusal::stamp_missing);
}

TEST(StampGuard, TheClockBoundsStampsOnBothSides) {
  StampGuard guard(timeout);
  EXPECT_EQ(guard.check(start, start + timeout + 1), Refusal::stamp_old);
  EXPECT_EQ(guard.check(start + timeout + 1, start), Refusal::stamp_ahead);
  EXPECT_EQ(guard.check(start, start + timeout), Refusal::none);
}

TEST(StampGuard, ExtremeStampsAreOnlyRefused) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  StampGuard guard(timeout);
  EXPECT_EQ(guard.check(most, start), Refusal::stamp_ahead);
  EXPECT_EQ(guard.check(least, start), Refusal::stamp_missing);
  EXPECT_EQ(guard.check(1, most), Refusal::stamp_old);
  EXPECT_EQ(guard.check(most, least), Refusal::stamp_ahead);
}

TEST(StampGuard, RepeatedAndEarlierStampsAreBackwards) {
  StampGuard guard(timeout);
  EXPECT_EQ(guard.check(start, start), Refusal::none);
  EXPECT_EQ(guard.check(start, start), Refusal::stamp_backwards);
  EXPECT_EQ(guard.check(start - ms, start), Refusal::stamp_backwards);
  EXPECT_EQ(guard.check(start + ms, start + ms), Refusal::none);
}

TEST(StampGuard, AJumpCostsOneInput) {
  for (const std::int64_t jump : {-500 * ms, 500 * ms}) {
    StampGuard guard(timeout);
    EXPECT_EQ(guard.check(start, start), Refusal::none);
    const std::int64_t after = start + jump;
    EXPECT_EQ(guard.check(after, after), Refusal::clock_jumped);
    EXPECT_EQ(guard.check(after + ms, after + ms), Refusal::none);
  }
}

TEST(StampGuard, AWrongStampDoesNotShiftTheOrder) {
  StampGuard guard(timeout);
  EXPECT_EQ(guard.check(start, start), Refusal::none);
  EXPECT_EQ(guard.check(start + 5000 * ms, start + ms), Refusal::stamp_ahead);
  EXPECT_EQ(guard.check(start + ms, start + ms), Refusal::none);
}

TEST(StampGuard, AfterAResetOnlyTheClockCounts) {
  StampGuard guard(timeout);
  EXPECT_EQ(guard.check(start, start), Refusal::none);
  guard.reset();
  EXPECT_EQ(guard.check(start - 500 * ms, start - 500 * ms), Refusal::none);
}

}  // namespace
}  // namespace rbd_parallel_ros
