// SPDX-License-Identifier: Apache-2.0
//
// Each guard of the stream has a test here that fails without it.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "stream_rig.hpp"

namespace rbd_parallel_ros::testing {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

StreamSettings mode(EffortMode mode) {
  StreamSettings settings;
  settings.mode = mode;
  return settings;
}

rbd_parallel_msgs::msg::AccelerationReference reference_for(const StreamRig& rig) {
  rbd_parallel_msgs::msg::AccelerationReference reference;
  reference.header.stamp = StreamRig::stamp(rig.now.ros);
  reference.joint_names = rig.state.name;
  reference.acceleration = random_numbers(rig.state.name.size(), 3);
  return reference;
}

// What is computed

TEST(EffortStream, GravityIsOfThePositionAlone) {
  StreamRig rig(mode(EffortMode::gravity));
  EXPECT_EQ(rig.send(), Refusal::none);
  const std::vector<double> zero(7);
  EXPECT_EQ(rig.effort(), rig.expected(rig.state.position, zero, zero));
  rig.state.velocity.clear();
  EXPECT_EQ(rig.send(), Refusal::none) << "velocities are not needed";
}

TEST(EffortStream, BiasHasGravityAndCoriolisTerms) {
  StreamRig rig(mode(EffortMode::bias));
  EXPECT_EQ(rig.send(), Refusal::none);
  EXPECT_EQ(rig.effort(),
            rig.expected(rig.state.position, rig.state.velocity, std::vector<double>(7)));
}

TEST(EffortStream, AReferenceAddsWhatItsAccelerationsNeed) {
  StreamRig rig(mode(EffortMode::inverse_dynamics));
  const auto reference = reference_for(rig);
  rig.stream->take(reference, rig.now);
  EXPECT_EQ(rig.send(), Refusal::none);
  EXPECT_EQ(rig.effort(),
            rig.expected(rig.state.position, rig.state.velocity, reference.acceleration));
  EXPECT_EQ(rig.stream->counts().without_reference, 0u);
}

TEST(EffortStream, EffortsPushAgainstGravity) {
  // A pendulum that is held out to the side: its weight pulls it down, the effort must hold it up.
  StreamRig rig(mode(EffortMode::gravity), "pendulum2");
  rig.state.position = {0.5, 0};
  ASSERT_EQ(rig.send(), Refusal::none);
  std::vector<double> qdd(2);
  const std::vector<double> zero(2);
  ASSERT_TRUE(
      rig.robot.direct
          ->forward_dynamics(
              {.batch = 1, .q = rig.state.position, .v = zero, .tau = rig.effort(), .qdd = qdd})
          .ok());
  EXPECT_NEAR(qdd[0], 0, 1e-9);
  EXPECT_NEAR(qdd[1], 0, 1e-9);
  EXPECT_GT(std::abs(rig.effort()[0]), 0.1);
}

TEST(EffortStream, OrderOfNamesAndOtherJointsDoNotMatter) {
  StreamRig rig(mode(EffortMode::bias));
  ASSERT_EQ(rig.send(), Refusal::none);
  const std::vector<double> before = rig.effort();
  std::reverse(rig.state.name.begin(), rig.state.name.end());
  std::reverse(rig.state.position.begin(), rig.state.position.end());
  std::reverse(rig.state.velocity.begin(), rig.state.velocity.end());
  rig.state.name.insert(rig.state.name.begin() + 3, "gripper_of_another_robot");
  rig.state.position.insert(rig.state.position.begin() + 3, nan);
  rig.state.velocity.insert(rig.state.velocity.begin() + 3, nan);
  EXPECT_EQ(rig.send(), Refusal::none);
  EXPECT_EQ(rig.effort(), before);
}

TEST(EffortStream, EffortsStandInTheOrderOfTheParameterJoints) {
  StreamRig forward(mode(EffortMode::bias));
  std::vector<std::string> order = forward.stream->joint_names();
  std::reverse(order.begin(), order.end());
  StreamRig backward(mode(EffortMode::bias), "arm7", Base::fixed, order);
  backward.state = forward.state;
  ASSERT_EQ(forward.send(), Refusal::none);
  ASSERT_EQ(backward.send(), Refusal::none);
  EXPECT_EQ(backward.stream->joint_names(), order);
  std::vector<double> effort = backward.effort();
  std::reverse(effort.begin(), effort.end());
  EXPECT_EQ(effort, forward.effort());
}

TEST(EffortStream, MimicJointsNeedNotBeInTheMessage) {
  StreamRig rig(mode(EffortMode::gravity), "gripper");
  EXPECT_LT(rig.state.name.size(), rig.robot.model->joints().size());
  EXPECT_EQ(rig.send(), Refusal::none);
}

// Guards: joint states

TEST(EffortStream, NothingComesOfNumbersThatAreNone) {
  for (const double bad : {nan, infinity, -infinity}) {
    for (auto* numbers : {"position", "velocity"}) {
      StreamRig rig(mode(EffortMode::bias));
      auto& spoiled = *numbers == 'p' ? rig.state.position : rig.state.velocity;
      spoiled[4] = bad;
      EXPECT_EQ(rig.send(), Refusal::not_finite) << numbers << " " << bad;
      EXPECT_EQ(rig.stream->counts().last_joint, 4);
      EXPECT_EQ(rig.stream->counts().computed, 0u);
      spoiled[4] = 0;
      EXPECT_EQ(rig.send(), Refusal::none) << "and it recovers";
    }
  }
}

TEST(EffortStream, NumbersBeyondAllRangeGiveNoEffort) {
  StreamRig rig(mode(EffortMode::bias));
  rig.state.velocity[1] = 1e300;
  EXPECT_EQ(rig.send(), Refusal::effort_not_finite);
}

TEST(EffortStream, MissingVelocityIsRefusedOrZeroAsSet) {
  for (const EffortMode which : {EffortMode::bias, EffortMode::inverse_dynamics}) {
    StreamRig refusing(mode(which));
    refusing.state.velocity.clear();
    EXPECT_EQ(refusing.send(), Refusal::missing_velocity);
    StreamSettings zero = mode(which);
    zero.missing_velocity = MissingVelocity::zero;
    StreamRig rig(zero);
    ASSERT_EQ(rig.send(), Refusal::none);
    rig.state.velocity.clear();
    EXPECT_EQ(rig.send(), Refusal::none);
    const std::vector<double> still(7);
    EXPECT_EQ(rig.effort(), rig.expected(rig.state.position, still, still))
        << "the velocities of the message before are not used again";
  }
}

TEST(EffortStream, MissingAndDoubledJointsAreRefusedAndNamed) {
  StreamRig rig(mode(EffortMode::gravity));
  const std::string name = rig.state.name[2];
  rig.state.name[2] = "another";
  EXPECT_EQ(rig.send(), Refusal::missing_joint);
  EXPECT_EQ(rig.stream->counts().last_joint, 2);
  EXPECT_EQ(rig.send(), Refusal::missing_joint) << "the same names are refused again";
  rig.state.name[2] = rig.state.name[0];
  EXPECT_EQ(rig.send(), Refusal::duplicate_joint);
  rig.state.name[2] = name;
  EXPECT_EQ(rig.send(), Refusal::none);
  for (const char* other : {"x", "x"}) {
    rig.state.name.push_back(other);
    rig.state.position.push_back(0);
    rig.state.velocity.push_back(0);
  }
  EXPECT_EQ(rig.send(), Refusal::none) << "joints of others may be doubled";
}

TEST(EffortStream, SizesThatDoNotFitAreRefused) {
  StreamRig rig(mode(EffortMode::gravity));
  rig.state.position.pop_back();
  EXPECT_EQ(rig.send(), Refusal::wrong_size);
  rig.state.position.clear();
  EXPECT_EQ(rig.send(), Refusal::wrong_size);
  rig.state.position.resize(100);
  EXPECT_EQ(rig.send(), Refusal::wrong_size);
  rig.state.position.resize(7);
  rig.state.velocity.resize(3);
  EXPECT_EQ(rig.send(), Refusal::wrong_size);
  rig.state = sensor_msgs::msg::JointState();
  EXPECT_EQ(rig.send(), Refusal::missing_joint);
}

TEST(EffortStream, StampsAreGuarded) {
  StreamRig rig(mode(EffortMode::gravity));
  ASSERT_EQ(rig.send(), Refusal::none);
  EXPECT_EQ(rig.stream->take(rig.state, rig.now), Refusal::stamp_backwards);
  rig.state.header.stamp = StreamRig::stamp(rig.now.ros - 200 * ms);
  EXPECT_EQ(rig.stream->take(rig.state, rig.now), Refusal::stamp_old);
  rig.state.header.stamp = StreamRig::stamp(rig.now.ros + 200 * ms);
  EXPECT_EQ(rig.stream->take(rig.state, rig.now), Refusal::stamp_ahead);
  rig.state.header.stamp = StreamRig::stamp(0);
  EXPECT_EQ(rig.stream->take(rig.state, rig.now), Refusal::stamp_missing);
  rig.now.ros -= 1000 * ms;  // a simulation starts again
  EXPECT_EQ(rig.send(), Refusal::clock_jumped);
  EXPECT_EQ(rig.send(), Refusal::none);
  EXPECT_EQ(rig.stream->counts().computed, 2u);
}

TEST(EffortStream, AMessageThatCannotBeUsedDoesNotShutOutOthers) {
  StreamRig rig(mode(EffortMode::gravity));
  ASSERT_EQ(rig.send(), Refusal::none);
  sensor_msgs::msg::JointState bad = rig.state;
  bad.position[0] = nan;
  bad.header.stamp = StreamRig::stamp(rig.now.ros + 50 * ms);
  EXPECT_EQ(rig.stream->take(bad, rig.now), Refusal::not_finite);
  EXPECT_EQ(rig.send(), Refusal::none) << "its stamp does not count";
}

TEST(EffortStream, MessagesOfOtherRobotsArePassedOver) {
  StreamRig rig(mode(EffortMode::gravity));
  sensor_msgs::msg::JointState other;
  other.name = {"left_finger", "right_finger"};
  other.position = {nan, 0.02};
  for (int i = 0; i < 3; ++i) {
    other.header.stamp = StreamRig::stamp(rig.now.ros + 50 * ms);
    EXPECT_EQ(rig.stream->take(other, rig.now), Refusal::other_joints);
    EXPECT_EQ(rig.send(), Refusal::none);
  }
  EXPECT_EQ(rig.stream->counts().received, 3u);
  EXPECT_EQ(rig.stream->counts().states.last, Refusal::none);
}

TEST(EffortStream, AReasonIsOverWithTheNextStateThatCanBeUsed) {
  StreamRig rig(mode(EffortMode::gravity));
  rig.state.position[2] = nan;
  rig.send();
  EXPECT_EQ(rig.stream->counts().states.standing, Refusal::not_finite);
  rig.state.position[2] = 0;
  rig.send();
  EXPECT_EQ(rig.stream->counts().states.standing, Refusal::none);
  EXPECT_EQ(rig.stream->counts().states.last, Refusal::not_finite);
}

TEST(EffortStream, AClockThatRunsBackwardsGivesNoEffortHoweverLong) {
  StreamRig rig(mode(EffortMode::gravity));
  ASSERT_EQ(rig.send(), Refusal::none);
  for (int i = 0; i < 500; ++i) {
    rig.now.ros -= 11 * ms;  // and 1 ms on, as the steady clock
    ASSERT_NE(rig.send(), Refusal::none) << i;
    rig.stream->has_become_stale(rig.now.steady);
  }
  EXPECT_TRUE(rig.stream->counts().stale);
  EXPECT_EQ(rig.stream->counts().times_stale, 1u);
}

TEST(EffortStream, AClockThatJumpsToAndFroGivesNoEffortHoweverLong) {
  StreamRig rig(mode(EffortMode::gravity));
  ASSERT_EQ(rig.send(), Refusal::none);
  for (int i = 0; i < 500; ++i) {
    rig.now.ros += (i % 2 == 0 ? 1 : -1) * 5000 * ms;
    ASSERT_EQ(rig.send(), Refusal::clock_jumped) << i;
    rig.stream->has_become_stale(rig.now.steady);
  }
  EXPECT_EQ(rig.stream->counts().times_stale, 1u);
}

TEST(EffortStream, ARobotThatComesBackWithAnEarlierClockCostsOneState) {
  StreamRig rig(mode(EffortMode::gravity));
  ASSERT_EQ(rig.send(), Refusal::none);
  rig.wait(3000 * ms);
  ASSERT_TRUE(rig.stream->has_become_stale(rig.now.steady));
  rig.now.ros -= 60'000 * ms;
  EXPECT_EQ(rig.send(), Refusal::clock_jumped);
  EXPECT_EQ(rig.send(), Refusal::none);
}

// Guards: time-outs

TEST(EffortStream, InputsThatStopAreToldOnce) {
  StreamRig rig(mode(EffortMode::gravity));
  ASSERT_EQ(rig.send(), Refusal::none);
  rig.wait(100 * ms);
  EXPECT_FALSE(rig.stream->has_become_stale(rig.now.steady));
  rig.wait(1);
  EXPECT_TRUE(rig.stream->has_become_stale(rig.now.steady));
  EXPECT_TRUE(rig.stream->counts().stale);
  EXPECT_FALSE(rig.stream->has_become_stale(rig.now.steady));
  EXPECT_EQ(rig.stream->counts().times_stale, 1u);
  EXPECT_EQ(rig.send(), Refusal::none);
  EXPECT_FALSE(rig.stream->counts().stale);
}

TEST(EffortStream, WithoutAnyInputItBecomesStaleToo) {
  StreamRig rig(mode(EffortMode::gravity));
  EXPECT_FALSE(rig.stream->has_become_stale(rig.now.steady));
  rig.wait(101 * ms);
  EXPECT_TRUE(rig.stream->has_become_stale(rig.now.steady));
}

TEST(EffortStream, InputsThatCannotBeUsedDoNotKeepItFresh) {
  StreamRig rig(mode(EffortMode::gravity));
  ASSERT_EQ(rig.send(), Refusal::none);
  rig.state.position[0] = nan;
  for (int i = 0; i < 101; ++i) rig.send();
  EXPECT_TRUE(rig.stream->has_become_stale(rig.now.steady));
}

TEST(EffortStream, AReferenceHoldsForItsTimeOnly) {
  StreamRig rig(mode(EffortMode::inverse_dynamics));
  const auto reference = reference_for(rig);
  rig.stream->take(reference, rig.now);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(rig.send(), Refusal::none);
  EXPECT_EQ(rig.effort(),
            rig.expected(rig.state.position, rig.state.velocity, reference.acceleration));
  EXPECT_EQ(rig.send(), Refusal::none);
  EXPECT_EQ(rig.effort(),
            rig.expected(rig.state.position, rig.state.velocity, std::vector<double>(7)));
  EXPECT_EQ(rig.stream->counts().without_reference, 1u);
}

TEST(EffortStream, ReferencesMayComeSlowly) {
  StreamRig rig(mode(EffortMode::inverse_dynamics));
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(rig.stream->take(reference_for(rig), rig.now), Refusal::none);
    ASSERT_EQ(rig.send(), Refusal::none);
    for (int k = 0; k < 300; ++k) rig.send();
  }
  EXPECT_EQ(rig.stream->counts().references.last, Refusal::none);
}

