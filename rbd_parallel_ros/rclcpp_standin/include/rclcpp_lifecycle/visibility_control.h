// SPDX-License-Identifier: Apache-2.0
#pragma once

#define RCLCPP_LIFECYCLE_PUBLIC
#define RCLCPP_LIFECYCLE_LOCAL
