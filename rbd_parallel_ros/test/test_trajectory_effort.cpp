// SPDX-License-Identifier: Apache-2.0
#include "trajectory_effort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "answer_always.hpp"
#include "locked_joints.hpp"
#include "robots.hpp"

namespace rbd_parallel_ros::testing {
namespace {

using Fill = rbd_parallel_msgs::srv::FillTrajectoryEffort;
using Names = std::vector<std::string>;
using Point = trajectory_msgs::msg::JointTrajectoryPoint;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Fill::Response call(Dynamics& dynamics, const Fill::Request& request) {
  Fill::Response response;
  answer_always(response, [&](auto& out) { dynamics.answer(request, out); });
  EXPECT_EQ(response.error_code == Fill::Response::OK, response.error_msg.empty());
  EXPECT_EQ(response.error_code != Fill::Response::OK, response.trajectory.points.empty());
  return response;
}

/// Random numbers in every point, 100 ms apart.
Fill::Request request_for(const Names& joints, std::size_t count) {
  Fill::Request request;
  request.trajectory.header.frame_id = "somewhere";
  request.trajectory.joint_names = joints;
  request.trajectory.points.resize(count);
  unsigned seed = 0;
  for (Point& point : request.trajectory.points) {
    point.time_from_start.nanosec = 100'000'000u * seed;
    point.positions = random_numbers(joints.size(), 3 * seed);
    point.velocities = random_numbers(joints.size(), 3 * seed + 1);
    point.accelerations = random_numbers(joints.size(), 3 * seed + 2);
    ++seed;
  }
  return request;
}

Names names_of(const Robot& robot) { return robot.model->joint_names(); }

/// What the backend says of one state.
std::vector<double> direct(const Robot& robot, const std::vector<double>& q,
                           const std::vector<double>& v, const std::vector<double>& a) {
  std::vector<double> tau(static_cast<std::size_t>(robot.model->nv()));
  EXPECT_TRUE(robot.direct->inverse_dynamics({.q = q, .v = v, .a = a, .tau = tau}).ok());
  return tau;
}

std::vector<double> direct(const Robot& robot, const Point& point) {
  return direct(robot, point.positions, point.velocities, point.accelerations);
}

TEST(TrajectoryEffort, IsTheBackendsAndNothingElseChanges) {
  Robot robot("arm7");
  Fill::Request request = request_for(names_of(robot), 5);
  request.trajectory.points[2].effort = {1, 2, 3};  // is overwritten
  const auto response = call(*robot.dynamics, request);
  ASSERT_EQ(response.error_msg, "");
  EXPECT_EQ(response.status, std::vector<std::uint8_t>(5, Fill::Response::STATUS_OK));
  auto expected = request.trajectory;
  for (Point& point : expected.points) point.effort = direct(robot, point);
  EXPECT_EQ(response.trajectory, expected);
}

/// Law: the order of the joints is a matter of names only.
TEST(TrajectoryEffort, JointOrderChangesTheOrderOnly) {
  Robot robot("arm7");
  const Fill::Request request = request_for(names_of(robot), 3);
  Fill::Request turned = request;
  const auto reverse = [](auto& values) { std::reverse(values.begin(), values.end()); };
  reverse(turned.trajectory.joint_names);
  for (Point& point : turned.trajectory.points) {
    reverse(point.positions);
    reverse(point.velocities);
    reverse(point.accelerations);
  }
  const auto plain = call(*robot.dynamics, request), response = call(*robot.dynamics, turned);
  for (std::size_t i = 0; i < 3; ++i) {
    auto effort = response.trajectory.points[i].effort;
    reverse(effort);
    EXPECT_EQ(effort, plain.trajectory.points[i].effort);
  }
}

/// Law: joints that the trajectory does not name stand still where `others` says, or at 0.
TEST(TrajectoryEffort, OtherJointsAreHeldStill) {
  Robot robot("arm7");
  Fill::Request request = request_for({"joint_4", "joint_2"}, 2);
  const auto expect = [&](const std::vector<double>& still) {
    const auto response = call(*robot.dynamics, request);
    ASSERT_EQ(response.error_msg, "");
    for (std::size_t i = 0; i < 2; ++i) {
      const Point& point = request.trajectory.points[i];
      std::vector<double> q = still, v(7, 0.0), a(7, 0.0);
      for (const std::size_t place : {0u, 1u}) {
        const std::size_t joint = place == 0 ? 3 : 1;
        q[joint] = point.positions[place];
        v[joint] = point.velocities[place];
        a[joint] = point.accelerations[place];
      }
      const std::vector<double> tau = direct(robot, q, v, a);
      EXPECT_EQ(response.trajectory.points[i].effort, (std::vector<double>{tau[3], tau[1]}));
    }
  };
  expect(std::vector<double>(7, 0.0));
  // As joint_states come: in an order of their own, with joints that the model does not have, with
  // those of the trajectory, with velocities.
  request.others.name = {"wheel",   "joint_7", "joint_6", "joint_5",
                         "joint_4", "joint_3", "joint_2", "joint_1"};
  request.others.position = {nan, 0.7, 0.6, 0.5, nan, 0.3, nan, 0.1};
  request.others.velocity = std::vector<double>(8, 1.0);
  expect({0.1, 0, 0.3, 0, 0.5, 0.6, 0.7});
}

TEST(TrajectoryEffort, OthersThatDoNotFitAreRefused) {
  Robot robot("arm7");
  Fill::Request good =
      request_for({"joint_1", "joint_2", "joint_3", "joint_4", "joint_5", "joint_6"}, 1);
  good.others.name = {"joint_7"};
  good.others.position = {0.5};
  ASSERT_EQ(call(*robot.dynamics, good).error_msg, "");
  const auto refused = [&](const Names& names, const std::vector<double>& positions,
                           std::uint16_t code, const std::string& words) {
    Fill::Request request = good;
    request.others.name = names;
    request.others.position = positions;
    const auto response = call(*robot.dynamics, request);
    EXPECT_EQ(response.error_code, code) << response.error_msg;
    EXPECT_NE(response.error_msg.find(words), std::string::npos) << response.error_msg;
  };
  using Out = Fill::Response;
  refused({"joint_77"}, {0.5}, Out::MISSING_JOINT, "'joint_7' is neither here nor in");
  refused({"joint_7", "joint_7"}, {0, 0}, Out::DUPLICATE_JOINT, "'joint_7' is named twice");
  refused({"joint_7"}, {}, Out::WRONG_SIZE, "name has 1 elements, position 0");
  refused({"joint_7"}, {nan}, Out::INVALID_ARGUMENT, "position of joint 'joint_7' is NaN");
  refused({}, {0.5}, Out::MISSING_JOINT, "'joint_7'");
  good.others.velocity = {0, 0};  // not used, but a message that is not whole is not trusted
  refused({"joint_7"}, {0.5}, Out::WRONG_SIZE, "position 1, velocity 2");
}

/// Law: a mimic joint goes where the joint leads that it follows, and its effort is counted there.
TEST(TrajectoryEffort, MimicJointsAreNotLookedAtAndHaveNoEffort) {
  Robot robot("gripper");
  Fill::Request request = request_for(
      {"finger_right_joint", "wrist_pitch", "cam_joint", "finger_left_joint", "wrist_roll"}, 3);
  for (Point& point : request.trajectory.points) {
    for (const std::size_t mimic : {0u, 2u}) {
      point.positions[mimic] = point.velocities[mimic] = point.accelerations[mimic] = nan;
    }
  }
  const auto response = call(*robot.dynamics, request);
  ASSERT_EQ(response.error_msg, "");
  const Names names = names_of(robot);
  for (const Point& point : response.trajectory.points) {
    std::vector<double> q(3), v(3), a(3), effort(5, 0.0);
    const auto place_of = [&](const std::string& name) {
      const Names& named = request.trajectory.joint_names;
      return static_cast<std::size_t>(std::find(named.begin(), named.end(), name) - named.begin());
    };
    for (std::size_t k = 0; k < 3; ++k) {
      q[k] = point.positions[place_of(names[k])];
      v[k] = point.velocities[place_of(names[k])];
      a[k] = point.accelerations[place_of(names[k])];
    }
    const std::vector<double> tau = direct(robot, q, v, a);
    for (std::size_t k = 0; k < 3; ++k) effort[place_of(names[k])] = tau[k];
    EXPECT_EQ(point.effort, effort);
  }
}

/// Counts what it is asked for.
class CountingBackend : public rbd_parallel_core::Backend {
 public:
  std::string name() const override { return "counting"; }
  std::vector<std::size_t> batches;

