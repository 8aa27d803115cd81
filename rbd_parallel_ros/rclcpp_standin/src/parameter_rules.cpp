// SPDX-License-Identifier: Apache-2.0
#include "rclcpp/detail/parameter_rules.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace rclcpp::detail {

namespace {

using rcl_interfaces::msg::FloatingPointRange;
using rcl_interfaces::msg::IntegerRange;

bool allows(const IntegerRange& range, int64_t value) {
  if (value < range.from_value || value > range.to_value) return false;
  if (range.step == 0 || value == range.to_value) return true;
  // As unsigned numbers: from one end of int64 to the other is further than an int64 can tell.
  return (static_cast<uint64_t>(value) - static_cast<uint64_t>(range.from_value)) % range.step == 0;
}

// Whether two numbers are one and the same but for the rounding of a few operations: 0.1 + 0.2 is
// meant to be 0.3.
bool meant_to_be(double value, double target) {
  constexpr double kSlack = 64 * std::numeric_limits<double>::epsilon();
  return value == target ||
         std::abs(value - target) <= kSlack * std::min(std::abs(value), std::abs(target));
}

bool allows(const FloatingPointRange& range, double value) {
  if (meant_to_be(value, range.from_value) || meant_to_be(value, range.to_value)) return true;
  // Written so that a value that is not a number is outside.
  if (!(value > range.from_value && value < range.to_value)) return false;
  const double step = std::abs(range.step);
  if (step == 0) return true;
  return meant_to_be(value,
                     range.from_value + step * std::round((value - range.from_value) / step));
}

template <typename RangeT>
std::string text_of(const RangeT& range) {
  std::ostringstream text;
  text << "from " << range.from_value << " to " << range.to_value;
  if (range.step != 0) text << " in steps of " << range.step;
  return text.str();
}

// A list of ranges has one element or none.
template <typename RangesT, typename ValueT>
std::optional<Refusal> outside(const char* kind, const std::string& name, const RangesT& ranges,
                               ValueT value) {
  if (ranges.empty() || allows(ranges[0], value)) return std::nullopt;
  std::ostringstream reason;
  reason << "'" << name << "' is " << value << ", expected a value in its " << kind << " range "
         << text_of(ranges[0]);
  return Refusal{Refusal::Cause::range, reason.str()};
}

}  // namespace

std::optional<Refusal> refusal_of(const Parameter& parameter,
                                  const rcl_interfaces::msg::ParameterDescriptor& descriptor) {
  const auto expected = static_cast<ParameterType>(descriptor.type);
  if (!descriptor.dynamic_typing && parameter.get_type() != expected) {
    return Refusal{Refusal::Cause::type, "expected a value of type " + to_string(expected) +
                                             " for the parameter '" + parameter.get_name() +
                                             "', got one of type " + parameter.get_type_name()};
  }
  switch (parameter.get_type()) {
    case PARAMETER_INTEGER:
      return outside("integer", parameter.get_name(), descriptor.integer_range, parameter.as_int());
    case PARAMETER_DOUBLE:
      return outside("floating point", parameter.get_name(), descriptor.floating_point_range,
                     parameter.as_double());
    default:
      return std::nullopt;
  }
}

}  // namespace rclcpp::detail