TEST(EffortStream, ABadReferenceDoesNotShutOutOthers) {
  StreamRig rig(mode(EffortMode::inverse_dynamics));
  EXPECT_EQ(rig.stream->take(reference_for(rig), rig.now), Refusal::none);
  auto bad = reference_for(rig);
  bad.header.stamp = StreamRig::stamp(rig.now.ros + 50 * ms);
  bad.acceleration[0] = nan;
  EXPECT_EQ(rig.stream->take(bad, rig.now), Refusal::not_finite);
  rig.wait(ms);
  EXPECT_EQ(rig.stream->take(reference_for(rig), rig.now), Refusal::none);
}

TEST(EffortStream, TheAgeOfAReferenceCounts) {
  StreamRig rig(mode(EffortMode::inverse_dynamics));
  const auto reference = reference_for(rig);
  rig.wait(60 * ms);
  rig.stream->take(reference, rig.now);
  rig.wait(39 * ms);
  ASSERT_EQ(rig.send(), Refusal::none);
  EXPECT_EQ(rig.stream->counts().without_reference, 0u);
  ASSERT_EQ(rig.send(), Refusal::none);
  EXPECT_EQ(rig.stream->counts().without_reference, 1u);
}

TEST(EffortStream, BadReferencesAreNotUsed) {
  using Reference = rbd_parallel_msgs::msg::AccelerationReference;
  const auto spoil = std::vector<void (*)(Reference&)>{
      [](Reference& r) { r.acceleration[3] = nan; },
      [](Reference& r) { r.acceleration.pop_back(); },
      [](Reference& r) { r.joint_names[1] = "nobody"; },
      [](Reference& r) { r.joint_names[1] = r.joint_names[0]; },
      [](Reference& r) { r.header.stamp = StreamRig::stamp(0); },
  };
  for (const auto& make_bad : spoil) {
    StreamRig rig(mode(EffortMode::inverse_dynamics));
    Reference reference = reference_for(rig);
    make_bad(reference);
    rig.stream->take(reference, rig.now);
    EXPECT_EQ(rig.stream->counts().references.refused[static_cast<std::size_t>(
                  rig.stream->counts().references.last.load())],
              1u);
    ASSERT_EQ(rig.send(), Refusal::none);
    EXPECT_EQ(rig.stream->counts().without_reference, 1u);
  }
}

