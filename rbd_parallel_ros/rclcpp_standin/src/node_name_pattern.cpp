// SPDX-License-Identifier: Apache-2.0
#include "rclcpp/detail/node_name_pattern.hpp"

#include <algorithm>
#include <vector>

namespace rclcpp::detail {

namespace {

// The tokens between slashes; a slash at the front, or none, makes no difference.
std::vector<std::string_view> tokens_of(std::string_view name) {
  if (name.starts_with('/')) name.remove_prefix(1);
  std::vector<std::string_view> tokens;
  while (true) {
    const size_t slash = name.find('/');
    tokens.push_back(name.substr(0, slash));
    if (slash == std::string_view::npos) return tokens;
    name.remove_prefix(slash + 1);
  }
}

}  // namespace

bool matches_node_name(std::string_view pattern, std::string_view fully_qualified_name) {
  const auto tokens = tokens_of(fully_qualified_name);
  // reached[i]: the tokens of the pattern so far can stand for the first i tokens of the name.
  std::vector<char> reached(tokens.size() + 1, false);
  reached[0] = true;
  for (const std::string_view wanted : tokens_of(pattern)) {
    if (wanted == "**") {
      const auto first = std::find(reached.begin(), reached.end(), true);
      std::fill(first, reached.end(), true);
      continue;
    }
    for (size_t i = tokens.size(); i > 0; --i) {
      reached[i] = reached[i - 1] && (wanted == "*" || wanted == tokens[i - 1]);
    }
    reached[0] = false;
  }
  return reached.back();
}

}  // namespace rclcpp::detail
