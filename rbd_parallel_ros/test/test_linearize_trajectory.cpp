// SPDX-License-Identifier: Apache-2.0
#include "linearize_trajectory.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "answer_always.hpp"
#include "floating_request.hpp"
#include "robots.hpp"

namespace rbd_parallel_ros::testing {
namespace {

using Linearize = Dynamics::LinearizeTrajectory;
using In = Linearize::Request;
using Out = Linearize::Response;
using Numbers = std::vector<double>;
using rbd_parallel_core::StepScheme;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
const std::vector<std::string> arm{"joint_1", "joint_2", "joint_3", "joint_4",
                                   "joint_5", "joint_6", "joint_7"};

Out call(Dynamics& dynamics, const In& request) {
  Out response;
  answer_always(response, [&](auto& out) { dynamics.answer(request, out); });
  EXPECT_EQ(response.error_code == 0, response.error_msg.empty());
  return response;
}

Numbers row(const Numbers& all, std::size_t i, std::size_t width) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(i * width);
  return Numbers(begin, begin + static_cast<std::ptrdiff_t>(width));
}

/// Points of random numbers, 10 ms apart, with everything that a point can have.
In trajectory(const std::vector<std::string>& names, std::size_t points, double dt = 0.01) {
  const std::size_t n = names.size();
  const Numbers q = random_numbers(points * n, 1), v = random_numbers(points * n, 2),
                a = random_numbers(points * n, 3), tau = random_numbers(points * n, 4);
  In request;
  request.dt = dt;
  request.trajectory.joint_names = names;
  for (std::size_t i = 0; i < points; ++i) {
    auto& point = request.trajectory.points.emplace_back();
    point.positions = row(q, i, n);
    point.velocities = row(v, i, n);
    point.accelerations = row(a, i, n);
    point.effort = row(tau, i, n);
    point.time_from_start.nanosec = static_cast<std::uint32_t>(10'000'000 * i);
  }
  return request;
}

/// One array of all points.
Numbers flat(const In& request, Numbers trajectory_msgs::msg::JointTrajectoryPoint::*field) {
  Numbers out;
  for (const auto& point : request.trajectory.points) {
    out.insert(out.end(), (point.*field).begin(), (point.*field).end());
  }
  return out;
}
using Point = trajectory_msgs::msg::JointTrajectoryPoint;

struct Matrices {
  Numbers A, B;
};

/// What the core gives for the same numbers.
Matrices expected(Robot& robot, rbd_parallel_core::Linearization args) {
  const auto nv = static_cast<std::size_t>(robot.model->nv());
  Matrices out{Numbers(args.batch * 4 * nv * nv), Numbers(args.batch * 2 * nv * nv)};
  args.A = out.A;
  args.B = out.B;
  rbd_parallel_core::Linearizer linearizer;
  linearizer.configure(*robot.direct);
  EXPECT_TRUE(linearizer.linearize(args).ok());
  return out;
}

TEST(LinearizeTrajectory, MatricesAreTheCores) {
  Robot robot("arm7");
  In request = trajectory(arm, 5);
  const Numbers q = flat(request, &Point::positions), v = flat(request, &Point::velocities),
                tau = flat(request, &Point::effort);
  for (const StepScheme scheme : rbd_parallel_core::all_step_schemes) {
    request.scheme = static_cast<std::uint8_t>(scheme);
    const Out out = call(*robot.dynamics, request);
    ASSERT_EQ(out.error_msg, "");
    const Matrices core =
        expected(robot, {.batch = 5, .q = q, .v = v, .tau = tau, .dt = 0.01, .scheme = scheme});
    EXPECT_EQ(out.state_matrix, core.A);
    EXPECT_EQ(out.input_matrix, core.B);
    EXPECT_EQ(out.effort, tau);
    EXPECT_EQ(out.dt, Numbers(5, 0.01));
    EXPECT_EQ(out.joint_names, arm);
    EXPECT_EQ(out.batch_size, 5u);
    EXPECT_EQ(out.rows, 7u);
    EXPECT_EQ(out.status, std::vector<std::uint8_t>(5, 0));
  }
}

/// Law: for joints that turn, with Fq, Fv and M^-1 of ~/derivatives,
///   v+ = v + h a, q+ = q + h v+   gives   A = | 1 + h^2 Fq   h + h^2 Fv |   B = | h^2 M^-1 |
///                                             | h Fq         1 + h Fv   |       | h M^-1   |
TEST(LinearizeTrajectory, SemiImplicitEulerIsMadeOfTheDerivatives) {
  constexpr double h = 0.01;
  constexpr std::size_t n = 7;
  Robot robot("arm7");
  std::vector<std::string> names{arm[3], arm[6], arm[0], arm[5], arm[2], arm[1], arm[4]};
  const In request = trajectory(names, 2, h);
  const Out out = call(*robot.dynamics, request);
  ASSERT_EQ(out.error_msg, "");
  Dynamics::Derivatives::Request of;
  of.blocks = of.FORWARD_DYNAMICS_DQ | of.FORWARD_DYNAMICS_DV | of.FORWARD_DYNAMICS_DTAU;
  of.joint_names = names;
  of.position = flat(request, &Point::positions);
  of.velocity = flat(request, &Point::velocities);
  of.effort = flat(request, &Point::effort);
  Dynamics::Derivatives::Response blocks;
  robot.dynamics->answer(of, blocks);
  double largest = 0;
  for (const double x : blocks.forward_dynamics_dtau) largest = std::max(largest, std::abs(x));
  for (const double x : blocks.forward_dynamics_dq) largest = std::max(largest, std::abs(x));
  const double tolerance = 1e-12 * largest;
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const std::size_t at = (s * n + i) * n + j;
        const double Fq = blocks.forward_dynamics_dq[at], Fv = blocks.forward_dynamics_dv[at],
                     Minv = blocks.forward_dynamics_dtau[at], one = i == j ? 1 : 0;
        const double* A = &out.state_matrix[s * 4 * n * n];
        const double* B = &out.input_matrix[s * 2 * n * n];
        EXPECT_NEAR(A[i * 2 * n + j], one + h * h * Fq, tolerance);
        EXPECT_NEAR(A[i * 2 * n + n + j], h * one + h * h * Fv, tolerance);
        EXPECT_NEAR(A[(n + i) * 2 * n + j], h * Fq, tolerance);
        EXPECT_NEAR(A[(n + i) * 2 * n + n + j], one + h * Fv, tolerance);
        EXPECT_NEAR(B[i * n + j], h * h * Minv, tolerance);
        EXPECT_NEAR(B[(n + i) * n + j], h * Minv, tolerance);
      }
    }
  }
}

