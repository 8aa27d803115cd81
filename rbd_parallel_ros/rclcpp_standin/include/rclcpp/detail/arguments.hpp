// SPDX-License-Identifier: Apache-2.0
// Command line arguments as rcl parses them.
#pragma once

#include <rcl/arguments.h>

#include <string>
#include <vector>

namespace rclcpp::detail {

/// Owns rcl's view of a command line.
class Arguments {
 public:
  Arguments(int argc, char const* const* argv);
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;
  ~Arguments();

  rcl_arguments_t& get() { return arguments_; }

 private:
  rcl_arguments_t arguments_ = rcl_get_zero_initialized_arguments();
};

/// What stands after --ros-args and is no ROS argument.
std::vector<std::string> unknown_ros_arguments(const rcl_arguments_t& arguments,
                                               char const* const* argv);

}  // namespace rclcpp::detail
