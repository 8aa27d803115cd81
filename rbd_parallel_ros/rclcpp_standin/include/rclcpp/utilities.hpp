// SPDX-License-Identifier: Apache-2.0
// Start and end of a process: init, signals, shutdown.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "rclcpp/context.hpp"

namespace rclcpp {

enum class SignalHandlerOptions { All, SigInt, SigTerm, None };

/// Makes the default context from the process's arguments and installs the signal handlers.
void init(int argc, char const* const* argv, const InitOptions& options = InitOptions(),
          SignalHandlerOptions signals = SignalHandlerOptions::All);

bool install_signal_handlers(SignalHandlerOptions signals = SignalHandlerOptions::All);
bool signal_handlers_installed();
bool uninstall_signal_handlers();

/// As init; returns the arguments that are not meant for ROS.
std::vector<std::string> init_and_remove_ros_arguments(int argc, char const* const* argv,
                                                       const InitOptions& options = InitOptions());
std::vector<std::string> remove_ros_arguments(int argc, char const* const* argv);

bool ok(Context::SharedPtr context = nullptr);
bool shutdown(Context::SharedPtr context = nullptr,
              const std::string& reason = "user called rclcpp::shutdown()");
void on_shutdown(std::function<void()> callback, Context::SharedPtr context = nullptr);

bool sleep_for(const std::chrono::nanoseconds& duration, Context::SharedPtr context = nullptr);

}  // namespace rclcpp
