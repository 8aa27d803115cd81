// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>
#include <rcl_interfaces/msg/parameter_type.hpp>
#include <rcl_interfaces/msg/parameter_value.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace rclcpp {

enum ParameterType : uint8_t {
  PARAMETER_NOT_SET = rcl_interfaces::msg::ParameterType::PARAMETER_NOT_SET,
  PARAMETER_BOOL = rcl_interfaces::msg::ParameterType::PARAMETER_BOOL,
  PARAMETER_INTEGER = rcl_interfaces::msg::ParameterType::PARAMETER_INTEGER,
  PARAMETER_DOUBLE = rcl_interfaces::msg::ParameterType::PARAMETER_DOUBLE,
  PARAMETER_STRING = rcl_interfaces::msg::ParameterType::PARAMETER_STRING,
  PARAMETER_BYTE_ARRAY = rcl_interfaces::msg::ParameterType::PARAMETER_BYTE_ARRAY,
  PARAMETER_BOOL_ARRAY = rcl_interfaces::msg::ParameterType::PARAMETER_BOOL_ARRAY,
  PARAMETER_INTEGER_ARRAY = rcl_interfaces::msg::ParameterType::PARAMETER_INTEGER_ARRAY,
  PARAMETER_DOUBLE_ARRAY = rcl_interfaces::msg::ParameterType::PARAMETER_DOUBLE_ARRAY,
  PARAMETER_STRING_ARRAY = rcl_interfaces::msg::ParameterType::PARAMETER_STRING_ARRAY,
};

std::string to_string(ParameterType type);
std::ostream& operator<<(std::ostream& os, ParameterType type);

/// Thrown where a value is read as another type than it has.
class ParameterTypeException : public std::runtime_error {
 public:
  ParameterTypeException(ParameterType expected, ParameterType actual)
      : std::runtime_error("expected a value of type " + to_string(expected) +
                           ", got one of type " + to_string(actual)) {}
};

/// A value of one of the ten types that a parameter can have.
class ParameterValue {
 public:
  ParameterValue() = default;
  explicit ParameterValue(const rcl_interfaces::msg::ParameterValue& value);
  explicit ParameterValue(bool value) : value_(value) {}
  explicit ParameterValue(int value) : value_(int64_t{value}) {}
  explicit ParameterValue(int64_t value) : value_(value) {}
  explicit ParameterValue(float value) : value_(double{value}) {}
  explicit ParameterValue(double value) : value_(value) {}
  explicit ParameterValue(const std::string& value) : value_(value) {}
  explicit ParameterValue(const char* value) : value_(std::string(value)) {}
  explicit ParameterValue(const std::vector<uint8_t>& value) : value_(value) {}
  explicit ParameterValue(const std::vector<bool>& value) : value_(value) {}
  explicit ParameterValue(const std::vector<int>& value)
      : value_(std::vector<int64_t>(value.begin(), value.end())) {}
  explicit ParameterValue(const std::vector<int64_t>& value) : value_(value) {}
  explicit ParameterValue(const std::vector<float>& value)
      : value_(std::vector<double>(value.begin(), value.end())) {}
  explicit ParameterValue(const std::vector<double>& value) : value_(value) {}
  explicit ParameterValue(const std::vector<std::string>& value) : value_(value) {}

  // The alternatives of value_ stand in the order of ParameterType.
  ParameterType get_type() const { return static_cast<ParameterType>(value_.index()); }
  rcl_interfaces::msg::ParameterValue to_value_msg() const;
  bool operator==(const ParameterValue& right) const = default;

  /// The value as the C++ type that belongs to a parameter type.
  template <ParameterType type>
  const auto& get() const {
    if (get_type() != type) {
      throw ParameterTypeException(type, get_type());
    }
    return std::get<static_cast<size_t>(type)>(value_);
  }

  /// The value as a C++ type: any integer for an integer, any floating type for a double.
  template <typename type>
  decltype(auto) get() const {
    using T = std::remove_cvref_t<type>;
    if constexpr (std::is_same_v<T, bool>) {
      return get<PARAMETER_BOOL>();
    } else if constexpr (std::is_integral_v<T>) {
      return get<PARAMETER_INTEGER>();
    } else if constexpr (std::is_floating_point_v<T>) {
      return get<PARAMETER_DOUBLE>();
    } else if constexpr (std::is_convertible_v<T, std::string>) {
      return get<PARAMETER_STRING>();
    } else if constexpr (std::is_same_v<T, std::vector<uint8_t>>) {
      return get<PARAMETER_BYTE_ARRAY>();
    } else if constexpr (std::is_same_v<T, std::vector<bool>>) {
      return get<PARAMETER_BOOL_ARRAY>();
    } else if constexpr (std::is_same_v<T, std::vector<int64_t>>) {
      return get<PARAMETER_INTEGER_ARRAY>();
    } else if constexpr (std::is_same_v<T, std::vector<int>>) {
      const auto& values = get<PARAMETER_INTEGER_ARRAY>();
      return std::vector<int>(values.begin(), values.end());
    } else if constexpr (std::is_same_v<T, std::vector<double>>) {
      return get<PARAMETER_DOUBLE_ARRAY>();
    } else if constexpr (std::is_same_v<T, std::vector<float>>) {
      const auto& values = get<PARAMETER_DOUBLE_ARRAY>();
      return std::vector<float>(values.begin(), values.end());
    } else {
      static_assert(std::is_same_v<T, std::vector<std::string>>, "not a type of a parameter");
      return get<PARAMETER_STRING_ARRAY>();
    }
  }

 private:
  std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<uint8_t>,
               std::vector<bool>, std::vector<int64_t>, std::vector<double>,
               std::vector<std::string>>
      value_;
};

std::string to_string(const ParameterValue& value);

}  // namespace rclcpp
