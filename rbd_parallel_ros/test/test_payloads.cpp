// SPDX-License-Identifier: Apache-2.0
#include "payloads.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "request_error.hpp"
#include "robots.hpp"

namespace rbd_parallel_ros::testing {
namespace {

using Request = rbd_parallel_msgs::srv::SetPayload::Request;

Request attach(const std::string& link, double mass) {
  Request request;
  request.action = Request::ATTACH;
  request.link = link;
  request.inertia.m = mass;
  request.inertia.com.x = 0.1;
  request.inertia.ixx = request.inertia.iyy = request.inertia.izz = 0.01;
  return request;
}

Request remove(const std::string& link) {
  Request request;
  request.action = Request::REMOVE;
  request.link = link;
  return request;
}

ErrorCode code_of(const Payloads& payloads, const Request& request, const Model& robot) {
  try {
    payloads.after(request, robot);
    return ErrorCode::ok;
  } catch (const RequestError& error) {
    EXPECT_NE(std::string(error.what()), "");
    return error.code();
  }
}

TEST(Payloads, AreAttachedReplacedAndRemoved) {
  const Model robot = load("arm7");
  const std::string tip = robot.links().back().name, root = robot.links().front().name;
  const double mass = robot.total_mass();
  Payloads payloads = Payloads().after(attach(tip, 2), robot).after(attach(root, 1), robot);
  EXPECT_DOUBLE_EQ(payloads.attached_to(robot).total_mass(), mass + 3);
  payloads = payloads.after(attach(tip, 5), robot);
  EXPECT_DOUBLE_EQ(payloads.attached_to(robot).total_mass(), mass + 6);
  EXPECT_EQ(payloads.mass(), 6);
  payloads = payloads.after(remove(root), robot);
  EXPECT_DOUBLE_EQ(payloads.attached_to(robot).total_mass(), mass + 5);
  payloads = payloads.after(remove(""), robot);
  EXPECT_EQ(payloads.size(), 0u);
  EXPECT_EQ(payloads.attached_to(robot).total_mass(), mass);
}

TEST(Payloads, AreWeighedWhereTheyHang) {
  const Model robot = load("pendulum2");
  const std::string tip = robot.links().back().name;
  Request request = attach(tip, 2);
  request.inertia.com.x = 0.3;
  request.inertia.com.y = -0.2;
  const Payloads payloads = Payloads().after(request, robot);
  rbd_parallel_core::LinkInertial expected;
  expected.mass = 2;
  expected.origin.position = {0.3, -0.2, 0};
  expected.rotational = {0.01, 0, 0, 0.01, 0, 0.01};
  const auto gravity_of = [](const Model& model) {
    const auto backend = rbd_parallel_core::make_backend("reference");
    backend->configure(std::make_shared<const Model>(model), {.max_batch = 1});
    std::vector<double> tau(2);
    EXPECT_TRUE(
        backend->gravity_forces({.batch = 1, .q = std::vector{0.3, 0.4}, .v = {}, .tau = tau})
            .ok());
    return tau;
  };
  EXPECT_EQ(gravity_of(payloads.attached_to(robot)), gravity_of(robot.with_payload(tip, expected)));
}

TEST(Payloads, ThatCannotBeAreRefused) {
  const Model robot = load("arm7");
  const std::string tip = robot.links().back().name;
  EXPECT_EQ(code_of({}, attach("nothing", 1), robot), ErrorCode::unknown_link);
  EXPECT_EQ(code_of({}, attach(tip, -1), robot), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of({}, attach(tip, std::numeric_limits<double>::quiet_NaN()), robot),
            ErrorCode::invalid_argument);
  Request triangle = attach(tip, 1);
  triangle.inertia.izz = 1;
  EXPECT_EQ(code_of({}, triangle, robot), ErrorCode::invalid_argument);
  Request unknown = attach(tip, 1);
  unknown.action = 7;
  EXPECT_EQ(code_of({}, unknown, robot), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of({}, remove(tip), robot), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of({}, remove("nothing"), robot), ErrorCode::unknown_link);
}

TEST(Payloads, AreDescribed) {
  const Model robot = load("arm7");
  rbd_parallel_msgs::msg::ModelInfo info;
  Payloads().after(attach(robot.links().back().name, 2), robot).describe(info);
  EXPECT_EQ(info.payload_links, std::vector{robot.links().back().name});
  ASSERT_EQ(info.payload_inertias.size(), 1u);
  EXPECT_EQ(info.payload_inertias[0].m, 2);
}

/// Law: what weighs more than the robot is told, and attached all the same.
TEST(Payloads, HeavierThanTheRobotAreDoubted) {
  const Model robot = load("arm7");
  const std::string tip = robot.links().back().name;
  EXPECT_EQ(doubt_about(attach(tip, 1.5), robot), "");
  EXPECT_EQ(doubt_about(attach(tip, robot.total_mass()), robot), "");
  EXPECT_EQ(doubt_about(remove(tip), robot), "");
  const std::string doubt = doubt_about(attach(tip, 1e12), robot);
  for (const char* word : {tip.c_str(), "1e+12 kg", "33.17 kg"}) {
    EXPECT_NE(doubt.find(word), std::string::npos) << doubt;
  }
  EXPECT_DOUBLE_EQ(Payloads().after(attach(tip, 1e12), robot).mass(), 1e12);
}

}  // namespace
}  // namespace rbd_parallel_ros::testing
