// SPDX-License-Identifier: Apache-2.0
#include "rclcpp/exceptions.hpp"

namespace rclcpp::exceptions {

NameValidationError::NameValidationError(const char* type, const char* the_name,
                                         const char* message, size_t index)
    : std::invalid_argument("not a " + std::string(type) + ": " + message + ":\n  '" + the_name +
                            "'\n   " + std::string(index, ' ') + "^\n"),
      name_type(type),
      name(the_name),
      error_msg(message),
      invalid_index(index) {}

RCLErrorBase::RCLErrorBase(rcl_ret_t the_ret, const rcl_error_state_t* state)
    : ret(the_ret),
      message(state ? state->message : "no error message"),
      file(state ? state->file : ""),
      line(state ? state->line_number : 0),
      formatted_message(state ? message + ", at " + file + ":" + std::to_string(line) : message) {}

namespace {

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) {
    text.append(text.empty() ? "'" : ", '").append(word).append("'");
  }
  return text;
}

}  // namespace

UnknownROSArgsError::UnknownROSArgsError(std::vector<std::string>&& unknown)
    : std::runtime_error("ROS arguments that mean nothing: " + join(unknown)),
      unknown_ros_args(std::move(unknown)) {}

void throw_from_rcl_error(rcl_ret_t ret, const std::string& prefix,
                          const rcl_error_state_t* error_state, void (*reset_error)()) {
  if (ret == RCL_RET_OK) {
    throw std::invalid_argument("expected an error of rcl, got RCL_RET_OK");
  }
  if (!error_state && rcl_error_is_set()) {
    error_state = rcl_get_error_state();
  }
  const std::string what = prefix.empty() ? "" : prefix + ": ";
  const RCLErrorBase base(ret, error_state);
  if (reset_error) {
    reset_error();
  }
  switch (ret) {
    case RCL_RET_BAD_ALLOC:
      throw RCLBadAlloc(base);
    case RCL_RET_INVALID_ARGUMENT:
      throw RCLInvalidArgument(base, what);
    case RCL_RET_INVALID_ROS_ARGS:
      throw RCLInvalidROSArgsError(base, what);
    default:
      throw RCLError(base, what);
  }
}

}  // namespace rclcpp::exceptions
