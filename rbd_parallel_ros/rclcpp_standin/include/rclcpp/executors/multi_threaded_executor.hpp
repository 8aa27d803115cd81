// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rclcpp/executor.hpp"

namespace rclcpp::executors {

/// Runs callbacks in several threads, as far as their callback groups allow.
class MultiThreadedExecutor : public Executor {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(MultiThreadedExecutor)

  /// number_of_threads: zero takes as many as there are cores, at least two. timeout: of one wait;
  /// for ever if negative.
  explicit MultiThreadedExecutor(const ExecutorOptions& options = ExecutorOptions(),
                                 size_t number_of_threads = 0, bool yield_before_execute = false,
                                 std::chrono::nanoseconds timeout = std::chrono::nanoseconds(-1));

  void spin() override;
  size_t get_number_of_threads() { return number_of_threads_; }

 private:
  void run();

  const size_t number_of_threads_;
  const bool yield_before_execute_;
  const std::chrono::nanoseconds timeout_;
};

}  // namespace rclcpp::executors
