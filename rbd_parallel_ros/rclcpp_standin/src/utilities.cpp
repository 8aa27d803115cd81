// SPDX-License-Identifier: Apache-2.0
#include "rclcpp/utilities.hpp"

#include <rcl/arguments.h>

#include "rclcpp/detail/arguments.hpp"
#include "rclcpp/exceptions.hpp"

namespace rclcpp {

namespace {

Context::SharedPtr or_default(Context::SharedPtr context) {
  return context ? std::move(context) : contexts::get_global_default_context();
}

}  // namespace

void init(int argc, char const* const* argv, const InitOptions& options,
          SignalHandlerOptions signals) {
  contexts::get_global_default_context()->init(argc, argv, options);
  install_signal_handlers(signals);
}

std::vector<std::string> init_and_remove_ros_arguments(int argc, char const* const* argv,
                                                       const InitOptions& options) {
  init(argc, argv, options);
  return remove_ros_arguments(argc, argv);
}

std::vector<std::string> remove_ros_arguments(int argc, char const* const* argv) {
  detail::Arguments arguments(argc, argv);
  const rcl_allocator_t allocator = rcl_get_default_allocator();
  int count = 0;
  const char** left = nullptr;
  detail::check(rcl_remove_ros_arguments(argv, &arguments.get(), allocator, &count, &left),
                "the arguments for ROS cannot be removed");
  std::vector<std::string> others(left, left + count);
  if (left) {
    allocator.deallocate(left, allocator.state);
  }
  return others;
}

bool ok(Context::SharedPtr context) { return or_default(std::move(context))->is_valid(); }

bool shutdown(Context::SharedPtr context, const std::string& reason) {
  const auto default_context = contexts::get_global_default_context();
  const auto ended = context ? context : default_context;
  const bool was_valid = ended->shutdown(reason);
  if (ended == default_context) {
    uninstall_signal_handlers();
  }
  return was_valid;
}

void on_shutdown(std::function<void()> callback, Context::SharedPtr context) {
  or_default(std::move(context))->on_shutdown(std::move(callback));
}

bool sleep_for(const std::chrono::nanoseconds& duration, Context::SharedPtr context) {
  return or_default(std::move(context))->sleep_for(duration);
}

}  // namespace rclcpp