TEST(EffortStream, JointsThatAReferenceDoesNotNameHaveNoAcceleration) {
  StreamRig rig(mode(EffortMode::inverse_dynamics));
  auto reference = reference_for(rig);
  rig.stream->take(reference, rig.now);
  rig.wait(ms);
  reference = reference_for(rig);
  reference.joint_names = {rig.state.name[5]};
  reference.acceleration = {2.5};
  rig.stream->take(reference, rig.now);
  ASSERT_EQ(rig.send(), Refusal::none);
  std::vector<double> a(7);
  a[5] = 2.5;
  EXPECT_EQ(rig.effort(), rig.expected(rig.state.position, rig.state.velocity, a));
}

// Guards: limits

TEST(EffortStream, LimitsAreKeptToAsSet) {
  StreamRig free(mode(EffortMode::bias));
  ASSERT_EQ(free.send(), Refusal::none);
  for (const EffortLimits limits : {EffortLimits::off, EffortLimits::warn, EffortLimits::clamp}) {
    StreamSettings settings = mode(EffortMode::bias);
    settings.limits = limits;
    StreamRig rig(settings);
    for (double& velocity : rig.state.velocity) velocity *= 1000;
    ASSERT_EQ(rig.send(), Refusal::none);
    const std::vector<double> wanted =
        rig.expected(rig.state.position, rig.state.velocity, std::vector<double>(7));
    bool beyond = false;
    for (std::size_t i = 0; i < 7; ++i) {
      const double limit = rig.robot.model->joints()[i].limits->effort;
      ASSERT_GT(limit, 0);
      beyond = beyond || std::abs(wanted[i]) > limit;
      const double kept = std::clamp(wanted[i], -limit, limit);
      EXPECT_EQ(rig.effort()[i], limits == EffortLimits::clamp ? kept : wanted[i]);
    }
    EXPECT_TRUE(beyond) << "the test must go beyond a limit";
    EXPECT_EQ(rig.stream->counts().beyond_limits > 0, limits != EffortLimits::off);
  }
}

