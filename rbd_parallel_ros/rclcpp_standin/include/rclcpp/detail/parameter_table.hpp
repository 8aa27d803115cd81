// SPDX-License-Identifier: Apache-2.0
// The declared parameters of a node: names, values and descriptors. It knows of no thread, no
// callback and no topic.
#pragma once

#include <map>
#include <rcl_interfaces/msg/list_parameters_result.hpp>
#include <rcl_interfaces/msg/parameter_descriptor.hpp>
#include <rcl_interfaces/msg/parameter_event.hpp>
#include <string>
#include <vector>

#include "rclcpp/parameter.hpp"

namespace rclcpp::detail {

struct DeclaredParameter {
  ParameterValue value;
  rcl_interfaces::msg::ParameterDescriptor descriptor;

  bool is_set() const { return value.get_type() != PARAMETER_NOT_SET; }
};

class ParameterTable {
 public:
  /// What is to be entered; made beside the table, so that all of it is entered or nothing.
  using Draft = std::map<std::string, DeclaredParameter>;

  /// allow_undeclared: a name that is not declared stands for a parameter without value.
  explicit ParameterTable(bool allow_undeclared) : allow_undeclared_(allow_undeclared) {}

  bool contains(const std::string& name) const { return entries_.contains(name); }
  /// Throws ParameterNotDeclaredException. What it refers to stays until the parameter is removed.
  const DeclaredParameter& at(const std::string& name) const;

  /// Enters a draft and says what that changed. Where the draft has no value, a parameter of
  /// changeable type that had one is removed.
  rcl_interfaces::msg::ParameterEvent enter(Draft draft);
  /// Enters a parameter, also one without a value.
  void declare(const std::string& name, DeclaredParameter parameter);
  void remove(const std::string& name) { entries_.erase(name); }

  /// The parameters "prefix.name", by their names without the prefix; all of them for no prefix.
  std::map<std::string, Parameter> below(const std::string& prefix) const;
  /// depth: how many parts a name may have behind the prefix; zero is any number.
  rcl_interfaces::msg::ListParametersResult list(const std::vector<std::string>& prefixes,
                                                 uint64_t depth) const;

 private:
  bool allow_undeclared_;
  std::map<std::string, DeclaredParameter> entries_;
};

}  // namespace rclcpp::detail
