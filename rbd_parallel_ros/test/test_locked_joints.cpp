// SPDX-License-Identifier: Apache-2.0
#include "locked_joints.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "robots.hpp"

namespace rbd_parallel_ros::testing {
namespace {

using rbd_parallel_core::MimicPolicy;
using Names = std::vector<std::string>;

std::shared_ptr<const Model> locked(rbd_parallel_core::RobotDescription robot, const Names& joints,
                                    MimicPolicy mimic = MimicPolicy::honour) {
  lock_all_but(joints, mimic, robot);
  ModelOptions options;
  options.mimic = mimic;
  return std::make_shared<const Model>(rbd_parallel_core::build_model(robot, options));
}

std::shared_ptr<const Model> locked(const std::string& name, const Names& joints,
                                    MimicPolicy mimic = MimicPolicy::honour) {
  return locked(read(name), joints, mimic);
}

std::shared_ptr<const Model> locked_text(const std::string& urdf, const Names& joints) {
  std::vector<std::string> warnings;
  return locked(rbd_parallel_core::read_urdf(urdf, warnings), joints);
}

std::vector<double> gravity_forces(const std::shared_ptr<const Model>& model,
                                   const std::vector<double>& q) {
  const auto backend = rbd_parallel_core::make_backend("reference");
  backend->configure(model);
  std::vector<double> tau(static_cast<std::size_t>(model->nv()));
  EXPECT_TRUE(backend->gravity_forces({.q = q, .v = {}, .tau = tau}).ok());
  return tau;
}

/// Law: forces of the joints that move are those of the whole robot with the others at 0.
TEST(LockedJoints, MoveLikeTheWholeRobotWithTheOthersAtZero) {
  const auto whole = std::make_shared<const Model>(load("arm7"));
  const auto some = locked("arm7", {"joint_2", "joint_4"});
  ASSERT_EQ(some->joint_names(), (Names{"joint_2", "joint_4"}));
  const auto expected = gravity_forces(whole, {0, 0.7, 0, -0.4, 0, 0, 0});
  const auto actual = gravity_forces(some, {0.7, -0.4});
  EXPECT_NEAR(actual[0], expected[1], 1e-12);
  EXPECT_NEAR(actual[1], expected[3], 1e-12);
}

/// Law: a follower of a locked joint stays where its rule puts it (the cam has an offset of 0.1
/// rad).
TEST(LockedJoints, FollowersStayWhereTheirRulePutsThem) {
  const auto whole = std::make_shared<const Model>(load("gripper"));
  const auto some = locked("gripper", {"wrist_pitch", "wrist_roll"});
  ASSERT_EQ(some->nv(), 2);
  EXPECT_FALSE(some->has_mimic());
  const auto expected = gravity_forces(whole, {0.7, 0.5, 0});
  const auto actual = gravity_forces(some, {0.7, 0.5});
  EXPECT_NEAR(actual[0], expected[0], 1e-12);
  EXPECT_NEAR(actual[1], expected[1], 1e-12);
}

/// The same for a follower of a follower, on joints whose frames are turned: one slides, one turns.
TEST(LockedJoints, ChainsOfFollowersStayInTurnedFrames) {
  const auto link = [](const std::string& name) {
    return "<link name='" + name +
           "'><inertial><origin xyz='0.1 0.2 0.3'/><mass value='2'/>"
           "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>";
  };
  const auto joint = [](const std::string& name, const std::string& type, const std::string& parent,
                        const std::string& child, const std::string& rest) {
    return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent +
           "'/><child link='" + child + "'/><origin xyz='0 0 1' rpy='0.3 0.4 0.5'/>" +
           "<axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='1' velocity='1'/>" + rest +
           "</joint>";
  };
  const std::string urdf = "<robot name='r'>" + link("base") + link("arm") + link("slider") +
                           link("twin") + link("tip") +
                           joint("hinge", "revolute", "base", "arm", "") +
                           joint("lead", "prismatic", "arm", "slider", "") +
                           joint("next", "prismatic", "arm", "twin",
                                 "<mimic joint='lead' multiplier='2' offset='0.1'/>") +
                           joint("tail", "revolute", "arm", "tip",
                                 "<mimic joint='next' multiplier='-3' offset='0.2'/>") +
                           "</robot>";
  const auto whole = std::make_shared<const Model>(rbd_parallel_core::load_urdf_string(urdf));
  ASSERT_EQ(whole->joint_names(), (Names{"hinge", "lead"}));
  const auto some = locked_text(urdf, {"hinge"});
  ASSERT_EQ(some->nv(), 1);
  EXPECT_NEAR(gravity_forces(some, {0.7})[0], gravity_forces(whole, {0.7, 0})[0], 1e-12);
}

TEST(LockedJoints, FollowersOfJointsThatMoveStillFollow) {
  const auto some = locked("gripper", {"finger_left_joint"});
  EXPECT_EQ(some->nv(), 1);
  EXPECT_TRUE(some->has_mimic());
}

TEST(LockedJoints, IndependentFollowersAreJointsLikeOthers) {
  const auto some = locked("gripper", {"finger_right_joint"}, MimicPolicy::independent);
  EXPECT_EQ(some->joint_names(), Names{"finger_right_joint"});
}

TEST(LockedJoints, RefusesNamesThatCannotBeChosen) {
  for (const Names& joints :
       {Names{"nothing"}, Names{"FL_foot_mount"}, Names{"FL_hip_joint", "FL_hip_joint"}}) {
    EXPECT_THROW(locked("quadruped", joints), std::invalid_argument);
  }
  EXPECT_THROW(locked("gripper", {"cam_joint"}), std::invalid_argument);
}

}  // namespace
}  // namespace rbd_parallel_ros::testing
