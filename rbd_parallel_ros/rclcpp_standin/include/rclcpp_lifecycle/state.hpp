// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <lifecycle_msgs/msg/state.hpp>
#include <string>
#include <utility>

namespace rclcpp_lifecycle {

/// A state of a lifecycle: a number of lifecycle_msgs/State and its name.
class State {
 public:
  State() : State(lifecycle_msgs::msg::State::PRIMARY_STATE_UNKNOWN, "unknown") {}
  State(uint8_t id, std::string label) : id_(id), label_(std::move(label)) {}
  virtual ~State() = default;

  uint8_t id() const { return id_; }
  std::string label() const { return label_; }

 private:
  uint8_t id_;
  std::string label_;
};

}  // namespace rclcpp_lifecycle