 protected:
  void do_configure(const Model&, const rbd_parallel_core::BackendOptions&) override {}
  rbd_parallel_core::Capabilities do_capabilities() const noexcept override {
    return {.operations = {rbd_parallel_core::Operation::inverse_dynamics}};
  }
  rbd_parallel_core::Result do_compute(const Call& call) noexcept override {
    const auto& args = call.arguments<rbd_parallel_core::Operation::inverse_dynamics>();
    batches.push_back(args.batch);
    for (std::size_t i = 0; i < args.tau.size(); ++i) args.tau[i] = args.q[i];
    std::fill(args.status.begin(), args.status.end(), rbd_parallel_core::StateStatus{});
    return {};
  }
};

/// Law: one call for all points, or as few as max_batch allows; every point gets its own numbers.
TEST(TrajectoryEffort, PointsAreOneBatch) {
  const auto model = std::make_shared<const Model>(load("arm7"));
  const auto backend = std::make_shared<CountingBackend>();
  backend->configure(model, {.max_batch = 4});
  Dynamics dynamics(backend, JointTable(*model, false));
  const auto expect = [&](std::size_t points, const std::vector<std::size_t>& batches) {
    backend->batches.clear();
    const auto response = call(dynamics, request_for(model->joint_names(), points));
    EXPECT_EQ(backend->batches, batches);
    EXPECT_EQ(response.status.size(), points);
    for (const Point& point : response.trajectory.points) {
      EXPECT_EQ(point.effort, point.positions);
    }
  };
  expect(4, {4});
  expect(11, {4, 4, 3});
}

TEST(TrajectoryEffort, FloatingBaseStandsAtItsPose) {
  Robot robot("quadruped", Base::floating);
  Names joints = names_of(robot);
  joints.erase(joints.begin());
  Fill::Request request = request_for(joints, 3);
  request.base_pose.resize(3);
  for (std::size_t i = 0; i < 3; ++i) {
    request.base_pose[i].orientation.x = 0.3 * static_cast<double>(i + 1);
  }
  const auto response = call(*robot.dynamics, request);
  ASSERT_EQ(response.error_msg, "");
  for (std::size_t i = 0; i < 3; ++i) {
    const Point& point = response.trajectory.points[i];
    std::vector<double> q{0, 0, 0, request.base_pose[i].orientation.x, 0, 0, 1}, v(6), a(6);
    q.insert(q.end(), point.positions.begin(), point.positions.end());
    v.insert(v.end(), point.velocities.begin(), point.velocities.end());
    a.insert(a.end(), point.accelerations.begin(), point.accelerations.end());
    const std::vector<double> tau = direct(robot, q, v, a);
    EXPECT_EQ(point.effort, std::vector<double>(tau.begin() + 6, tau.end()));
  }

  request.base_pose.resize(1);
  const auto one = call(*robot.dynamics, request);
  request.base_pose.resize(3, request.base_pose[0]);
  EXPECT_EQ(one.trajectory, call(*robot.dynamics, request).trajectory);

  for (const std::size_t size : {0u, 2u, 4u}) {
    request.base_pose.resize(size);
    const auto refused = call(*robot.dynamics, request);
    EXPECT_EQ(refused.error_code, Fill::Response::WRONG_SIZE);
    EXPECT_NE(refused.error_msg.find("expected 1 or 3"), std::string::npos) << refused.error_msg;
  }
  request.base_pose.resize(1);
  request.base_pose[0].orientation.x = request.base_pose[0].orientation.w = 0;
  EXPECT_EQ(call(*robot.dynamics, request).status,
            std::vector<std::uint8_t>(3, Fill::Response::STATUS_NOT_FINITE));
}

/// The arm on v_k(t) = k - 2 t + (k + 1) t^2, with the points at uneven times.
Fill::Request on_parabolas(const Robot& robot) {
  Fill::Request request = request_for(names_of(robot), 5);
  const double times[] = {0, 0.1, 0.4, 0.5, 1.5};
  for (std::size_t i = 0; i < 5; ++i) {
    Point& point = request.trajectory.points[i];
    const double t = times[i];
    point.time_from_start.sec = static_cast<std::int32_t>(t);
    point.time_from_start.nanosec = static_cast<std::uint32_t>(std::lround(1e9 * (t - int(t))));
    for (std::size_t k = 0; k < 7; ++k) {
      const auto n = static_cast<double>(k);
      point.velocities[k] = n - 2 * t + (n + 1) * t * t;
      point.accelerations[k] = -2 + 2 * (n + 1) * t;
    }
  }
  return request;
}

/// Law: accelerations of parabolas of velocity are exact, so that the efforts are those of the
/// analytic ones; and only those that are missing are computed.
TEST(TrajectoryEffort, MissingAccelerationsComeFromVelocities) {
  Robot robot("arm7");
  const Fill::Request analytic = on_parabolas(robot);
  const auto expected = call(*robot.dynamics, analytic);
  Fill::Request request = analytic;
  request.missing_acceleration = Fill::Request::ACCELERATION_FROM_VELOCITY;
  for (const bool mixed : {false, true}) {
    for (std::size_t i = 0; i < 5; ++i) {
      if (!mixed || i % 2 == 0) request.trajectory.points[i].accelerations.clear();
    }
    const auto response = call(*robot.dynamics, request);
    ASSERT_EQ(response.error_msg, "");
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(response.trajectory.points[i].accelerations,
                request.trajectory.points[i].accelerations);
      for (std::size_t k = 0; k < 7; ++k) {
        EXPECT_NEAR(response.trajectory.points[i].effort[k],
                    expected.trajectory.points[i].effort[k], 1e-10);
      }
    }
    request.trajectory = analytic.trajectory;
  }
  // Accelerations that are there are not replaced.
  request.trajectory.points[2].accelerations.assign(7, 100.0);
  request.trajectory.points[1].accelerations.clear();
  const auto response = call(*robot.dynamics, request);
  EXPECT_EQ(response.trajectory.points[2].effort, direct(robot, request.trajectory.points[2]));
  EXPECT_NEAR(response.trajectory.points[1].effort[0], expected.trajectory.points[1].effort[0],
              1e-10);
}

/// Law: what the efforts do is what energy there is more: the sum of effort x velocity over a
/// motion is the difference of kinetic and potential energy, to the second order in the step.
TEST(TrajectoryEffort, PowerIsTheRateOfEnergy) {
  Robot robot("arm7", Base::fixed, {}, 2001);
  const auto position = [](std::size_t k, double t) {
    return std::sin(t + static_cast<double>(k));
  };
  const auto rate = [](std::size_t k, double t) { return std::cos(t + static_cast<double>(k)); };
  const auto energy = [&](double t) {
    std::vector<double> q(7), v(7), kinetic(1), potential(1);
    for (std::size_t k = 0; k < 7; ++k) {
      q[k] = position(k, t);
      v[k] = rate(k, t);
    }
    EXPECT_TRUE(
        robot.direct->energies({.q = q, .v = v, .kinetic = kinetic, .potential = potential}).ok());
    return kinetic[0] + potential[0];
  };
  const auto work = [&](unsigned steps) {  // over 2 s, by the trapezoidal rule
    Fill::Request request = request_for(names_of(robot), steps + 1);
    request.missing_acceleration = Fill::Request::ACCELERATION_FROM_VELOCITY;
    for (unsigned i = 0; i <= steps; ++i) {
      Point& point = request.trajectory.points[i];
      const std::uint64_t time = std::uint64_t{2'000'000'000} / steps * i;
      point.time_from_start.sec = static_cast<std::int32_t>(time / 1'000'000'000);
      point.time_from_start.nanosec = static_cast<std::uint32_t>(time % 1'000'000'000);
      point.accelerations.clear();
      for (std::size_t k = 0; k < 7; ++k) {
        point.positions[k] = position(k, 1e-9 * static_cast<double>(time));
        point.velocities[k] = rate(k, 1e-9 * static_cast<double>(time));
      }
    }
    const auto response = call(*robot.dynamics, request);
    double sum = 0;
    for (unsigned i = 0; i < response.trajectory.points.size(); ++i) {
      const Point& point = response.trajectory.points[i];
      for (std::size_t k = 0; k < 7; ++k) {
        sum += (i == 0 || i == steps ? 0.5 : 1.0) * point.effort[k] * point.velocities[k];
      }
    }
    return sum * 2 / steps;
  };
  const double gained = energy(2) - energy(0);
  const double coarse = std::abs(work(1000) - gained), fine = std::abs(work(2000) - gained);
  EXPECT_GT(std::abs(gained), 1.0) << "the motion must do work";
  EXPECT_LT(fine, 1e-5 * std::abs(gained));
  EXPECT_NEAR(coarse / fine, 4, 0.2);
}

TEST(TrajectoryEffort, WhatDoesNotFitIsRefusedByName) {
  Robot robot("arm7");
  using In = Fill::Request;
  using Out = Fill::Response;
  const auto refused = [&](auto change, std::uint16_t code, const std::string& words) {
    In request = request_for(names_of(robot), 3);
    change(request, request.trajectory, request.trajectory.points);
    const auto response = call(*robot.dynamics, request);
    EXPECT_EQ(response.error_code, code) << response.error_msg;
    EXPECT_NE(response.error_msg.find(words), std::string::npos) << response.error_msg;
    EXPECT_TRUE(response.status.empty());
  };
  const auto differentiate = [](In& request) {
    request.missing_acceleration = In::ACCELERATION_FROM_VELOCITY;
    for (Point& point : request.trajectory.points) point.accelerations.clear();
  };
  refused([](In&, auto& t, auto&) { t.joint_names.clear(); }, Out::MISSING_JOINT,
          "joint_names is empty");
  refused([](In&, auto&, auto& p) { p.clear(); }, Out::WRONG_SIZE, "points is empty");
  refused([](In&, auto& t, auto&) { t.joint_names[6] = "elbow"; }, Out::UNKNOWN_JOINT,
          "'elbow' is not known; expected some of 'joint_1'");
  refused([](In&, auto& t, auto&) { t.joint_names[6] = "joint_1"; }, Out::DUPLICATE_JOINT,
          "'joint_1' is named twice");
  refused([](In&, auto&, auto& p) { p[1].positions.pop_back(); }, Out::WRONG_SIZE,
          "points[1].positions has 6 elements, expected 7");
  refused([](In&, auto&, auto& p) { p[2].velocities.clear(); }, Out::WRONG_SIZE,
          "points[2].velocities has 0 elements, expected 7");
  refused([](In&, auto&, auto& p) { p[0].accelerations.resize(8); }, Out::WRONG_SIZE,
          "points[0].accelerations has 8 elements, expected 7");
  refused([](In&, auto&, auto& p) { p[1].accelerations.clear(); }, Out::WRONG_SIZE,
          "points[1].accelerations is empty, expected 7 elements; send them, or set");
  refused([](In& r, auto&, auto&) { r.missing_acceleration = 2; }, Out::INVALID_ARGUMENT,
          "missing_acceleration is 2");
  refused([](In& r, auto&, auto&) { r.base_pose.resize(1); }, Out::WRONG_SIZE, "base is fixed");
  refused(
      [&](In& r, auto&, auto& p) {
        differentiate(r);
        p.resize(1);
      },
      Out::INVALID_ARGUMENT, "has one point");
  refused(
      [&](In& r, auto&, auto& p) {
        differentiate(r);
        p[2].time_from_start = p[1].time_from_start;
      },
      Out::INVALID_ARGUMENT, "points[2].time_from_start is 100000000 ns");
  refused(
      [&](In& r, auto&, auto& p) {
        differentiate(r);
        p[1].time_from_start.sec = -1;
      },
      Out::INVALID_ARGUMENT, "points[1].time_from_start is -900000000 ns");
}

/// Times that are not needed are not looked at.
TEST(TrajectoryEffort, TimesMayBeAnythingWhereAccelerationsAreThere) {
  Robot robot("arm7");
  Fill::Request request = request_for(names_of(robot), 2);
  request.trajectory.points[1].time_from_start = request.trajectory.points[0].time_from_start;
  request.missing_acceleration = Fill::Request::ACCELERATION_FROM_VELOCITY;
  EXPECT_EQ(call(*robot.dynamics, request).error_msg, "");
  request.trajectory.points.resize(1);
  EXPECT_EQ(call(*robot.dynamics, request).error_msg, "");
}

TEST(TrajectoryEffort, MimicJointsThatLackTheirLeaderAreRefused) {
  Robot robot("gripper");
  const auto response = call(*robot.dynamics, request_for({"wrist_roll", "cam_joint"}, 1));
  EXPECT_EQ(response.error_code, Fill::Response::MISSING_JOINT);
  EXPECT_NE(response.error_msg.find("'cam_joint' mimics 'finger_left_joint'"), std::string::npos)
      << response.error_msg;
  const auto twice =
      call(*robot.dynamics, request_for({"finger_left_joint", "cam_joint", "cam_joint"}, 1));
  EXPECT_EQ(twice.error_code, Fill::Response::DUPLICATE_JOINT);
}

/// Law: a trajectory with a hole in it does not leave, but every point has its status.
TEST(TrajectoryEffort, NumbersThatAreNoneAreTheStatusOfTheirPoint) {
  Robot robot("arm7", Base::fixed, {}, 2);  // the bad one is in the second batch
  for (const double bad : {nan, std::numeric_limits<double>::infinity()}) {
    Fill::Request request = request_for(names_of(robot), 5);
    request.trajectory.points[3].velocities[4] = bad;
    const auto response = call(*robot.dynamics, request);
    EXPECT_EQ(response.error_code, Fill::Response::STATES_FAILED);
    EXPECT_NE(response.error_msg.find("1 of 5 points failed; the first is point 3"),
              std::string::npos)
        << response.error_msg;
    EXPECT_EQ(response.status, (std::vector<std::uint8_t>{0, 0, 0, 1, 0}));
    EXPECT_EQ(response.trajectory, trajectory_msgs::msg::JointTrajectory());
  }
}

struct Served {
  explicit Served(const Model& from) : model(std::make_shared<const Model>(from)) {
    std::shared_ptr<rbd_parallel_core::Backend> backend =
        rbd_parallel_core::make_backend("reference");
    backend->configure(model, {.max_batch = 100});
    dynamics = std::make_unique<Dynamics>(backend, JointTable(*model, false));
  }
  std::shared_ptr<const Model> model;
  std::unique_ptr<Dynamics> dynamics;
};

/// A cart that slides on a plane, and a mast on it.
TEST(TrajectoryEffort, JointsWithSeveralCoordinatesAreHeldAtRest) {
  const std::string body =
      "<inertial><origin xyz='0 0 0.5'/><mass value='2'/>"
      "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";
  Served served(rbd_parallel_core::load_urdf_string(
      "<robot name='r'><link name='floor'/><link name='cart'>" + body +
      "</link><link name='mast'>" + body +
      "</link><joint name='slide' type='planar'><parent link='floor'/><child link='cart'/>"
      "<axis xyz='0 0 1'/></joint><joint name='tilt' type='continuous'><parent link='cart'/>"
      "<child link='mast'/><axis xyz='0 1 0'/></joint></robot>"));
  const auto refused = call(*served.dynamics, request_for({"tilt", "slide"}, 1));
  EXPECT_EQ(refused.error_code, Fill::Response::UNSUPPORTED);
  EXPECT_NE(refused.error_msg.find("'slide' has 3 coordinates"), std::string::npos)
      << refused.error_msg;

  Fill::Request request = request_for({"tilt"}, 1);
  request.others.name = {"anything"};  // `slide` need not be here: it does not fit
  request.others.position = {0};
  const auto response = call(*served.dynamics, request);
  ASSERT_EQ(response.error_msg, "");
  const Point& point = response.trajectory.points[0];
  // A pendulum that stands: (I + m l^2) a - m g l sin(q), with l = 0.5.
  EXPECT_NEAR(point.effort[0],
              1.5 * point.accelerations[0] - 2 * 9.81 * 0.5 * std::sin(point.positions[0]), 1e-12);
}

/// Law: joints that the parameter `joints` leaves out are no joints here, as in other services.
TEST(TrajectoryEffort, LockedJointsAreUnknownAndPassedOverInOthers) {
  auto robot = read("arm7");
  lock_all_but(Names{"joint_2", "joint_4"}, rbd_parallel_core::MimicPolicy::honour, robot);
  Served served(rbd_parallel_core::build_model(robot, ModelOptions()));
  EXPECT_EQ(call(*served.dynamics, request_for({"joint_1"}, 1)).error_code,
            Fill::Response::UNKNOWN_JOINT);
  Fill::Request request = request_for({"joint_4"}, 2);
  request.others.name = {"joint_1", "joint_2"};
  request.others.position = {0.9, 0.2};
  const auto response = call(*served.dynamics, request);
  ASSERT_EQ(response.error_msg, "");
  Robot whole("arm7");
  for (const Point& point : response.trajectory.points) {
    std::vector<double> q(7), v(7), a(7);
    q[1] = 0.2;
    q[3] = point.positions[0];
    v[3] = point.velocities[0];
    a[3] = point.accelerations[0];
    EXPECT_NEAR(point.effort[0], direct(whole, q, v, a)[3], 1e-12);
  }
}

}  // namespace
}  // namespace rbd_parallel_ros::testing
