// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "rbd_parallel_core/study/forward_methods.hpp"

namespace rbd_parallel_core {

/// What in a model rules out a method of the literature; nothing where it allows it.
struct MethodObstacle {
  enum class Kind : std::uint8_t {
    none,
    mimic,                ///< `joint` follows another one
    several_coordinates,  ///< `joint` has more than one
    branch,               ///< `joint` does not hang on the body before it
    no_inverse,           ///< the inertia of the body on `joint` cannot be inverted
    too_many_entries,     ///< of the mass matrix: `entries`
  };
  Kind kind = Kind::none;
  int joint = -1;
  std::int64_t entries = 0;

  explicit operator bool() const noexcept { return kind != Kind::none; }
};

/// `nonzeros`: mass_matrix_nonzeros of the model. Allocates nothing.
MethodObstacle obstacle_to(const Model& model, PublishedMethod method, std::int64_t nonzeros,
                           int blocks = ForwardMethodsOptions{}.blocks) noexcept;

/// "the tree branches: joint 'elbow' does not hang on the body before it"
std::string text_of(const MethodObstacle& obstacle, const Model& model);

}  // namespace rbd_parallel_core
