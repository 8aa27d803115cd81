// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rclcpp/contexts/default_context.hpp"

namespace rclcpp {

struct ExecutorOptions {
  Context::SharedPtr context = contexts::get_global_default_context();
};

}  // namespace rclcpp