/// Law: accelerations stand for the efforts that they need.
TEST(LinearizeTrajectory, AccelerationsAreTakenByInverseDynamics) {
  Robot robot("arm7");
  In request = trajectory(arm, 4);
  request.input = In::INPUT_ACCELERATION;
  for (auto& point : request.trajectory.points) point.effort.clear();
  const Out from_accelerations = call(*robot.dynamics, request);
  ASSERT_EQ(from_accelerations.error_msg, "");
  Numbers tau(28);
  const Numbers q = flat(request, &Point::positions), v = flat(request, &Point::velocities),
                a = flat(request, &Point::accelerations);
  ASSERT_TRUE(robot.direct->inverse_dynamics({.batch = 4, .q = q, .v = v, .a = a, .tau = tau}));
  EXPECT_EQ(from_accelerations.effort, tau);
  request.input = In::INPUT_EFFORT;
  for (std::size_t i = 0; i < 4; ++i) {
    request.trajectory.points[i].effort = row(tau, i, 7);
    request.trajectory.points[i].accelerations.clear();
  }
  const Out from_efforts = call(*robot.dynamics, request);
  EXPECT_EQ(from_efforts.state_matrix, from_accelerations.state_matrix);
  EXPECT_EQ(from_efforts.input_matrix, from_accelerations.input_matrix);
}

/// Law: without dt a point has the step to the next one, and the last point the step before it.
TEST(LinearizeTrajectory, StepsFromTimes) {
  Robot robot("arm7");
  In request = trajectory(arm, 6, 0);
  const std::vector<std::uint32_t> times{0,          10'000'000, 30'000'000,
                                         40'000'000, 45'000'000, 65'000'000};
  for (std::size_t i = 0; i < 6; ++i) {
    request.trajectory.points[i].time_from_start.nanosec = times[i];
  }
  const Out out = call(*robot.dynamics, request);
  ASSERT_EQ(out.error_msg, "");
  const Numbers steps{0.01, 0.02, 0.01, 0.005, 0.02, 0.02};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(out.dt[i], steps[i], 1e-17);
    In alone = request;
    alone.dt = out.dt[i];
    alone.trajectory.points = {request.trajectory.points[i]};
    const Out one = call(*robot.dynamics, alone);
    EXPECT_EQ(row(out.state_matrix, i, 196), one.state_matrix) << "point " << i;
    EXPECT_EQ(row(out.input_matrix, i, 98), one.input_matrix) << "point " << i;
    EXPECT_EQ(row(out.effort, i, 7), one.effort) << "point " << i;
  }
}

