// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace rclcpp::detail {

/// Whether a section of a parameter file is meant for a node. In its name, * stands for one token
/// between slashes and ** for any number of them, also none; part of a token cannot be left open.
bool matches_node_name(std::string_view pattern, std::string_view fully_qualified_name);

}  // namespace rclcpp::detail
