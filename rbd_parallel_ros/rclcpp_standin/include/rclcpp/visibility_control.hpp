// SPDX-License-Identifier: Apache-2.0
// The stand-in's libraries export everything.
#pragma once

#define RCLCPP_PUBLIC
#define RCLCPP_LOCAL
#define RCLCPP_PUBLIC_TYPE