// The floating base

nav_msgs::msg::Odometry base_state(const StreamRig& rig) {
  nav_msgs::msg::Odometry base;
  base.header.stamp = StreamRig::stamp(rig.now.ros);
  base.pose.pose.position.z = 0.5;
  base.pose.pose.orientation.y = std::sin(0.2);
  base.pose.pose.orientation.w = std::cos(0.2);
  base.twist.twist.linear.x = 0.3;
  base.twist.twist.angular.z = -0.7;
  return base;
}

TEST(EffortStream, AFloatingBaseCountsWithPoseAndTwist) {
  StreamRig rig(mode(EffortMode::bias), "quadruped", Base::floating);
  rig.stream->take(base_state(rig), rig.now);
  ASSERT_EQ(rig.send(), Refusal::none);
  std::vector<double> q{0, 0, 0.5, 0, std::sin(0.2), 0, std::cos(0.2)}, v{0.3, 0, 0, 0, 0, -0.7};
  q.insert(q.end(), rig.state.position.begin(), rig.state.position.end());
  v.insert(v.end(), rig.state.velocity.begin(), rig.state.velocity.end());
  const std::vector<double> tau = rig.expected(q, v, std::vector<double>(v.size()));
  EXPECT_EQ(rig.effort(), std::vector<double>(tau.begin() + 6, tau.end()));
}

