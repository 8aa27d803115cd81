// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rcl/init_options.h>

#include <cstddef>
#include <memory>

namespace rclcpp {

/// Options of rclcpp::init.
class InitOptions {
 public:
  /// Whether the context is shut down when SIGINT or SIGTERM arrives.
  bool shutdown_on_signal = true;

  explicit InitOptions(rcl_allocator_t allocator = rcl_get_default_allocator());

  bool auto_initialize_logging() const { return initialize_logging_; }
  InitOptions& auto_initialize_logging(bool initialize_logging) {
    initialize_logging_ = initialize_logging;
    return *this;
  }

  void set_domain_id(size_t domain_id);
  size_t get_domain_id() const;
  /// Takes the domain from ROS_DOMAIN_ID now; without this, rcl takes it when the context is made.
  void use_default_domain_id();

  const rcl_init_options_t* get_rcl_init_options() const { return options_.get(); }

 private:
  // Shared, since copies of these options are never changed after rclcpp::init has read them.
  std::shared_ptr<rcl_init_options_t> options_;
  bool initialize_logging_ = true;
};

}  // namespace rclcpp
