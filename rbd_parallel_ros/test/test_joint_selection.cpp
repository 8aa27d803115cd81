// SPDX-License-Identifier: Apache-2.0
#include "joint_selection.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "request_error.hpp"
#include "robots.hpp"

namespace rbd_parallel_ros::testing {
namespace {

using Names = std::vector<std::string>;

ErrorCode code_of(const JointTable& table, const Names& names) {
  try {
    table.select(names);
    return ErrorCode::ok;
  } catch (const RequestError& error) {
    EXPECT_NE(std::string(error.what()), "");
    return error.code();
  }
}

TEST(JointSelection, NoNamesMeanAllJointsInModelOrder) {
  const Model model = load("arm7");
  const JointTable table(model, false);
  const JointSelection all = table.select({});
  EXPECT_EQ(all.names, model.joint_names());
  EXPECT_TRUE(all.complete);
  EXPECT_TRUE(all.in_model_order);
}

TEST(JointSelection, ColumnsFollowTheOrderOfTheNames) {
  const Model model = load("arm7");
  const JointSelection some = JointTable(model, false).select(Names{"joint_7", "joint_2"});
  EXPECT_EQ(some.q, (std::vector<std::size_t>{6, 1}));
  EXPECT_EQ(some.v, (std::vector<std::size_t>{6, 1}));
  EXPECT_FALSE(some.complete);
  EXPECT_FALSE(some.in_model_order);
}

TEST(JointSelection, OrderOfTheNodeIsThatOfRequestsWithoutNames) {
  const Model model = load("pendulum2");
  const Names order{"elbow", "shoulder"};
  const JointTable table(model, false, order);
  EXPECT_EQ(table.select({}).names, order);
  EXPECT_TRUE(table.select({}).complete);
  EXPECT_FALSE(table.select({}).in_model_order);
}

TEST(JointSelection, FloatingBaseShiftsColumnsAndHasNoName) {
  ModelOptions options;
  options.base = Base::floating;
  const Model model = load("quadruped", options);
  const JointTable table(model, true);
  EXPECT_EQ(table.select({}).q.front(), 7u);
  EXPECT_EQ(table.select({}).v.front(), 6u);
  EXPECT_EQ(table.select({}).names.size(), 12u);
  EXPECT_FALSE(table.select({}).in_model_order);
  EXPECT_EQ(code_of(table, {"floating_base"}), ErrorCode::unknown_joint);
}

TEST(JointSelection, RefusesUnknownDuplicateAndMimicJoints) {
  const Model model = load("gripper");
  const JointTable table(model, false);
  EXPECT_EQ(code_of(table, {"no_such_joint"}), ErrorCode::unknown_joint);
  EXPECT_EQ(code_of(table, {""}), ErrorCode::unknown_joint);
  EXPECT_EQ(code_of(table, {"wrist_roll", "wrist_roll"}), ErrorCode::duplicate_joint);
  EXPECT_EQ(code_of(table, {"finger_right_joint"}), ErrorCode::unknown_joint);
}

TEST(JointSelection, OrderMustHoldEachJointOnce) {
  const Model model = load("pendulum2");
  EXPECT_THROW(JointTable(model, false, Names{"elbow"}), std::invalid_argument);
  EXPECT_THROW(JointTable(model, false, Names{"elbow", "elbow"}), std::invalid_argument);
  EXPECT_THROW(JointTable(model, false, Names{"elbow", "hip"}), std::invalid_argument);
}

TEST(JointSelection, RobotWithoutJoints) {
  const Model model =
      rbd_parallel_core::load_urdf_string("<robot name='rock'><link name='rock'/></robot>");
  const JointTable table(model, false);
  EXPECT_TRUE(table.select({}).complete);
  EXPECT_TRUE(table.select({}).names.empty());
}

}  // namespace
}  // namespace rbd_parallel_ros::testing
