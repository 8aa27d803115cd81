// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "rclcpp/callback_group.hpp"

namespace rclcpp {

template <typename AllocatorT>
struct SubscriptionOptionsWithAllocator {
  bool ignore_local_publications = false;
  CallbackGroup::SharedPtr callback_group;
};

using SubscriptionOptions = SubscriptionOptionsWithAllocator<std::allocator<void>>;

}  // namespace rclcpp
