// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "rclcpp/callback_group.hpp"

namespace rclcpp {

template <typename AllocatorT>
struct PublisherOptionsWithAllocator {
  CallbackGroup::SharedPtr callback_group;  // would serve QoS events, which the stand-in has not
};

using PublisherOptions = PublisherOptionsWithAllocator<std::allocator<void>>;

}  // namespace rclcpp
