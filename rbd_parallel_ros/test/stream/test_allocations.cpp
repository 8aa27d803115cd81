// SPDX-License-Identifier: Apache-2.0
//
// From a joint state to its effort nothing is allocated. In a program of its own, since the counter
// replaces malloc.

#include <gtest/gtest.h>

#include "allocation_counter.hpp"
#include "stream_rig.hpp"

namespace rbd_parallel_ros::testing {
namespace {

using rbd_parallel_core::allocations_during;

TEST(Allocations, NoneFromJointStateToEffort) {
  for (const EffortMode mode :
       {EffortMode::gravity, EffortMode::bias, EffortMode::inverse_dynamics}) {
    StreamSettings settings;
    settings.mode = mode;
    settings.limits = EffortLimits::clamp;
    StreamRig rig(settings);
    rbd_parallel_msgs::msg::AccelerationReference reference;
    reference.joint_names = rig.state.name;
    reference.acceleration = random_numbers(7, 3);
    ASSERT_EQ(rig.send(), Refusal::none);  // its names are new
    const auto cycles = [&] {
      for (int i = 0; i < 100; ++i) {
        reference.header.stamp = StreamRig::stamp(rig.now.ros + 1);
        rig.stream->take(reference, rig.now);
        rig.send();
      }
    };
    EXPECT_EQ(allocations_during(cycles), 0u);
    EXPECT_EQ(rig.stream->counts().computed, 101u);
  }
}

TEST(Allocations, NoneForARefusal) {
  StreamSettings settings;
  settings.mode = EffortMode::bias;
  StreamRig rig(settings);
  ASSERT_EQ(rig.send(), Refusal::none);
  rig.state.position[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(allocations_during([&] { rig.send(); }), 0u);
  EXPECT_EQ(rig.refused(Refusal::not_finite), 1u);
}

TEST(Allocations, NoneWhenAPayloadIsTakenOver) {
  StreamSettings settings;
  settings.mode = EffortMode::gravity;
  StreamRig rig(settings);
  ASSERT_EQ(rig.send(), Refusal::none);
  const std::shared_ptr<rbd_parallel_core::Backend> backend =
      rbd_parallel_core::make_backend("reference");
  backend->configure(rig.robot.model, {.max_batch = 1});
  rig.stream->replace_backend(backend);
  EXPECT_EQ(backend.use_count(), 2);
  EXPECT_EQ(allocations_during([&] { rig.send(); }), 0u);
}

TEST(Allocations, AreCaughtWhereTheyAre) {
  StreamSettings settings;
  settings.mode = EffortMode::gravity;
  StreamRig rig(settings);
  EXPECT_GT(allocations_during([&] { rig.send(); }), 0u) << "the first message has new names";
}

}  // namespace
}  // namespace rbd_parallel_ros::testing
