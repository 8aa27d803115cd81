// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "rbd_parallel_core/model/model.hpp"

namespace rbd_bench {

// Featherstone's trees of unit cylinders.
struct Shape {
  std::string name;
  double branching = 1;
  double skew = 0;        // rad: turn about x from one body to the next
  bool straight = false;  // Angles of at most 1e-3 rad; else over the whole circle.
};

// "straight chain", "chain" (of random angles, in space), "branching 1.01", "1.5" and "2".
const std::vector<Shape>& shapes();
const Shape& shape_named(const std::string& name);

// A tree of that shape with one state: velocities and accelerations uniform in (-1, 1).
struct Tree {
  Shape shape;
  std::shared_ptr<const rbd_parallel_core::Model> model;
  std::vector<double> q, v, a;

  std::size_t bodies() const { return v.size(); }
};

Tree grow(const Shape& shape, std::size_t bodies);

// How many bodies a tree of that shape can have, so that its pairs of a body and one on its way to
// the root (the body itself included) are no more than `pairs`.
std::size_t largest_with_pairs(const Shape& shape, std::size_t pairs);

}  // namespace rbd_bench
