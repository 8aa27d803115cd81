// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/node.h>
#include <rcutils/logging.h>

#include <memory>
#include <string>

namespace rclcpp {

/// A name under which messages are logged.
class Logger {
 public:
  enum class Level {
    Unset = RCUTILS_LOG_SEVERITY_UNSET,
    Debug = RCUTILS_LOG_SEVERITY_DEBUG,
    Info = RCUTILS_LOG_SEVERITY_INFO,
    Warn = RCUTILS_LOG_SEVERITY_WARN,
    Error = RCUTILS_LOG_SEVERITY_ERROR,
    Fatal = RCUTILS_LOG_SEVERITY_FATAL,
  };

  const char* get_name() const { return name_ ? name_->c_str() : nullptr; }
  /// A logger called "<this>.<suffix>", whose messages reach /rosout through the same node.
  Logger get_child(const std::string& suffix);
  void set_level(Level level);
  Level get_effective_level() const;

 private:
  friend Logger get_logger(const std::string& name);
  explicit Logger(std::string name) : name_(std::make_shared<const std::string>(std::move(name))) {}

  std::shared_ptr<const std::string> name_;
  std::shared_ptr<const void>
      rosout_entry_;  // a child's entry in the table of publishers to /rosout
};

Logger get_logger(const std::string& name);
Logger get_node_logger(const rcl_node_t* node);

}  // namespace rclcpp
