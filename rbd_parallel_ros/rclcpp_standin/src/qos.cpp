// SPDX-License-Identifier: Apache-2.0
#include "rclcpp/qos.hpp"

namespace rclcpp {

namespace {

bool same(const rmw_time_t& left, const rmw_time_t& right) {
  return left.sec == right.sec && left.nsec == right.nsec;
}

}  // namespace

bool operator==(const QoS& left, const QoS& right) {
  const auto& l = left.get_rmw_qos_profile();
  const auto& r = right.get_rmw_qos_profile();
  return l.history == r.history && l.depth == r.depth && l.reliability == r.reliability &&
         l.durability == r.durability && same(l.deadline, r.deadline) &&
         same(l.lifespan, r.lifespan) && l.liveliness == r.liveliness &&
         same(l.liveliness_lease_duration, r.liveliness_lease_duration) &&
         l.avoid_ros_namespace_conventions == r.avoid_ros_namespace_conventions;
}

}  // namespace rclcpp
