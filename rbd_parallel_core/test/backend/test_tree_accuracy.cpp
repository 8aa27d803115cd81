// SPDX-License-Identifier: Apache-2.0
//
// How much the backend "tree" rounds on large trees, beside the recursion in body coordinates. Both
// are compared with the recursion in long double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "accuracy.hpp"
#include "rbd_parallel_core/model/mass_matrix_pattern.hpp"

namespace rbd_bench {
namespace {

// What the blocks may lose of what the recursion has.
constexpr double kFactor = 100;

double unit(const Errors& errors) {
  return errors.precision == "float" ? std::numeric_limits<float>::epsilon()
                                     : std::numeric_limits<double>::epsilon();
}

const Errors& find(const std::vector<Errors>& all, const std::string& family,
                   const std::string& precision) {
  return *std::find_if(all.begin(), all.end(), [&](const Errors& errors) {
    return errors.family == family && errors.precision == precision;
  });
}

// An error of the recursion below a few units in the last place is luck; nobody is held to it.
void expect_close(double found, double recursion, double unit) {
  EXPECT_LE(found, kFactor * std::max(recursion, 4 * unit));
}

class TreeAccuracy : public testing::TestWithParam<Shape> {};

INSTANTIATE_TEST_SUITE_P(Shapes, TreeAccuracy, testing::ValuesIn(shapes()), [](const auto& shape) {
  std::string name = shape.param.name;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
});

TEST_P(TreeAccuracy, BlocksRoundAboutAsTheRecursionDoes) {
  for (const std::size_t bodies : {100u, 1000u, 10000u}) {
    const std::vector<Errors> all =
        errors_of(grow(GetParam(), bodies), {.scans = false, .mass_matrix = true, .threads = 2});
    for (const char* precision : {"double", "float"}) {
      SCOPED_TRACE(precision + std::string(", ") + std::to_string(bodies) + " bodies");
      const Errors& recursion = find(all, "recursion", precision);
      const Errors& blocks = find(all, "blocks", precision);
      expect_close(blocks.torques, recursion.torques, unit(blocks));
      expect_close(blocks.tail, recursion.tail, unit(blocks));
      expect_close(*blocks.diagonal, *recursion.diagonal, unit(blocks));
    }
  }
}

// The gate above can see a family that loses digits.
TEST(TreeAccuracyGate, ScansAreBeyondTheLimit) {
  const std::vector<Errors> all =
      errors_of(grow(shape_named("straight chain"), 1000), {.mass_matrix = true});
  const Errors& recursion = find(all, "recursion", "double");
  const Errors& scans = find(all, "scans", "double");
  EXPECT_GT(scans.tail, kFactor * std::max(recursion.tail, 4 * unit(scans)));
  EXPECT_GT(*scans.diagonal, kFactor * std::max(*recursion.diagonal, 4 * unit(scans)));
}

TEST(TreeShapes, LargestTreeOfSoManyPairs) {
  for (const Shape& shape : shapes()) {
    const std::size_t pairs = 30000, bodies = largest_with_pairs(shape, pairs);
    const auto pairs_of = [&](std::size_t n) {
      return rbd_parallel_core::mass_matrix_nonzeros(*grow(shape, n).model);
    };
    EXPECT_LE(pairs_of(bodies), static_cast<std::int64_t>(pairs)) << shape.name;
    EXPECT_GT(pairs_of(bodies + 1), static_cast<std::int64_t>(pairs)) << shape.name;
  }
}

}  // namespace
}  // namespace rbd_bench
