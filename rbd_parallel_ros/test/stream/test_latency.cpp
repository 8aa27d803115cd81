// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "stream/latency.hpp"

namespace rbd_parallel_ros {
namespace {

TEST(Latency, WithoutCountsAllIsZero) {
  const LatencyHistogram::Summary summary = LatencyHistogram().summary();
  EXPECT_EQ(summary.count, 0u);
  EXPECT_EQ(summary.max, 0);
}

TEST(Latency, PercentilesAreRightWithinABucket) {
  LatencyHistogram histogram;
  for (int i = 1; i <= 10000; ++i) histogram.count(i * 1000);
  const LatencyHistogram::Summary summary = histogram.summary();
  EXPECT_EQ(summary.count, 10000u);
  EXPECT_NEAR(summary.mean, 5.0005e-3, 1e-9);
  EXPECT_EQ(summary.max, 10e-3);
  EXPECT_GE(summary.p50, 5.0e-3);
  EXPECT_LE(summary.p50, 5.0e-3 * 1.125);
  EXPECT_GE(summary.p99, 9.9e-3);
  EXPECT_LE(summary.p99, 10e-3);
}

TEST(Latency, AnyDurationHasABucket) {
  LatencyHistogram histogram;
  for (const std::int64_t duration :
       {std::int64_t{-7}, std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{3},
        std::int64_t{7}, INT64_MAX}) {
    histogram.count(duration);
  }
  EXPECT_EQ(histogram.summary().count, 7u);
}

TEST(Latency, OctavesAreListed) {
  LatencyHistogram histogram;
  EXPECT_EQ(histogram.octaves(), "");
  for (const std::int64_t duration : {1024, 2047, 2048, 100'000}) histogram.count(duration);
  EXPECT_EQ(histogram.octaves(), "2048: 2, 4096: 1, 131072: 1");
}

}  // namespace
}  // namespace rbd_parallel_ros
