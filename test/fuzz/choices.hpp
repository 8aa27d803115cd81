// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <bit>
#include <cstdint>
#include <geometry_msgs/msg/accel.hpp>
#include <geometry_msgs/msg/pose.hpp>
#include <geometry_msgs/msg/twist.hpp>
#include <geometry_msgs/msg/wrench.hpp>
#include <string>
#include <vector>

namespace rbd_parallel_ros::testing {

/// Reads the bytes of a fuzzer as choices that make messages, so that each input is one: sizes are
/// right unless a choice says no.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : bytes_(data, size) {}

  std::size_t up_to(std::size_t most) {
    return bytes_.ConsumeIntegralInRange<std::size_t>(0, most);
  }
  bool rarely() { return up_to(15) == 15; }

  double number() {
    if (rarely()) return std::bit_cast<double>(bits());
    return static_cast<double>(bytes_.ConsumeIntegral<std::int8_t>()) / 16;
  }
  /// Mostly as many as are right, or none.
  std::size_t size(std::size_t right) {
    if (!rarely()) return right;
    return bytes_.ConsumeBool() ? 0 : up_to(2 * right + 8);
  }
  std::vector<double> numbers(std::size_t right) {
    std::vector<double> out(size(right));
    for (double& x : out) x = number();
    return out;
  }
  std::string name(const std::vector<std::string>& known) {
    if (rarely()) return bytes_.ConsumeRandomLengthString(300);
    return known[up_to(known.size() - 1)];
  }
  std::vector<std::string> names(const std::vector<std::string>& known) {
    std::vector<std::string> out(up_to(known.size() + 1));
    for (std::string& one : out) one = name(known);
    return out;
  }
  std::uint64_t bits() { return bytes_.ConsumeIntegral<std::uint64_t>(); }
  std::uint8_t byte() { return bytes_.ConsumeIntegral<std::uint8_t>(); }

  void fill(geometry_msgs::msg::Vector3& v) { v.x = number(), v.y = number(), v.z = number(); }
  void fill(geometry_msgs::msg::Pose& pose) {
    pose.position.x = number();
    pose.orientation.w = number(), pose.orientation.z = number();
  }
  void fill(geometry_msgs::msg::Twist& twist) { fill(twist.linear), fill(twist.angular); }
  void fill(geometry_msgs::msg::Accel& accel) { fill(accel.linear), fill(accel.angular); }
  void fill(geometry_msgs::msg::Wrench& wrench) { fill(wrench.force), fill(wrench.torque); }
  template <class Array>
  void fill_all(Array& array, std::size_t right) {
    array.resize(size(right));
    for (auto& element : array) fill(element);
  }

 private:
  FuzzedDataProvider bytes_;
};

}  // namespace rbd_parallel_ros::testing
