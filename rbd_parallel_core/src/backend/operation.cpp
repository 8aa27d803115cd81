// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/operation.hpp"

namespace rbd_parallel_core {

std::string name_of(Operation operation) {
  return std::string(operation_names[static_cast<std::size_t>(operation)]);
}

std::optional<Operation> operation_of(std::string_view name) {
  for (const Operation operation : all_operations) {
    if (operation_names[static_cast<std::size_t>(operation)] == name) return operation;
  }
  return std::nullopt;
}

std::string Axis::text() const {
  if (code >= 0) return std::to_string(code);
  switch (static_cast<Extent>(code)) {
    case Extent::nq:
      return "nq";
    case Extent::nv:
      return "nv";
    case Extent::nonzeros:
      return "nonzeros";
    case Extent::parameters:
      return "10 bodies";
    default:
      return "k";
  }
}

std::string StateShape::text() const {
  std::string text = "batch";
  for (std::size_t k = 0; k < rank_; ++k) text += " x " + axes_[k].text();
  return text;
}

}  // namespace rbd_parallel_core
