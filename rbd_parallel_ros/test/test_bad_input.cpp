// SPDX-License-Identifier: Apache-2.0
#include "bad_input.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "robots.hpp"

namespace rbd_parallel_ros::testing {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

Input positions(const std::vector<double>& q) {
  return {"position", "base_pose", q, Input::Columns::q};
}

TEST(BadInput, NamesFieldAndJointOfTheState) {
  const Model arm = load("arm7");
  std::vector<double> q(14, 0.1), v(14, 0.2), a(14, 0.3);
  const auto inputs = [&] {
    return Inputs{{positions(q), {"velocity", "base_twist", v}, {"acceleration", "", a}}};
  };
  EXPECT_EQ(bad_input(inputs(), arm, 0), "");
  a[9] = -infinity;
  EXPECT_EQ(bad_input(inputs(), arm, 0), "") << "it is the other state's";
  EXPECT_EQ(bad_input(inputs(), arm, 1),
            "acceleration of joint 'joint_3' is minus infinite, expected finite numbers");
  v[13] = infinity;
  EXPECT_EQ(bad_input(inputs(), arm, 1),
            "velocity of joint 'joint_7' is infinite, expected finite numbers");
  q[7] = nan;
  EXPECT_EQ(bad_input(inputs(), arm, 1),
            "position of joint 'joint_1' is NaN, expected finite numbers");
}

TEST(BadInput, EmptyArraysStandForZeros) {
  const Model arm = load("arm7");
  const std::vector<double> q(7, 0.1);
  EXPECT_EQ(bad_input({{positions(q), {"velocity", "base_twist", {}}}}, arm, 0), "");
}

TEST(BadInput, AFloatingBaseIsCalledByItsFields) {
  ModelOptions options;
  options.base = Base::floating;
  const Model quadruped = load("quadruped", options);
  std::vector<double> q = quadruped.neutral(), v(18, 0.0);
  const auto blamed = [&] {
    return bad_input({{positions(q), {"velocity", "base_twist", v}}, {}, true}, quadruped, 0);
  };
  EXPECT_EQ(blamed(), "");
  v[2] = nan;
  EXPECT_EQ(blamed(), "base_twist is NaN, expected finite numbers");
  q[6] = 0;
  EXPECT_EQ(blamed(), "base_pose has a quaternion of zeros, expected one of length 1");
}

TEST(BadInput, NamesTheLinkOfAWrench) {
  const Model arm = load("arm7");
  const std::vector<double> q(14, 0.1);
  const std::vector<int> links{*arm.find_link("link_2"), *arm.find_link("tool")};
  std::vector<double> wrenches(24, 1.0);
  const Inputs inputs{{positions(q)}, {links, wrenches}};
  EXPECT_EQ(bad_input(inputs, arm, 1), "");
  wrenches[12 + 6] = nan;
  EXPECT_EQ(bad_input(inputs, arm, 0), "");
  EXPECT_EQ(bad_input(inputs, arm, 1), "a wrench on link 'tool' is NaN, expected finite numbers");
}

TEST(BadInput, MimicJointsHaveNoNumbersOfTheirOwn) {
  const Model gripper = load("gripper");
  std::vector<double> q = gripper.neutral();
  q.back() = nan;
  EXPECT_EQ(bad_input({{positions(q)}}, gripper, 0),
            "position of joint 'finger_left_joint' is NaN, expected finite numbers");
}

}  // namespace
}  // namespace rbd_parallel_ros::testing
