// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <rcl_interfaces/msg/parameter.hpp>
#include <string>
#include <utility>
#include <vector>

#include "rclcpp/exceptions.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/parameter_value.hpp"

namespace rclcpp {

/// A name and a value.
class Parameter {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(Parameter)

  Parameter() = default;
  explicit Parameter(std::string name) : name_(std::move(name)) {}
  Parameter(std::string name, ParameterValue value)
      : name_(std::move(name)), value_(std::move(value)) {}
  template <typename ValueT>
  Parameter(const std::string& name, const ValueT& value)
      : Parameter(name, ParameterValue(value)) {}

  bool operator==(const Parameter& right) const = default;

  ParameterType get_type() const { return value_.get_type(); }
  std::string get_type_name() const { return to_string(get_type()); }
  const std::string& get_name() const { return name_; }
  const ParameterValue& get_parameter_value() const { return value_; }
  rcl_interfaces::msg::ParameterValue get_value_message() const { return value_.to_value_msg(); }

  template <ParameterType ParamT>
  decltype(auto) get_value() const {
    return value_.get<ParamT>();
  }
  /// As ParameterValue::get, with the parameter's name in the exception. Parameter itself is
  /// allowed too.
  template <typename T>
  decltype(auto) get_value() const {
    if constexpr (std::is_same_v<T, Parameter>) {
      return static_cast<const Parameter&>(*this);
    } else if constexpr (std::is_same_v<T, ParameterValue>) {
      return static_cast<const ParameterValue&>(value_);
    } else {
      try {
        return value_.get<T>();
      } catch (const ParameterTypeException& error) {
        throw exceptions::InvalidParameterTypeException(name_, error.what());
      }
    }
  }

  bool as_bool() const { return get_value<PARAMETER_BOOL>(); }
  int64_t as_int() const { return get_value<PARAMETER_INTEGER>(); }
  double as_double() const { return get_value<PARAMETER_DOUBLE>(); }
  const std::string& as_string() const { return get_value<PARAMETER_STRING>(); }
  const std::vector<uint8_t>& as_byte_array() const { return get_value<PARAMETER_BYTE_ARRAY>(); }
  const std::vector<bool>& as_bool_array() const { return get_value<PARAMETER_BOOL_ARRAY>(); }
  const std::vector<int64_t>& as_integer_array() const {
    return get_value<PARAMETER_INTEGER_ARRAY>();
  }
  const std::vector<double>& as_double_array() const { return get_value<PARAMETER_DOUBLE_ARRAY>(); }
  const std::vector<std::string>& as_string_array() const {
    return get_value<PARAMETER_STRING_ARRAY>();
  }

  static Parameter from_parameter_msg(const rcl_interfaces::msg::Parameter& message) {
    return Parameter(message.name, ParameterValue(message.value));
  }
  rcl_interfaces::msg::Parameter to_parameter_msg() const;
  std::string value_to_string() const { return to_string(value_); }

 private:
  std::string name_;
  ParameterValue value_;
};

std::string to_string(const Parameter& parameter);
std::ostream& operator<<(std::ostream& os, const Parameter& parameter);
std::ostream& operator<<(std::ostream& os, const std::vector<Parameter>& parameters);

}  // namespace rclcpp
