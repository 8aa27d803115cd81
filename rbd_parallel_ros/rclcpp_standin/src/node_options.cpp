// SPDX-License-Identifier: Apache-2.0
#include "rclcpp/node_options.hpp"

#include "rclcpp/detail/arguments.hpp"
#include "rclcpp/exceptions.hpp"

namespace rclcpp {

std::shared_ptr<const rcl_node_options_t> NodeOptions::get_rcl_node_options() const {
  std::shared_ptr<rcl_node_options_t> options(
      new rcl_node_options_t(rcl_node_get_default_options()), [](rcl_node_options_t* owned) {
        if (rcl_node_options_fini(owned) != RCL_RET_OK) {
          rcl_reset_error();
        }
        delete owned;
      });
  options->use_global_arguments = use_global_arguments_;
  options->enable_rosout = enable_rosout_;
  options->rosout_qos = rosout_qos_.get_rmw_qos_profile();
  if (!arguments_.empty()) {
    std::vector<const char*> argv;
    for (const auto& argument : arguments_) {
      argv.push_back(argument.c_str());
    }
    detail::check(rcl_parse_arguments(static_cast<int>(argv.size()), argv.data(),
                                      options->allocator, &options->arguments),
                  "the arguments cannot be read");
    auto unknown = detail::unknown_ros_arguments(options->arguments, argv.data());
    if (!unknown.empty()) {
      throw exceptions::UnknownROSArgsError(std::move(unknown));
    }
  }
  return options;
}

}  // namespace rclcpp
