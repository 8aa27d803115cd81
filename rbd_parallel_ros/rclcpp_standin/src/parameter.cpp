// SPDX-License-Identifier: Apache-2.0
#include "rclcpp/parameter.hpp"

#include <array>
#include <sstream>
#include <type_traits>
#include <utility>

namespace rclcpp {

std::string to_string(ParameterType type) {
  static constexpr std::array kNames = {
      "not set",    "bool",       "integer",       "double",       "string",
      "byte_array", "bool_array", "integer_array", "double_array", "string_array"};
  return type < kNames.size() ? kNames[type] : "unknown type";
}

std::ostream& operator<<(std::ostream& os, ParameterType type) { return os << to_string(type); }

namespace {

// The field of a message in which values of a type are.
template <ParameterType type, typename MessageT>
auto& field(MessageT& message) {
  if constexpr (type == PARAMETER_BOOL) return message.bool_value;
  if constexpr (type == PARAMETER_INTEGER) return message.integer_value;
  if constexpr (type == PARAMETER_DOUBLE) return message.double_value;
  if constexpr (type == PARAMETER_STRING) return message.string_value;
  if constexpr (type == PARAMETER_BYTE_ARRAY) return message.byte_array_value;
  if constexpr (type == PARAMETER_BOOL_ARRAY) return message.bool_array_value;
  if constexpr (type == PARAMETER_INTEGER_ARRAY) return message.integer_array_value;
  if constexpr (type == PARAMETER_DOUBLE_ARRAY) return message.double_array_value;
  if constexpr (type == PARAMETER_STRING_ARRAY) return message.string_array_value;
}

template <ParameterType type>
using TypeConstant = std::integral_constant<ParameterType, type>;

// Calls use with the type as a constant; false if there is no such type, or it is that of no value.
template <typename UseT, size_t... i>
bool with_type(size_t type, const UseT& use, std::index_sequence<i...>) {
  return ((type == i + 1 && (use(TypeConstant<static_cast<ParameterType>(i + 1)>()), true)) || ...);
}
template <typename UseT>
bool with_type(size_t type, const UseT& use) {
  return with_type(type, use, std::make_index_sequence<PARAMETER_STRING_ARRAY>());
}

// How a single value is written.
std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(int64_t value) { return std::to_string(value); }
std::string text_of(double value) { return std::to_string(value); }
std::string text_of(const std::string& value) { return value; }
std::string text_of(uint8_t value) {
  std::ostringstream text;
  text << "0x" << std::hex << int{value};
  return text.str();
}

template <typename ElementT>
std::string text_of(const std::vector<ElementT>& values) {
  const char* quote = std::is_same_v<ElementT, std::string> ? "\"" : "";
  std::string text = "[";
  for (const ElementT& value : values) {
    text.append(text.size() > 1 ? ", " : "").append(quote).append(text_of(value)).append(quote);
  }
  return text + "]";
}

}  // namespace

ParameterValue::ParameterValue(const rcl_interfaces::msg::ParameterValue& value) {
  const bool known = with_type(value.type, [&](auto type) {
    value_.template emplace<static_cast<size_t>(type())>(field<type()>(value));
  });
  if (!known && value.type != PARAMETER_NOT_SET) {
    throw std::runtime_error("expected the type of a parameter, 0 to 9, got " +
                             std::to_string(value.type));
  }
}

rcl_interfaces::msg::ParameterValue ParameterValue::to_value_msg() const {
  rcl_interfaces::msg::ParameterValue message;
  message.type = get_type();
  with_type(get_type(), [&](auto type) { field<type()>(message) = get<type()>(); });
  return message;
}

std::string to_string(const ParameterValue& value) {
  std::string text = to_string(PARAMETER_NOT_SET);
  with_type(value.get_type(), [&](auto type) { text = text_of(value.get<type()>()); });
  return text;
}

rcl_interfaces::msg::Parameter Parameter::to_parameter_msg() const {
  rcl_interfaces::msg::Parameter message;
  message.name = name_;
  message.value = value_.to_value_msg();
  return message;
}

std::string to_string(const Parameter& parameter) {
  return "{\"name\": \"" + parameter.get_name() + "\", \"type\": \"" + parameter.get_type_name() +
         "\", \"value\": \"" + parameter.value_to_string() + "\"}";
}

std::ostream& operator<<(std::ostream& os, const Parameter& parameter) {
  return os << to_string(parameter);
}

std::ostream& operator<<(std::ostream& os, const std::vector<Parameter>& parameters) {
  os << "{";
  bool first = true;
  for (const auto& parameter : parameters) {
    os << (first ? "" : ", ") << '"' << parameter.get_name() << "\": " << to_string(parameter);
    first = false;
  }
  return os << "}";
}

}  // namespace rclcpp
