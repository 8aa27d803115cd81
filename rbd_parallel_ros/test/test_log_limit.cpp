// SPDX-License-Identifier: Apache-2.0
#include "log_limit.hpp"

#include <gtest/gtest.h>

namespace rbd_parallel_ros {
namespace {

using std::chrono::milliseconds;

/// Law: the first few lines come, then one a second, each of which says how many were left out.
TEST(LogLimit, LetsFewLinesThroughHoweverManyThereAre) {
  LogLimit limit;
  const LogLimit::Time start{};
  std::size_t logged = 0, left_out = 0;
  constexpr int count = 900;  // 10 s of 90 Hz
  for (int i = 0; i < count; ++i) {
    const auto before = limit.next(start + milliseconds(i * 1000 / 90));
    if (i < 5) {
      EXPECT_EQ(before, 0u) << i;
    }
    if (!before) continue;
    ++logged;
    left_out += *before;
  }
  EXPECT_GE(logged, 13u);
  EXPECT_LE(logged, 15u);
  EXPECT_GT(logged + left_out, count - 91u) << "every line is logged or counted";
}

TEST(LogLimit, RareLinesAllCome) {
  LogLimit limit;
  LogLimit::Time now{};
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(limit.next(now), 0u) << i;
    now += milliseconds(1001);
  }
}

TEST(LogLimit, APauseGivesBackTheFirstFew) {
  LogLimit limit;
  LogLimit::Time now{};
  for (int i = 0; i < 20; ++i) limit.next(now);
  EXPECT_EQ(limit.next(now), std::nullopt);
  now += milliseconds(60'000);
  EXPECT_EQ(limit.next(now), 16u);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(limit.next(now), 0u) << i;
  EXPECT_EQ(limit.next(now), std::nullopt);
}

}  // namespace
}  // namespace rbd_parallel_ros
