// SPDX-License-Identifier: Apache-2.0
// The values of parameters that -p and --params-file give.
#pragma once

#include <rcl/arguments.h>

#include <map>
#include <string>

#include "rclcpp/parameter_value.hpp"

namespace rclcpp::detail {

using ParameterOverrides = std::map<std::string, ParameterValue>;

/// Adds what the arguments say about a node; a later value takes the place of an earlier one.
void read_overrides(const rcl_arguments_t& arguments, const std::string& fully_qualified_node_name,
                    ParameterOverrides& overrides);

}  // namespace rclcpp::detail