TEST(EffortStream, AFloatingBaseThatIsNotKnownGivesNoEffort) {
  StreamRig rig(mode(EffortMode::gravity), "quadruped", Base::floating);
  EXPECT_EQ(rig.send(), Refusal::base_missing);
  rig.stream->take(base_state(rig), rig.now);
  EXPECT_EQ(rig.send(), Refusal::none);
  for (int i = 0; i < 99; ++i) ASSERT_EQ(rig.send(), Refusal::none);
  EXPECT_EQ(rig.send(), Refusal::base_old);
}

TEST(EffortStream, TheAgeOfABaseStateCounts) {
  StreamRig rig(mode(EffortMode::gravity), "quadruped", Base::floating);
  const nav_msgs::msg::Odometry base = base_state(rig);
  rig.wait(60 * ms);
  EXPECT_EQ(rig.stream->take(base, rig.now), Refusal::none);
  for (int i = 0; i < 40; ++i) ASSERT_EQ(rig.send(), Refusal::none);
  EXPECT_EQ(rig.send(), Refusal::base_old);
  EXPECT_EQ(rig.stream->take(base_state(rig), rig.now), Refusal::none) << "after a pause";
  EXPECT_EQ(rig.send(), Refusal::none);
}

TEST(EffortStream, BadBaseStatesAreNotUsed) {
  using Odometry = nav_msgs::msg::Odometry;
  const auto spoil = std::vector<void (*)(Odometry&)>{
      [](Odometry& base) { base.pose.pose.position.x = nan; },
      [](Odometry& base) { base.twist.twist.angular.y = infinity; },
      [](Odometry& base) { base.pose.pose.orientation.w = 0, base.pose.pose.orientation.y = 0; },
      [](Odometry& base) { base.pose.pose.orientation.w = 2; },
      [](Odometry& base) { base.header.stamp = StreamRig::stamp(0); },
  };
  for (const auto& make_bad : spoil) {
    StreamRig rig(mode(EffortMode::gravity), "quadruped", Base::floating);
    Odometry base = base_state(rig);
    make_bad(base);
    rig.stream->take(base, rig.now);
    EXPECT_EQ(rig.send(), Refusal::base_missing);
    EXPECT_EQ(rig.stream->counts()
                  .bases.refused[static_cast<std::size_t>(rig.stream->counts().bases.last.load())],
              1u);
    EXPECT_NE(rig.stream->counts().bases.last, Refusal::none);
  }
}

