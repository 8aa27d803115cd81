// SPDX-License-Identifier: Apache-2.0
#include "rclcpp/detail/parameter_overrides.hpp"

#include <rcl_yaml_param_parser/parser.h>

#include <memory>
#include <optional>
#include <vector>

#include "rclcpp/detail/node_name_pattern.hpp"
#include "rclcpp/exceptions.hpp"

namespace rclcpp::detail {

namespace {

using ParsedParameters = std::unique_ptr<rcl_params_t, decltype(&rcl_yaml_node_struct_fini)>;

ParsedParameters parsed_parameters(const rcl_arguments_t& arguments) {
  rcl_params_t* parsed = nullptr;
  // Without an impl nothing was parsed, since there were no arguments.
  if (arguments.impl) {
    check(rcl_arguments_get_param_overrides(&arguments, &parsed),
          "the parameters among the arguments cannot be read");
  }
  return {parsed, rcl_yaml_node_struct_fini};
}

// The value as C++ has it, of each of the types in which rcl gives values.
template <typename ScalarT>
ParameterValue converted(const ScalarT& scalar) {
  return ParameterValue(scalar);
}

template <typename ArrayT>
requires requires(const ArrayT& array) { array.values; }
ParameterValue converted(const ArrayT& array) {
  using Element = std::remove_pointer_t<decltype(array.values)>;
  return ParameterValue(std::vector<Element>(array.values, array.values + array.size));
}

ParameterValue converted(const rcutils_string_array_t& array) {
  return ParameterValue(std::vector<std::string>(array.data, array.data + array.size));
}

// rcl gives a value as one pointer for each type, of which one is not null.
template <typename... T>
std::optional<ParameterValue> the_one_given(const T*... pointers) {
  std::optional<ParameterValue> value;
  ((pointers ? void(value = converted(*pointers)) : void()), ...);
  return value;
}

std::optional<ParameterValue> value_of(const rcl_variant_t& variant) {
  if (variant.string_value) return ParameterValue(variant.string_value);
  return the_one_given(variant.bool_value, variant.integer_value, variant.double_value,
                       variant.byte_array_value, variant.bool_array_value,
                       variant.integer_array_value, variant.double_array_value,
                       variant.string_array_value);
}

}  // namespace

void read_overrides(const rcl_arguments_t& arguments, const std::string& fully_qualified_node_name,
                    ParameterOverrides& overrides) {
  const ParsedParameters parsed = parsed_parameters(arguments);
  const size_t sections = parsed ? parsed->num_nodes : 0;
  for (size_t section = 0; section < sections; ++section) {
    const std::string pattern = parsed->node_names[section];
    if (!matches_node_name(pattern, fully_qualified_node_name)) continue;
    const rcl_node_params_t& given = parsed->params[section];
    for (size_t i = 0; i < given.num_params; ++i) {
      const std::string name = given.parameter_names[i];
      const auto value = value_of(given.parameter_values[i]);
      if (!value) {
        throw exceptions::InvalidParameterValueException(
            "expected a value for the parameter '" + name + "' of '" + pattern +
            "', got none; give one, or leave the parameter out");
      }
      overrides.insert_or_assign(name, *value);
    }
  }
}

}  // namespace rclcpp::detail
