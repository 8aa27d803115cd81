// SPDX-License-Identifier: Apache-2.0
#include "rclcpp/parameter.hpp"

#include <array>
#include <sstream>

namespace rclcpp {

std::string to_string(ParameterType type) {
  static constexpr std::array kNames = {
      "not set",    "bool",       "integer",       "double",       "string",
      "byte_array", "bool_array", "integer_array", "double_array", "string_array"};
  return type < kNames.size() ? kNames[type] : "unknown type";
}

std::ostream& operator<<(std::ostream& os, ParameterType type) { return os << to_string(type); }

ParameterValue::ParameterValue(const rcl_interfaces::msg::ParameterValue& value) {
  switch (value.type) {
    case PARAMETER_NOT_SET:
      break;
    case PARAMETER_BOOL:
      value_ = value.bool_value;
      break;
    case PARAMETER_INTEGER:
      value_ = value.integer_value;
      break;
    case PARAMETER_DOUBLE:
      value_ = value.double_value;
      break;
    case PARAMETER_STRING:
      value_ = value.string_value;
      break;
    case PARAMETER_BYTE_ARRAY:
      value_ = value.byte_array_value;
      break;
    case PARAMETER_BOOL_ARRAY:
      value_ = value.bool_array_value;
      break;
    case PARAMETER_INTEGER_ARRAY:
      value_ = value.integer_array_value;
      break;
    case PARAMETER_DOUBLE_ARRAY:
      value_ = value.double_array_value;
      break;
    case PARAMETER_STRING_ARRAY:
      value_ = value.string_array_value;
      break;
    default:
      throw std::runtime_error("Unknown type: " + std::to_string(value.type));
  }
}

rcl_interfaces::msg::ParameterValue ParameterValue::to_value_msg() const {
  rcl_interfaces::msg::ParameterValue message;
  message.type = get_type();
  switch (get_type()) {
    case PARAMETER_NOT_SET:
      break;
    case PARAMETER_BOOL:
      message.bool_value = get<PARAMETER_BOOL>();
      break;
    case PARAMETER_INTEGER:
      message.integer_value = get<PARAMETER_INTEGER>();
      break;
    case PARAMETER_DOUBLE:
      message.double_value = get<PARAMETER_DOUBLE>();
      break;
    case PARAMETER_STRING:
      message.string_value = get<PARAMETER_STRING>();
      break;
    case PARAMETER_BYTE_ARRAY:
      message.byte_array_value = get<PARAMETER_BYTE_ARRAY>();
      break;
    case PARAMETER_BOOL_ARRAY:
      message.bool_array_value = get<PARAMETER_BOOL_ARRAY>();
      break;
    case PARAMETER_INTEGER_ARRAY:
      message.integer_array_value = get<PARAMETER_INTEGER_ARRAY>();
      break;
    case PARAMETER_DOUBLE_ARRAY:
      message.double_array_value = get<PARAMETER_DOUBLE_ARRAY>();
      break;
    case PARAMETER_STRING_ARRAY:
      message.string_array_value = get<PARAMETER_STRING_ARRAY>();
      break;
  }
  return message;
}

namespace {

template <typename ContainerT>
std::string list(const ContainerT& values, const char* quote = "") {
  std::ostringstream text;
  text << std::boolalpha << '[';
  bool first = true;
  for (const auto& value : values) {
    text << (first ? "" : ", ") << quote << value << quote;
    first = false;
  }
  text << ']';
  return text.str();
}

}  // namespace

std::string to_string(const ParameterValue& value) {
  switch (value.get_type()) {
    case PARAMETER_NOT_SET:
      return "not set";
    case PARAMETER_BOOL:
      return value.get<PARAMETER_BOOL>() ? "true" : "false";
    case PARAMETER_INTEGER:
      return std::to_string(value.get<PARAMETER_INTEGER>());
    case PARAMETER_DOUBLE:
      return std::to_string(value.get<PARAMETER_DOUBLE>());
    case PARAMETER_STRING:
      return value.get<PARAMETER_STRING>();
    case PARAMETER_BYTE_ARRAY: {
      std::ostringstream text;
      text << "[" << std::hex;
      bool first = true;
      for (const int byte : value.get<PARAMETER_BYTE_ARRAY>()) {
        text << (first ? "" : ", ") << "0x" << byte;
        first = false;
      }
      text << "]";
      return text.str();
    }
    case PARAMETER_BOOL_ARRAY:
      return list(value.get<PARAMETER_BOOL_ARRAY>());
    case PARAMETER_INTEGER_ARRAY:
      return list(value.get<PARAMETER_INTEGER_ARRAY>());
    case PARAMETER_DOUBLE_ARRAY:
      return list(value.get<PARAMETER_DOUBLE_ARRAY>());
    case PARAMETER_STRING_ARRAY:
      return list(value.get<PARAMETER_STRING_ARRAY>(), "\"");
  }
  return "unknown type";
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
