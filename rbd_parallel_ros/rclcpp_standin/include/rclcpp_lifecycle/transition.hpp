// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "rclcpp_lifecycle/state.hpp"

namespace rclcpp_lifecycle {

/// A transition between two states: a number of lifecycle_msgs/Transition and its name.
class Transition {
 public:
  explicit Transition(uint8_t id, std::string label = "") : id_(id), label_(std::move(label)) {}
  Transition(uint8_t id, std::string label, State start, State goal)
      : id_(id), label_(std::move(label)), start_(std::move(start)), goal_(std::move(goal)) {}
  virtual ~Transition() = default;

  uint8_t id() const { return id_; }
  std::string label() const { return label_; }
  State start_state() const { return start_; }
  State goal_state() const { return goal_; }

 private:
  uint8_t id_;
  std::string label_;
  State start_;
  State goal_;
};

}  // namespace rclcpp_lifecycle
