# SPDX-License-Identifier: Apache-2.0
# The stand-in for rclcpp; a real rclcpp comes earlier in the search path.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
foreach(_dependency rcl rcl_yaml_param_parser rcutils rmw rosidl_runtime_cpp rosidl_typesupport_cpp
    builtin_interfaces rcl_interfaces rosgraph_msgs)
  find_dependency(${_dependency})
endforeach()
unset(_dependency)
if(NOT TARGET rclcpp::rclcpp)
  include("${CMAKE_CURRENT_LIST_DIR}/rclcppTargets.cmake")
endif()
set(rclcpp_STANDIN TRUE)
set(rclcpp_TARGETS rclcpp::rclcpp)
set(rclcpp_LIBRARIES rclcpp::rclcpp)
