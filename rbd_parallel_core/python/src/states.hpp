// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"

namespace rbd_parallel_python {

/// What the shape of q says of a call: one state (nq,), a batch (batch, nq), or lanes (groups, nq,
/// width), and with it the shapes of all other arrays.
struct BatchShape {
  std::size_t batch = 1;
  Shape leading;          ///< (), (batch,) or (groups,)
  std::size_t width = 0;  ///< of the last axis, the lanes; 0: there is none

  /// The shape of a result or argument of which one state takes `inner`.
  Shape with(const Shape& inner) const {
    Shape shape = leading;
    shape.insert(shape.end(), inner.begin(), inner.end());
    if (width > 0) shape.push_back(width);
    return shape;
  }

  /// Where number k of `state` is in an array with n numbers a state.
  std::size_t place(std::size_t state, std::size_t n, std::size_t k) const {
    return width == 0 ? state * n + k : (state / width * n + k) * width + state % width;
  }
};

/// q of one call, and what else was given of these states, by name, for the message about a bad
/// one.
template <class Real>
struct States {
  Array<Real> q;
  BatchShape shape;
  std::vector<std::pair<std::string, Array<Real>>> others;
};

}  // namespace rbd_parallel_python
