// SPDX-License-Identifier: Apache-2.0
#include "shapes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "rbd_parallel_core/model/generators.hpp"
#include "rbd_parallel_core/testing/robots.hpp"

namespace rbd_bench {
namespace {

constexpr double kSkew = 0.3;
constexpr double kAlmostStraight = 1e-3;

}  // namespace

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all{{"straight chain", 1, 0, true},
                                      {"chain", 1, kSkew, false},
                                      {"branching 1.01", 1.01, kSkew, false},
                                      {"branching 1.5", 1.5, kSkew, false},
                                      {"branching 2", 2, kSkew, false}};
  return all;
}

const Shape& shape_named(const std::string& name) {
  for (const Shape& shape : shapes()) {
    if (shape.name == name) return shape;
  }
  throw std::runtime_error("no shape is called '" + name + "'");
}

Tree grow(const Shape& shape, std::size_t bodies) {
  namespace core = rbd_parallel_core;
  core::conformance::Random random(bodies);
  const double angle = shape.straight ? kAlmostStraight : std::numbers::pi;
  return {
      shape,
      std::make_shared<const core::Model>(core::auto_tree(
          {.bodies = static_cast<int>(bodies), .branching = shape.branching, .skew = shape.skew})),
      random.numbers(bodies, angle), random.numbers(bodies, 1), random.numbers(bodies, 1)};
}

std::size_t largest_with_pairs(const Shape& shape, std::size_t pairs) {
  std::vector<std::size_t> depth;
  std::size_t sum = 0;
  for (;;) {
    // The parent of body i as in describe_auto_tree, which counts as Featherstone does.
    const double i = static_cast<double>(depth.size());
    const double parent = std::floor((i - 1 + std::ceil(shape.branching)) / shape.branching) - 1;
    depth.push_back(depth.empty() ? 1 : depth[static_cast<std::size_t>(parent)] + 1);
    sum += depth.back();
    if (sum > pairs) return depth.size() - 1;
  }
}

}  // namespace rbd_bench
