// SPDX-License-Identifier: Apache-2.0
// What a descriptor (rcl_interfaces/msg/ParameterDescriptor) says about the values that a parameter
// may have.
#pragma once

#include <optional>
#include <rcl_interfaces/msg/parameter_descriptor.hpp>
#include <string>

#include "rclcpp/parameter.hpp"

namespace rclcpp::detail {

/// Why a value was not taken.
struct Refusal {
  enum class Cause { type, range, read_only, callback };
  Cause cause;
  std::string reason;  ///< what was expected and what came
};

/// Nothing, if the descriptor allows the value; whether it may change at all is not asked here.
std::optional<Refusal> refusal_of(const Parameter& parameter,
                                  const rcl_interfaces::msg::ParameterDescriptor& descriptor);

}  // namespace rclcpp::detail
