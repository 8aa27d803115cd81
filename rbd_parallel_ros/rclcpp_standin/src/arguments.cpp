// SPDX-License-Identifier: Apache-2.0
#include "rclcpp/detail/arguments.hpp"

#include <memory>

#include "rclcpp/exceptions.hpp"

namespace rclcpp::detail {

Arguments::Arguments(int argc, char const* const* argv) {
  check(rcl_parse_arguments(argc, argv, rcl_get_default_allocator(), &arguments_),
        "the arguments cannot be read");
}

Arguments::~Arguments() {
  if (rcl_arguments_fini(&arguments_) != RCL_RET_OK) {
    rcl_reset_error();
  }
}

std::vector<std::string> unknown_ros_arguments(const rcl_arguments_t& arguments,
                                               char const* const* argv) {
  const int count = rcl_arguments_get_count_unparsed_ros(&arguments);
  if (count <= 0) return {};
  const rcl_allocator_t allocator = rcl_get_default_allocator();
  int* places = nullptr;
  check(rcl_arguments_get_unparsed_ros(&arguments, allocator, &places),
        "the arguments that ROS does not know cannot be listed");
  const auto release = [&](int* memory) { allocator.deallocate(memory, allocator.state); };
  const std::unique_ptr<int, decltype(release)> owner(places, release);
  std::vector<std::string> unknown;
  for (int i = 0; i < count; ++i) unknown.emplace_back(argv[places[i]]);
  return unknown;
}

}  // namespace rclcpp::detail
