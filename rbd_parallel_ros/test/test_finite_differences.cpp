// SPDX-License-Identifier: Apache-2.0
#include "finite_differences.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

namespace rbd_parallel_ros {
namespace {

double seconds(std::int64_t nanoseconds) { return 1e-9 * static_cast<double>(nanoseconds); }

double at(const std::vector<std::int64_t>& times, std::size_t point,
          const std::function<double(double)>& value) {
  return derivative(times, point, [&](std::size_t i) { return value(seconds(times[i])); });
}

/// Law: parabolas are differentiated exactly, inside and at the ends, whatever the steps. Values of
/// order 10 over steps of 0.01 s leave 10 / 0.01 x 2^-53 x a few, about 1e-12.
TEST(FiniteDifferences, AreExactForParabolas) {
  const auto value = [](double t) { return 2 - 3 * t + 5 * t * t; };
  const std::vector<std::int64_t> all{-300'000'000, 0, 10'000'000, 500'000'000, 600'000'000};
  for (const std::size_t count : {3u, 4u, 5u}) {
    const std::vector<std::int64_t> times(all.begin(), all.begin() + count);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_NEAR(at(times, i, value), -3 + 10 * seconds(times[i]), 1e-11) << i << " of " << count;
    }
  }
}

TEST(FiniteDifferences, OfTwoPointsAreThoseOfTheLine) {
  const std::vector<std::int64_t> times{1'000'000'000, 1'500'000'000};
  for (const std::size_t i : {0u, 1u}) {
    EXPECT_DOUBLE_EQ(at(times, i, [](double t) { return 4 - 2 * t; }), -2);
  }
}

TEST(FiniteDifferences, OfAConstantAreZero) {
  const std::vector<std::int64_t> times{0, 1, 1'000'000'000, 2'000'000'000};
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_EQ(at(times, i, [](double) { return 0.1; }), 0);
  }
}

/// Law: of second order: half the step, a quarter of the error, for steps of which one is twice the
/// other.
TEST(FiniteDifferences, ErrorsFallWithTheSquareOfTheStep) {
  const auto errors = [](std::int64_t h) {
    const std::vector<std::int64_t> times{0, h, 3 * h, 4 * h};
    std::vector<double> out;
    for (std::size_t i = 0; i < times.size(); ++i) {
      out.push_back(std::abs(at(times, i, [](double t) { return std::exp(t); }) -
                             std::exp(seconds(times[i]))));
    }
    return out;
  };
  const std::vector<double> coarse = errors(2'000'000), fine = errors(1'000'000);
  for (std::size_t i = 0; i < coarse.size(); ++i) EXPECT_NEAR(coarse[i] / fine[i], 4, 0.1) << i;
}

/// The whole range of time_from_start, whose differences do not fit into 32 bits.
TEST(FiniteDifferences, TakeTheLongestTimes) {
  const std::int64_t most = std::int64_t{2147483647} * 1'000'000'000 + 4294967295;
  const std::vector<std::int64_t> times{-most, 0, most};
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_NEAR(at(times, i, [](double t) { return 1e-9 * t; }), 1e-9, 1e-22) << i;
  }
}

}  // namespace
}  // namespace rbd_parallel_ros
