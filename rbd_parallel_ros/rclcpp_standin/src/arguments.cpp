// SPDX-License-Identifier: Apache-2.0
#include "rclcpp/detail/arguments.hpp"

#include <rcl_yaml_param_parser/parser.h>

#include <memory>
#include <regex>

#include "rclcpp/exceptions.hpp"

namespace rclcpp::detail {

namespace {

template <typename ElementT, typename ArrayT>
ParameterValue array_value(const ArrayT& array) {
  return ParameterValue(std::vector<ElementT>(array.values, array.values + array.size));
}

ParameterValue value_of(const rcl_variant_t& variant) {
  if (variant.bool_value) return ParameterValue(*variant.bool_value);
  if (variant.integer_value) return ParameterValue(*variant.integer_value);
  if (variant.double_value) return ParameterValue(*variant.double_value);
  if (variant.string_value) return ParameterValue(variant.string_value);
  if (variant.byte_array_value) return array_value<uint8_t>(*variant.byte_array_value);
  if (variant.bool_array_value) return array_value<bool>(*variant.bool_array_value);
  if (variant.integer_array_value) return array_value<int64_t>(*variant.integer_array_value);
  if (variant.double_array_value) return array_value<double>(*variant.double_array_value);
  if (variant.string_array_value) {
    const auto& array = *variant.string_array_value;
    return ParameterValue(std::vector<std::string>(array.data, array.data + array.size));
  }
  throw exceptions::InvalidParameterValueException("No parameter value set");
}

// In the names of a parameter file, "/*" stands for one part of a name and "/**" for any number of
// parts.
bool matches(const std::string& given, const std::string& name) {
  std::string pattern;
  if (!given.starts_with('/')) {
    pattern.push_back('/');
  }
  pattern += given;
  std::string expression;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern.compare(i, 3, "/**") == 0) {
      expression += "(/\\w+)*";
      i += 2;
    } else if (pattern.compare(i, 2, "/*") == 0) {
      expression += "(/\\w+)";
      i += 1;
    } else {
      expression += pattern[i];
    }
  }
  return std::regex_match(name, std::regex(expression));
}

}  // namespace

Arguments::Arguments(int argc, char const* const* argv) {
  check(rcl_parse_arguments(argc, argv, rcl_get_default_allocator(), &arguments_),
        "the arguments cannot be read");
}

Arguments::~Arguments() {
  if (rcl_arguments_fini(&arguments_) != RCL_RET_OK) {
    rcl_reset_error();
  }
}

std::vector<std::string> unknown_ros_arguments(const rcl_arguments_t& arguments,
                                               char const* const* argv) {
  std::vector<std::string> unknown;
  const int count = rcl_arguments_get_count_unparsed_ros(&arguments);
  if (count <= 0) {
    return unknown;
  }
  const rcl_allocator_t allocator = rcl_get_default_allocator();
  int* indices = nullptr;
  check(rcl_arguments_get_unparsed_ros(&arguments, allocator, &indices),
        "the arguments that ROS does not know cannot be listed");
  for (int i = 0; i < count; ++i) {
    unknown.emplace_back(argv[indices[i]]);
  }
  allocator.deallocate(indices, allocator.state);
  return unknown;
}

void add_parameter_overrides(const rcl_arguments_t& arguments,
                             const std::string& fully_qualified_node_name,
                             std::map<std::string, ParameterValue>& overrides) {
  if (!arguments.impl) {
    return;  // never parsed, since there were none
  }
  rcl_params_t* all = nullptr;
  check(rcl_arguments_get_param_overrides(&arguments, &all),
        "the parameters among the arguments cannot be read");
  if (!all) {
    return;
  }
  const std::unique_ptr<rcl_params_t, void (*)(rcl_params_t*)> owner(all,
                                                                     rcl_yaml_node_struct_fini);
  for (size_t node = 0; node < all->num_nodes; ++node) {
    if (!matches(all->node_names[node], fully_qualified_node_name)) {
      continue;
    }
    const rcl_node_params_t& parameters = all->params[node];
    for (size_t i = 0; i < parameters.num_params; ++i) {
      overrides[parameters.parameter_names[i]] = value_of(parameters.parameter_values[i]);
    }
  }
}

}  // namespace rclcpp::detail
