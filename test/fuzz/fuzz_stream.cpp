// SPDX-License-Identifier: Apache-2.0
//
// Law: whatever comes on the topics of the effort stream, at whatever time by whatever clock, an
// effort comes of a joint state only if it is in order, complete and finite, and is itself finite.

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "choices.hpp"
#include "robots.hpp"
#include "stream/effort_stream.hpp"

namespace rbd_parallel_ros::testing {
namespace {

constexpr std::int64_t ms = 1'000'000;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "the law does not hold: %s\n", what);
  std::abort();
}

bool all_finite(std::span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

class StreamFuzz {
 public:
  StreamFuzz(Choices& choices, const Robot& robot, bool floating) : choices_(choices) {
    StreamSettings settings;
    settings.mode = std::array{EffortMode::gravity, EffortMode::bias,
                               EffortMode::inverse_dynamics}[choices.up_to(2)];
    settings.missing_velocity =
        choices.up_to(1) == 0 ? MissingVelocity::refuse : MissingVelocity::zero;
    settings.limits =
        std::array{EffortLimits::off, EffortLimits::warn, EffortLimits::clamp}[choices.up_to(2)];
    stream_ =
        std::make_unique<EffortStream>(robot.served, JointTable(*robot.model, floating), settings);
    stream_->restart(now_.steady);
  }

  void run() {
    for (std::size_t left = choices_.up_to(40); left > 0; --left) {
      now_.steady += ms * static_cast<std::int64_t>(choices_.up_to(30));
      now_.ros += ms * static_cast<std::int64_t>(choices_.up_to(30));
      if (choices_.rarely()) now_.ros = static_cast<std::int64_t>(choices_.bits() >> 2);
      switch (choices_.up_to(7)) {
        case 0:
          stream_->take(reference(), now_);
          break;
        case 1:
          stream_->take(base(), now_);
          break;
        case 2:
          stream_->has_become_stale(now_.steady);
          break;
        default:
          take_state();
      }
    }
  }

 private:
  builtin_interfaces::msg::Time stamp() {
    builtin_interfaces::msg::Time out;
    out.sec = static_cast<std::int32_t>(now_.ros / 1'000'000'000);
    out.nanosec = static_cast<std::uint32_t>(now_.ros % 1'000'000'000);
    if (choices_.rarely()) out.sec = static_cast<std::int32_t>(choices_.bits());
    if (choices_.rarely()) out.nanosec = static_cast<std::uint32_t>(choices_.bits());
    return out;
  }

  std::vector<std::string> names() {
    std::vector<std::string> out = stream_->joint_names();
    if (choices_.rarely()) out = choices_.names(out);
    if (choices_.rarely()) out.push_back("another");
    return out;
  }

  void take_state() {
    sensor_msgs::msg::JointState state;
    state.header.stamp = stamp();
    state.name = names();
    state.position = choices_.numbers(state.name.size());
    state.velocity = choices_.numbers(state.name.size());
    if (stream_->take(state, now_) != Refusal::none) return;
    expect(all_finite(stream_->effort()), "efforts are finite");
    expect(stream_->effort().size() == stream_->joint_names().size(), "each joint has an effort");
    expect(state.position.size() == state.name.size(), "positions were complete");
    const std::int64_t at = std::int64_t{state.header.stamp.sec} * 1'000'000'000 +
                            std::int64_t{state.header.stamp.nanosec};
    expect(at > 0 && at != last_, "the stamp was new");
    last_ = at;
    for (const std::string& joint : stream_->joint_names()) {
      const auto place = std::find(state.name.begin(), state.name.end(), joint);
      expect(place != state.name.end(), "every joint was there");
      expect(std::isfinite(state.position[static_cast<std::size_t>(place - state.name.begin())]),
             "positions were finite");
    }
  }

  rbd_parallel_msgs::msg::AccelerationReference reference() {
    rbd_parallel_msgs::msg::AccelerationReference out;
    out.header.stamp = stamp();
    out.joint_names = names();
    out.acceleration = choices_.numbers(out.joint_names.size());
    return out;
  }

  nav_msgs::msg::Odometry base() {
    nav_msgs::msg::Odometry out;
    out.header.stamp = stamp();
    out.pose.pose.orientation.w = choices_.rarely() ? choices_.number() : 1;
    out.pose.pose.position.x = choices_.number();
    choices_.fill(out.twist.twist);
    return out;
  }

  Choices& choices_;
  std::unique_ptr<EffortStream> stream_;
  EffortStream::Now now_{1'000'000 * ms, 5'000 * ms};
  std::int64_t last_ = 0;
};

}  // namespace
}  // namespace rbd_parallel_ros::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rbd_parallel_ros::testing;
  static const Robot arm("arm7", Base::fixed, {}, 1), quadruped("quadruped", Base::floating, {}, 1);
  Choices choices(data, size);
  const bool floating = choices.up_to(1) == 1;
  StreamFuzz(choices, floating ? quadruped : arm, floating).run();
  return 0;
}