/// Law: rows and columns of both halves follow the names.
TEST(LinearizeTrajectory, JointOrderMovesRowsAndColumns) {
  Robot robot("arm7");
  const std::vector<std::size_t> order{6, 2, 4, 0, 1, 5, 3};
  const In request = trajectory(arm, 2);
  In turned = request;
  for (std::size_t k = 0; k < 7; ++k) {
    turned.trajectory.joint_names[k] = arm[order[k]];
    for (std::size_t i = 0; i < 2; ++i) {
      const Point& from = request.trajectory.points[i];
      Point& to = turned.trajectory.points[i];
      to.positions[k] = from.positions[order[k]];
      to.velocities[k] = from.velocities[order[k]];
      to.effort[k] = from.effort[order[k]];
    }
  }
  const Out plain = call(*robot.dynamics, request), out = call(*robot.dynamics, turned);
  ASSERT_EQ(out.error_msg, "");
  EXPECT_EQ(out.joint_names, turned.trajectory.joint_names);
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t i = 0; i < 14; ++i) {
      const std::size_t from_row = order[i % 7] + i / 7 * 7;
      for (std::size_t j = 0; j < 14; ++j) {
        EXPECT_EQ(out.state_matrix[(s * 14 + i) * 14 + j],
                  plain.state_matrix[(s * 14 + from_row) * 14 + order[j % 7] + j / 7 * 7]);
      }
      for (std::size_t j = 0; j < 7; ++j) {
        EXPECT_EQ(out.input_matrix[(s * 14 + i) * 7 + j],
                  plain.input_matrix[(s * 14 + from_row) * 7 + order[j]]);
      }
    }
  }
}

TEST(LinearizeTrajectory, MimicJointsAreNotLookedAt) {
  Robot robot("gripper");
  std::vector<std::string> names;
  for (const auto& joint : robot.model->joints()) {
    if (!joint.mimic) names.push_back(joint.name);
  }
  const In plain = trajectory(names, 2);
  In request = plain;
  request.trajectory.joint_names.insert(request.trajectory.joint_names.begin(),
                                        "finger_right_joint");
  for (Point& point : request.trajectory.points) {
    for (Numbers Point::*field :
         {&Point::positions, &Point::velocities, &Point::accelerations, &Point::effort}) {
      (point.*field).insert((point.*field).begin(), nan);
    }
  }
  const Out out = call(*robot.dynamics, request), without = call(*robot.dynamics, plain);
  ASSERT_EQ(out.error_msg, "");
  EXPECT_EQ(out.joint_names, names);
  EXPECT_EQ(out.state_matrix, without.state_matrix);
  EXPECT_EQ(out.input_matrix, without.input_matrix);
}

