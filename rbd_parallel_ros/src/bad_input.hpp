// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "rbd_parallel_core/model/model.hpp"
#include "rbd_parallel_core/operation.hpp"

namespace rbd_parallel_ros {

/// Numbers that a computation was given, in the order of the model, and what the client calls them.
struct Input {
  enum class Columns { q, v };

  const char* joints;  ///< name of the field with the numbers of the joints
  const char* base;    ///< the same for a floating base
  std::span<const double> values;
  Columns columns = Columns::v;
};

/// All inputs of one computation.
struct Inputs {
  std::vector<Input> arrays;
  rbd_parallel_core::ExternalWrenches wrenches{};
  bool floating_base = false;
};

/// Which number of a state makes it not finite, with its field and its joint or link. "" if every
/// number is finite and no quaternion is zero: then it was the result that overflowed.
std::string bad_input(const Inputs& inputs, const rbd_parallel_core::Model& model,
                      std::size_t state);

}  // namespace rbd_parallel_ros
