// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../robots.hpp"
#include "stream/effort_stream.hpp"

namespace rbd_parallel_ros::testing {

constexpr std::int64_t ms = 1'000'000;

/// A stream with a clock that stands where the test puts it, and messages that are right until the
/// test spoils them.
struct StreamRig {
  explicit StreamRig(StreamSettings settings, const std::string& name = "arm7",
                     Base base = Base::fixed, std::vector<std::string> order = {})
      : robot(name, base, order, 1) {
    stream = std::make_unique<EffortStream>(
        robot.served, JointTable(*robot.model, base == Base::floating, order), settings);
    stream->restart(now.steady);
    state.name = stream->joint_names();
    state.position = random_numbers(state.name.size(), 1);
    state.velocity = random_numbers(state.name.size(), 2);
  }

  static builtin_interfaces::msg::Time stamp(std::int64_t nanoseconds) {
    builtin_interfaces::msg::Time out;
    out.sec = static_cast<std::int32_t>(nanoseconds / 1'000'000'000);
    out.nanosec = static_cast<std::uint32_t>(nanoseconds % 1'000'000'000);
    return out;
  }

  void wait(std::int64_t nanoseconds) {
    now.ros += nanoseconds;
    now.steady += nanoseconds;
  }

  /// The next message comes 1 ms later, with the time of now.
  Refusal send() {
    wait(ms);
    state.header.stamp = stamp(now.ros);
    return stream->take(state, now);
  }

  std::uint64_t refused(Refusal refusal) const {
    return stream->counts().states.refused[static_cast<std::size_t>(refusal)];
  }

  std::vector<double> effort() const { return {stream->effort().begin(), stream->effort().end()}; }

  /// tau = M a + C v + g by the robot's other backend, in the order of the model.
  std::vector<double> expected(const std::vector<double>& q, const std::vector<double>& v,
                               const std::vector<double>& a) const {
    std::vector<double> tau(v.size());
    EXPECT_TRUE(
        robot.direct->inverse_dynamics({.batch = 1, .q = q, .v = v, .a = a, .tau = tau}).ok());
    return tau;
  }

  Robot robot;
  std::unique_ptr<EffortStream> stream;
  EffortStream::Now now{1'000'000 * ms, 5'000 * ms};
  sensor_msgs::msg::JointState state;
};

}  // namespace rbd_parallel_ros::testing