TEST(EffortStream, JointsOfMoreThanOneCoordinateAreRefusedAtOnce) {
  rbd_parallel_core::RobotDescription ball;
  rbd_parallel_core::LinkInertial one_kilogram;
  one_kilogram.mass = 1;
  ball.links = {{"world", {}}, {"ball", one_kilogram}};
  rbd_parallel_core::JointDescription joint;
  joint.name = "socket", joint.parent = "world", joint.child = "ball";
  joint.kind = rbd_parallel_core::JointKind::spherical;
  ball.joints = {joint};
  const auto model = std::make_shared<const Model>(rbd_parallel_core::build_model(ball));
  const std::shared_ptr<rbd_parallel_core::Backend> backend =
      rbd_parallel_core::make_backend("reference");
  backend->configure(model, {.max_batch = 1});
  EXPECT_THROW(EffortStream(backend, JointTable(*model, false), mode(EffortMode::gravity)),
               std::invalid_argument);
}

// Payloads

TEST(EffortStream, AnotherBackendCountsFromTheNextStateOn) {
  StreamRig rig(mode(EffortMode::gravity));
  ASSERT_EQ(rig.send(), Refusal::none);
  const std::vector<double> before = rig.effort();
  rbd_parallel_core::LinkInertial payload;
  payload.mass = 3;
  const auto loaded = std::make_shared<const Model>(
      rig.robot.model->with_payload(rig.robot.model->links().back().name, payload));
  const std::shared_ptr<rbd_parallel_core::Backend> backend =
      rbd_parallel_core::make_backend("reference");
  backend->configure(loaded, {.max_batch = 1});
  rig.stream->replace_backend(backend);
  EXPECT_EQ(rig.effort(), before);
  ASSERT_EQ(rig.send(), Refusal::none);
  std::vector<double> with_payload(7);
  ASSERT_TRUE(
      backend->gravity_forces({.batch = 1, .q = rig.state.position, .v = {}, .tau = with_payload})
          .ok());
  EXPECT_EQ(rig.effort(), with_payload);
  EXPECT_NE(rig.effort(), before);
}

}  // namespace
}  // namespace rbd_parallel_ros::testing
