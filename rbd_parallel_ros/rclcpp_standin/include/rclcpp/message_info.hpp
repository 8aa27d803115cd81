// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rmw/types.h>

namespace rclcpp {

/// Where and when a message was sent.
class MessageInfo {
 public:
  MessageInfo() = default;
  MessageInfo(const rmw_message_info_t& info) : info_(info) {}  // NOLINT: implicit, as in rclcpp

  const rmw_message_info_t& get_rmw_message_info() const { return info_; }
  rmw_message_info_t& get_rmw_message_info() { return info_; }

 private:
  rmw_message_info_t info_ = rmw_get_zero_initialized_message_info();
};

}  // namespace rclcpp
