// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "lifecycle_machine.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/service.hpp"

namespace rclcpp_lifecycle {

/// The five services of a lifecycle, to be kept by the node. change: goes through the transition of
/// a number, and tells whether it succeeded.
std::vector<rclcpp::ServiceBase::SharedPtr> serve_lifecycle(
    rclcpp::node_interfaces::NodeBaseInterface& base,
    const std::shared_ptr<LifecycleMachine>& machine, std::function<bool(uint8_t)> change);

}  // namespace rclcpp_lifecycle
