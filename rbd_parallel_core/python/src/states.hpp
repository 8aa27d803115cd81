// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "rbd_parallel_core/model/model.hpp"
#include "rbd_parallel_core/status.hpp"

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

/// One state (n,) or a batch of them (batch, n).
inline BatchShape shape_of_rows(const std::string& name, const Shape& shape, std::size_t n) {
  if (shape.empty() || shape.size() > 2 || shape.back() != n) {
    const std::string numbers = std::to_string(n);
    refuse(name + ": expected shape (" + numbers + ",) or (batch, " + numbers + "), got " +
           text(shape));
  }
  if (shape.size() == 1) return {};
  return {shape[0], {shape[0]}, 0};
}

/// What Python says of a call in which states went wrong.
struct Failure {
  std::size_t first_state;
  std::string text;
  bool not_finite;
};

inline std::optional<Failure> failure_of(const std::string& operation,
                                         std::span<const rbd_parallel_core::StateStatus> status,
                                         const rbd_parallel_core::Model& model) {
  const auto is_bad = [](const auto& state) { return !state.ok(); };
  const auto first = std::find_if(status.begin(), status.end(), is_bad);
  if (first == status.end()) return std::nullopt;
  const auto bad = std::count_if(first, status.end(), is_bad);
  const auto index = static_cast<std::size_t>(first - status.begin());
  return Failure{index,
                 operation + ": " + std::to_string(bad) + " of " + std::to_string(status.size()) +
                     " states failed; the first is state " + std::to_string(index) + ": " +
                     message(*first, model),
                 first->code == rbd_parallel_core::StateStatus::Code::not_finite};
}

/// Whether a row has nq or nv numbers.
enum class Coordinates { of_q, of_v };

/// " (v of joint 'elbow' is nan)": the first number of that state that is not finite, if any.
template <class Real>
std::string bad_number(const rbd_parallel_core::Model& model, const BatchShape& shape,
                       const std::string& name, const Array<Real>& array, Coordinates kind,
                       std::size_t state) {
  const bool of_q = kind == Coordinates::of_q;
  const int size = of_q ? model.nq() : model.nv();
  for (int i = 0; i < size; ++i) {
    const Real value = array.data()[shape.place(state, static_cast<std::size_t>(size),
                                                static_cast<std::size_t>(i))];
    if (std::isfinite(value)) continue;
    for (const rbd_parallel_core::Joint& joint : model.joints()) {
      const int first = of_q ? joint.q_index : joint.v_index, count = of_q ? joint.nq : joint.nv;
      if (!joint.mimic && i >= first && i < first + count) {
        return " (" + name + " of joint '" + joint.name + "' is " + std::to_string(value) + ")";
      }
    }
  }
  return {};
}

/// q of one call, and what else was given of these states, by name, for the message about a bad
/// one.
template <class Real>
struct States {
  Array<Real> q;
  BatchShape shape;
  std::vector<std::pair<std::string, Array<Real>>> others;
};

}  // namespace rbd_parallel_python
