// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace rbd_parallel_ros {

/// What the services answer in error_code; the constants of the .srv files, see dynamics.cpp.
enum class ErrorCode : std::uint16_t {
  ok = 0,
  not_active = 1,
  wrong_size = 2,
  unknown_joint = 3,
  duplicate_joint = 4,
  missing_joint = 5,
  unknown_link = 6,
  batch_too_large = 7,
  invalid_argument = 8,
  unsupported = 9,
  states_failed = 10,
  backend_failed = 11,
  internal_error = 12,
};

/// A request that cannot be answered. what() becomes error_msg.
class RequestError : public std::runtime_error {
 public:
  RequestError(ErrorCode code, const std::string& message)
      : std::runtime_error(message), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

/// For a field whose value is none of its constants.
[[noreturn]] inline void refuse_choice(const char* field, unsigned value, const char* choices) {
  throw RequestError(ErrorCode::invalid_argument,
                     std::string(field) + " is " + std::to_string(value) + ", expected " + choices);
}

}  // namespace rbd_parallel_ros
