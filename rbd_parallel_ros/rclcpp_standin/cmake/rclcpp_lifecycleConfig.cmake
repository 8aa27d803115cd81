# SPDX-License-Identifier: Apache-2.0
# The stand-in for rclcpp_lifecycle; a real rclcpp_lifecycle comes earlier in the search path.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
foreach(_dependency rclcpp rcl_lifecycle lifecycle_msgs)
  find_dependency(${_dependency})
endforeach()
unset(_dependency)
if(NOT TARGET rclcpp_lifecycle::rclcpp_lifecycle)
  include("${CMAKE_CURRENT_LIST_DIR}/rclcpp_lifecycleTargets.cmake")
endif()
set(rclcpp_lifecycle_STANDIN TRUE)
set(rclcpp_lifecycle_TARGETS rclcpp_lifecycle::rclcpp_lifecycle)
set(rclcpp_lifecycle_LIBRARIES rclcpp_lifecycle::rclcpp_lifecycle)
