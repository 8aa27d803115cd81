// SPDX-License-Identifier: Apache-2.0
#include "rclcpp/detail/parameter_table.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "rclcpp/exceptions.hpp"

namespace rclcpp::detail {

namespace {

constexpr char kSeparator = '.';

// What follows a prefix in a name: all of it where the prefix is empty, nothing where the name is
// the prefix itself.
std::optional<std::string_view> behind(std::string_view prefix, std::string_view name) {
  if (prefix.empty()) return name;
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  if (name.empty()) return name;
  if (name.front() != kSeparator) return std::nullopt;
  return name.substr(1);
}

uint64_t parts(std::string_view name) {
  if (name.empty()) return 0;
  return 1 + static_cast<uint64_t>(std::count(name.begin(), name.end(), kSeparator));
}

}  // namespace

const DeclaredParameter& ParameterTable::at(const std::string& name) const {
  static const DeclaredParameter kNothing;
  const auto found = entries_.find(name);
  if (found != entries_.end()) return found->second;
  if (allow_undeclared_) return kNothing;
  throw exceptions::ParameterNotDeclaredException(
      "the parameter '" + name + "' is not declared; list_parameters tells which ones are");
}

rcl_interfaces::msg::ParameterEvent ParameterTable::enter(Draft draft) {
  rcl_interfaces::msg::ParameterEvent event;
  for (auto& [name, drafted] : draft) {
    const auto old = entries_.find(name);
    const bool was_set = old != entries_.end() && old->second.is_set();
    if (drafted.is_set()) {
      auto& kind = was_set ? event.changed_parameters : event.new_parameters;
      kind.push_back(Parameter(name, drafted.value).to_parameter_msg());
      entries_[name] = std::move(drafted);
    } else if (was_set) {
      event.deleted_parameters.push_back(Parameter(name, old->second.value).to_parameter_msg());
      entries_.erase(old);
    }
  }
  return event;
}

void ParameterTable::declare(const std::string& name, DeclaredParameter parameter) {
  entries_[name] = std::move(parameter);
}

std::map<std::string, Parameter> ParameterTable::below(const std::string& prefix) const {
  std::map<std::string, Parameter> found;
  for (const auto& [name, entry] : entries_) {
    const auto rest = behind(prefix, name);
    if (rest && !rest->empty()) found.emplace(*rest, Parameter(name, entry.value));
  }
  return found;
}

rcl_interfaces::msg::ListParametersResult ParameterTable::list(
    const std::vector<std::string>& prefixes, uint64_t depth) const {
  const std::vector<std::string> everywhere{""};
  const auto& roots = prefixes.empty() ? everywhere : prefixes;
  rcl_interfaces::msg::ListParametersResult result;
  std::set<std::string> groups;
  for (const auto& entry : entries_) {
    const std::string& name = entry.first;
    const bool listed = std::any_of(roots.begin(), roots.end(), [&](const std::string& root) {
      const auto rest = behind(root, name);
      return rest && (depth == 0 || parts(*rest) <= depth);
    });
    if (!listed) continue;
    result.names.push_back(name);
    const size_t last = name.rfind(kSeparator);
    if (last != std::string::npos) groups.insert(name.substr(0, last));
  }
  result.prefixes.assign(groups.begin(), groups.end());
  return result;
}

}  // namespace rclcpp::detail
