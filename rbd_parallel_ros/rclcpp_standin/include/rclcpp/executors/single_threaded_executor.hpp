// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rclcpp/executor.hpp"

namespace rclcpp::executors {

/// Runs all callbacks one after the other in the thread that calls spin.
class SingleThreadedExecutor : public Executor {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(SingleThreadedExecutor)

  explicit SingleThreadedExecutor(const ExecutorOptions& options = ExecutorOptions())
      : Executor(options) {}

  void spin() override;
};

}  // namespace rclcpp::executors