/// Law: pose, twist and wrenches reach the core in its order; the rows of the base come first.
TEST(LinearizeTrajectory, FloatingBaseIsTheCores) {
  using Axes = rbd_parallel_core::ExternalWrenches::Axes;
  Robot robot("quadruped", Base::floating);
  constexpr std::size_t batch = 3;
  const FloatingRequest<Dynamics::Derivatives::Request> sent(batch);
  std::vector<std::string> names = robot.model->joint_names();
  names.erase(names.begin());
  In request = trajectory(names, batch);
  for (std::size_t i = 0; i < batch; ++i) {
    Point& point = request.trajectory.points[i];
    point.positions = row(sent.request.position, i, 12);
    point.velocities = row(sent.request.velocity, i, 12);
    point.accelerations = row(sent.request.acceleration, i, 12);
    point.effort = row(sent.request.effort, i, 12);
  }
  request.base_pose = sent.request.base_pose;
  request.base_twist = sent.request.base_twist;
  request.base_wrench = sent.request.base_wrench;
  request.external_wrench_links = {"FL_foot", "RR_foot"};
  request.external_wrenches = sent.request.external_wrenches;
  const std::vector<int> links{*robot.model->find_link("FL_foot"),
                               *robot.model->find_link("RR_foot")};
  for (const Axes axes : {Axes::link, Axes::world}) {
    request.external_wrench_axes = axes == Axes::link ? In::AXES_LINK : In::AXES_WORLD;
    request.scheme = In::SCHEME_RK4;
    const Out out = call(*robot.dynamics, request);
    ASSERT_EQ(out.error_msg, "");
    EXPECT_EQ(out.rows, 18u);
    const Matrices core = expected(robot, {.batch = batch,
                                           .q = sent.q,
                                           .v = sent.v,
                                           .tau = sent.tau,
                                           .dt = 0.01,
                                           .scheme = StepScheme::rk4,
                                           .f_ext = {links, sent.wrenches, axes}});
    EXPECT_EQ(out.state_matrix, core.A);
    EXPECT_EQ(out.input_matrix, core.B);
    EXPECT_EQ(out.base_wrench, request.base_wrench);
  }

  // The wrench that an acceleration of the base needs is one of the inputs then.
  request.input = In::INPUT_ACCELERATION;
  request.base_wrench.clear();
  request.base_acceleration = sent.request.base_acceleration;
  const Out out = call(*robot.dynamics, request);
  ASSERT_EQ(out.error_msg, "");
  Dynamics::InverseDynamics::Request inverse;
  inverse.position = sent.request.position;
  inverse.velocity = sent.request.velocity;
  inverse.acceleration = sent.request.acceleration;
  inverse.base_pose = request.base_pose;
  inverse.base_twist = request.base_twist;
  inverse.base_acceleration = request.base_acceleration;
  inverse.external_wrench_links = request.external_wrench_links;
  inverse.external_wrenches = request.external_wrenches;
  inverse.external_wrench_axes = request.external_wrench_axes;
  Dynamics::InverseDynamics::Response needed;
  robot.dynamics->answer(inverse, needed);
  EXPECT_EQ(out.effort, needed.effort);
  EXPECT_EQ(out.base_wrench, needed.base_wrench);
}

/// Law: a trajectory may be longer than max_batch; its points are those that they are alone.
TEST(LinearizeTrajectory, MorePointsThanABatch) {
  Robot robot("arm7", Base::fixed, {}, 10);
  const In request = trajectory(arm, 25);
  const Out out = call(*robot.dynamics, request);
  ASSERT_EQ(out.error_msg, "");
  for (const std::size_t i : {0u, 9u, 10u, 24u}) {
    In alone = request;
    alone.trajectory.points = {request.trajectory.points[i]};
    EXPECT_EQ(row(out.state_matrix, i, 196), call(*robot.dynamics, alone).state_matrix);
  }
}

TEST(LinearizeTrajectory, BadPointSpoilsOnlyItself) {
  Robot robot("arm7");
  In request = trajectory(arm, 3);
  const Out good = call(*robot.dynamics, request);
  request.trajectory.points[1].effort[2] = nan;
  const Out out = call(*robot.dynamics, request);
  EXPECT_EQ(out.error_code, Out::STATES_FAILED);
  EXPECT_NE(out.error_msg.find("1 of 3 points failed; the first is point 1: effort of joint "
                               "'joint_3' is NaN"),
            std::string::npos)
      << out.error_msg;
  EXPECT_EQ(out.status, (std::vector<std::uint8_t>{0, Out::STATUS_NOT_FINITE, 0}));
  for (const std::size_t i : {0u, 2u}) {
    EXPECT_EQ(row(out.state_matrix, i, 196), row(good.state_matrix, i, 196));
    EXPECT_EQ(row(out.input_matrix, i, 98), row(good.input_matrix, i, 98));
  }
  for (const double x : row(out.state_matrix, 1, 196)) EXPECT_TRUE(std::isnan(x));
  for (const double x : row(out.input_matrix, 1, 98)) EXPECT_TRUE(std::isnan(x));
}

TEST(LinearizeTrajectory, SingularPointNamesTheJoint) {
  const auto model = std::make_shared<const Model>(rbd_parallel_core::load_urdf_string(
      "<robot name='r'><link name='base'/><link name='arm'/><joint name='loose' type='continuous'>"
      "<parent link='base'/><child link='arm'/></joint></robot>"));
  std::shared_ptr<rbd_parallel_core::Backend> backend =
      rbd_parallel_core::make_backend("reference");
  backend->configure(model);
  Dynamics dynamics(backend, JointTable(*model, false));
  const Out out = call(dynamics, trajectory({"loose"}, 1));
  EXPECT_EQ(out.status, std::vector<std::uint8_t>{Out::STATUS_SINGULAR});
  EXPECT_EQ(out.status_joint, std::vector<std::string>{"loose"});
}

