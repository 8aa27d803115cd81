// SPDX-License-Identifier: Apache-2.0
// What rclcpp throws, and the one place where an rcl return code becomes an exception.
#pragma once

#include <rcl/error_handling.h>
#include <rcl/types.h>

#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rclcpp::exceptions {

class InvalidNodeError : public std::runtime_error {
 public:
  InvalidNodeError() : std::runtime_error("expected a node, got one that is invalid") {}
};

/// A name of a node, namespace, topic or service that breaks the rules for names.
class NameValidationError : public std::invalid_argument {
 public:
  NameValidationError(const char* name_type, const char* name, const char* error_message,
                      size_t invalid_index);

  const std::string name_type;
  const std::string name;
  const std::string error_msg;
  const size_t invalid_index;
};

class InvalidNodeNameError : public NameValidationError {
 public:
  InvalidNodeNameError(const char* name, const char* error_message, size_t invalid_index)
      : NameValidationError("node name", name, error_message, invalid_index) {}
};

class InvalidNamespaceError : public NameValidationError {
 public:
  InvalidNamespaceError(const char* name, const char* error_message, size_t invalid_index)
      : NameValidationError("namespace", name, error_message, invalid_index) {}
};

class InvalidTopicNameError : public NameValidationError {
 public:
  InvalidTopicNameError(const char* name, const char* error_message, size_t invalid_index)
      : NameValidationError("topic name", name, error_message, invalid_index) {}
};

class InvalidServiceNameError : public NameValidationError {
 public:
  InvalidServiceNameError(const char* name, const char* error_message, size_t invalid_index)
      : NameValidationError("service name", name, error_message, invalid_index) {}
};

class UnimplementedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What rcl knows about a failure; copied, since rcl keeps it only until the next call.
class RCLErrorBase {
 public:
  RCLErrorBase(rcl_ret_t ret, const rcl_error_state_t* error_state);
  virtual ~RCLErrorBase() = default;

  rcl_ret_t ret;
  std::string message;
  std::string file;
  size_t line;
  std::string formatted_message;
};

class RCLError : public RCLErrorBase, public std::runtime_error {
 public:
  RCLError(const RCLErrorBase& base, const std::string& prefix)
      : RCLErrorBase(base), std::runtime_error(prefix + base.formatted_message) {}
};

class RCLBadAlloc : public RCLErrorBase, public std::bad_alloc {
 public:
  explicit RCLBadAlloc(const RCLErrorBase& base) : RCLErrorBase(base) {}
};

class RCLInvalidArgument : public RCLErrorBase, public std::invalid_argument {
 public:
  RCLInvalidArgument(const RCLErrorBase& base, const std::string& prefix)
      : RCLErrorBase(base), std::invalid_argument(prefix + base.formatted_message) {}
};

class RCLInvalidROSArgsError : public RCLErrorBase, public std::runtime_error {
 public:
  RCLInvalidROSArgsError(const RCLErrorBase& base, const std::string& prefix)
      : RCLErrorBase(base), std::runtime_error(prefix + base.formatted_message) {}
};

class UnknownROSArgsError : public std::runtime_error {
 public:
  explicit UnknownROSArgsError(std::vector<std::string>&& unknown);

  const std::vector<std::string> unknown_ros_args;
};

class InvalidParametersException : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class InvalidParameterValueException : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class InvalidParameterTypeException : public std::runtime_error {
 public:
  InvalidParameterTypeException(const std::string& name, const std::string& message)
      : std::runtime_error("wrong type of the parameter '" + name + "': " + message) {}
};

class UninitializedStaticallyTypedParameterException : public std::runtime_error {
 public:
  explicit UninitializedStaticallyTypedParameterException(const std::string& name)
      : std::runtime_error("expected a value for the parameter '" + name +
                           "', which has a fixed type and no default; give an override") {}
};

class ParameterAlreadyDeclaredException : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ParameterNotDeclaredException : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ParameterImmutableException : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ParameterModifiedInCallbackException : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ParameterUninitializedException : public std::runtime_error {
 public:
  explicit ParameterUninitializedException(const std::string& name)
      : std::runtime_error("the parameter '" + name + "' is declared, but has no value yet") {}
};

/// Throws the exception that fits an rcl return code other than RCL_RET_OK, and resets rcl's error
/// state.
[[noreturn]] void throw_from_rcl_error(rcl_ret_t ret, const std::string& prefix = "",
                                       const rcl_error_state_t* error_state = nullptr,
                                       void (*reset_error)() = rcl_reset_error);

}  // namespace rclcpp::exceptions

namespace rclcpp::detail {

/// Lets RCL_RET_OK pass and throws on anything else.
inline void check(rcl_ret_t ret, const std::string& what) {
  if (ret != RCL_RET_OK) {
    exceptions::throw_from_rcl_error(ret, what);
  }
}

}  // namespace rclcpp::detail
