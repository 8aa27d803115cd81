// SPDX-License-Identifier: Apache-2.0
#include "rclcpp/logger.hpp"

#include <rcl/logging_rosout.h>

#include "rclcpp/context.hpp"
#include "rclcpp/exceptions.hpp"

namespace rclcpp {

Logger get_logger(const std::string& name) { return Logger(name); }

Logger get_node_logger(const rcl_node_t* node) {
  const char* name = rcl_node_get_logger_name(node);
  if (!name) {
    rcl_reset_error();
    return get_logger("rclcpp");
  }
  return get_logger(name);
}

Logger Logger::get_child(const std::string& suffix) {
  if (!name_) {
    return *this;
  }
  Logger child(*name_ + "." + suffix);
  std::lock_guard lock(detail::logging_mutex());
  const rcl_ret_t ret = rcl_logging_rosout_add_sublogger(name_->c_str(), suffix.c_str());
  if (ret == RCL_RET_OK) {
    child.rosout_entry_ =
        std::shared_ptr<const void>(nullptr, [parent = name_, suffix](const void*) {
          std::lock_guard unlock(detail::logging_mutex());
          if (rcl_logging_rosout_remove_sublogger(parent->c_str(), suffix.c_str()) != RCL_RET_OK) {
            rcl_reset_error();
          }
        });
  } else {
    rcl_reset_error();  // the parent is not a node's logger, or /rosout is not used: it is still
                        // logged elsewhere
  }
  return child;
}

void Logger::set_level(Level level) {
  const rcutils_ret_t ret = rcutils_logging_set_logger_level(get_name(), static_cast<int>(level));
  if (ret != RCUTILS_RET_OK) {
    exceptions::throw_from_rcl_error(RCL_RET_ERROR, "the level of the logger cannot be set");
  }
}

Logger::Level Logger::get_effective_level() const {
  const int level = rcutils_logging_get_logger_effective_level(get_name());
  if (level < 0) {
    exceptions::throw_from_rcl_error(RCL_RET_ERROR, "the level of the logger cannot be read");
  }
  return static_cast<Level>(level);
}

}  // namespace rclcpp