TEST(LinearizeTrajectory, WhatDoesNotFitIsRefusedByName) {
  Robot robot("arm7");
  const auto refused = [&](auto change, std::uint16_t code, const std::string& words) {
    In request = trajectory(arm, 3);
    change(request);
    const Out out = call(*robot.dynamics, request);
    EXPECT_EQ(out.error_code, code) << out.error_msg;
    EXPECT_NE(out.error_msg.find(words), std::string::npos) << out.error_msg;
    EXPECT_TRUE(out.state_matrix.empty() && out.input_matrix.empty() && out.status.empty());
  };
  refused([](In& r) { r.input = 2; }, Out::INVALID_ARGUMENT, "input is 2");
  refused([](In& r) { r.scheme = 2; }, Out::INVALID_ARGUMENT, "scheme is 2");
  for (const double dt : {-0.01, nan, std::numeric_limits<double>::infinity()}) {
    refused([&](In& r) { r.dt = dt; }, Out::INVALID_ARGUMENT, "expected a positive number");
  }
  refused(
      [](In& r) {
        r.dt = 0;
        r.trajectory.points[2].time_from_start = r.trajectory.points[1].time_from_start;
      },
      Out::INVALID_ARGUMENT, "points[2].time_from_start is 10000000 ns");
  refused(
      [](In& r) {
        r.dt = 0;
        r.trajectory.points.resize(1);
      },
      Out::INVALID_ARGUMENT, "has one point, from which there is no step");
  refused([](In& r) { r.trajectory.points.clear(); }, Out::WRONG_SIZE, "points is empty");
  refused([](In& r) { r.trajectory.joint_names.clear(); }, Out::MISSING_JOINT, "names is empty");
  refused([](In& r) { r.trajectory.points[1].positions.clear(); }, Out::WRONG_SIZE,
          "points[1].positions has 0");
  refused([](In& r) { r.trajectory.points[2].velocities.resize(6); }, Out::WRONG_SIZE,
          "points[2].velocities has 6");
  refused([](In& r) { r.trajectory.points[0].effort.clear(); }, Out::WRONG_SIZE,
          "points[0].effort has 0 elements, expected 7, one for each of joint_names; send them, or "
          "set input to INPUT_ACCELERATION (1)");
  refused(
      [](In& r) {
        r.input = In::INPUT_ACCELERATION;
        r.trajectory.points[0].accelerations.clear();
      },
      Out::WRONG_SIZE, "points[0].accelerations has 0");
  refused([](In& r) { r.trajectory.joint_names[2] = "elbow"; }, Out::UNKNOWN_JOINT, "'elbow'");
  refused([](In& r) { r.trajectory.joint_names[2] = "joint_1"; }, Out::DUPLICATE_JOINT, "twice");
  refused(
      [](In& r) {
        r.trajectory.joint_names.pop_back();
        for (Point& point : r.trajectory.points) {
          point.positions.pop_back();
          point.velocities.pop_back();
          point.effort.pop_back();
        }
      },
      Out::MISSING_JOINT, "'joint_7'");
  refused([](In& r) { r.base_pose.resize(3); }, Out::WRONG_SIZE, "base is fixed");
  refused([](In& r) { r.base_acceleration.resize(3); }, Out::INVALID_ARGUMENT,
          "base_acceleration has 3");
  refused(
      [](In& r) {
        r.input = In::INPUT_ACCELERATION;
        r.base_wrench.resize(3);
      },
      Out::INVALID_ARGUMENT, "base_wrench has 3");
  refused([](In& r) { r.external_wrench_links = {"arm"}; }, Out::UNKNOWN_LINK, "'arm'");
  refused([](In& r) { r.external_wrench_links = {"tool"}; }, Out::WRONG_SIZE,
          "external_wrenches has 0 elements, expected 3");
}

/// Law: the reply is counted before memory is taken for it.
TEST(LinearizeTrajectory, ResponsesThatCannotBeSentAreRefused) {
  Robot robot("arm7");
  In request = trajectory(arm, 1);
  request.trajectory.points.resize(114131, request.trajectory.points[0]);
  const Out out = call(*robot.dynamics, request);
  EXPECT_EQ(out.error_code, Out::BATCH_TOO_LARGE);
  EXPECT_NE(out.error_msg.find("send at most 114130 "), std::string::npos) << out.error_msg;
}

}  // namespace
}  // namespace rbd_parallel_ros::testing
