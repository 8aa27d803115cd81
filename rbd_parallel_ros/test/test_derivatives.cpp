// SPDX-License-Identifier: Apache-2.0
#include "derivatives.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "answer_always.hpp"
#include "floating_request.hpp"
#include "robots.hpp"

namespace rbd_parallel_ros::testing {
namespace {

using In = Dynamics::Derivatives::Request;
using Out = Dynamics::Derivatives::Response;
using Numbers = std::vector<double>;
using Axes = rbd_parallel_core::ExternalWrenches::Axes;

constexpr std::uint16_t of_inverse =
    In::INVERSE_DYNAMICS_DQ | In::INVERSE_DYNAMICS_DV | In::MASS_MATRIX;
constexpr std::uint16_t of_forward =
    In::FORWARD_DYNAMICS_DQ | In::FORWARD_DYNAMICS_DV | In::FORWARD_DYNAMICS_DTAU;
constexpr std::uint16_t all_blocks = of_inverse | of_forward;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Out call(Dynamics& dynamics, const In& request) {
  Out response;
  answer_always(response, [&](auto& out) { dynamics.answer(request, out); });
  EXPECT_EQ(response.error_code == 0, response.error_msg.empty());
  return response;
}

In arm_request(std::size_t batch, std::uint16_t blocks = all_blocks) {
  In request;
  request.blocks = blocks;
  request.position = random_numbers(batch * 7, 1);
  request.velocity = random_numbers(batch * 7, 2);
  if (blocks & of_inverse) request.acceleration = random_numbers(batch * 7, 3);
  if (blocks & of_forward) request.effort = random_numbers(batch * 7, 4);
  return request;
}

/// The blocks of a response, in the order of their flags.
std::vector<Numbers> blocks_of(const Out& out) {
  return {out.inverse_dynamics_dq, out.inverse_dynamics_dv, out.mass_matrix,
          out.forward_dynamics_dq, out.forward_dynamics_dv, out.forward_dynamics_dtau};
}

/// What the core gives for the same numbers.
std::vector<Numbers> expected_blocks(Robot& robot, std::size_t batch, const Numbers& q,
                                     const Numbers& v, const Numbers& a, const Numbers& tau,
                                     const rbd_parallel_core::ExternalWrenches& f_ext = {}) {
  const auto nv = static_cast<std::size_t>(robot.model->nv());
  std::vector<Numbers> out(6, Numbers(batch * nv * nv));
  EXPECT_TRUE(robot.direct->inverse_dynamics_derivatives({.batch = batch,
                                                          .q = q,
                                                          .v = v,
                                                          .a = a,
                                                          .f_ext = f_ext,
                                                          .dtau_dq = out[0],
                                                          .dtau_dv = out[1],
                                                          .mass_matrix = out[2]}));
  EXPECT_TRUE(robot.direct->forward_dynamics_derivatives({.batch = batch,
                                                          .q = q,
                                                          .v = v,
                                                          .tau = tau,
                                                          .f_ext = f_ext,
                                                          .dqdd_dq = out[3],
                                                          .dqdd_dv = out[4],
                                                          .dqdd_dtau = out[5]}));
  return out;
}

/// Rows and columns `index` of each state's matrix of n x n.
Numbers picked(const Numbers& matrices, std::size_t n, const std::vector<std::size_t>& index) {
  Numbers out;
  for (std::size_t at = 0; at < matrices.size(); at += n * n) {
    for (const std::size_t i : index) {
      for (const std::size_t j : index) out.push_back(matrices[at + i * n + j]);
    }
  }
  return out;
}

Numbers columns(const Numbers& values, std::size_t n, const std::vector<std::size_t>& index) {
  Numbers out;
  for (std::size_t at = 0; at < values.size(); at += n) {
    for (const std::size_t k : index) out.push_back(values[at + k]);
  }
  return out;
}

TEST(Derivatives, BlocksAreTheBackends) {
  Robot robot("arm7");
  const In request = arm_request(5);
  const Out out = call(*robot.dynamics, request);
  ASSERT_EQ(out.error_msg, "");
  EXPECT_EQ(blocks_of(out), expected_blocks(robot, 5, request.position, request.velocity,
                                            request.acceleration, request.effort));
  EXPECT_EQ(out.joint_names, robot.model->joint_names());
  EXPECT_EQ(out.batch_size, 5u);
  EXPECT_EQ(out.rows, 7u);
  EXPECT_EQ(out.status, std::vector<std::uint8_t>(5, 0));
}

/// Law: a flag gives its block, which does not depend on what else is asked for, and no other.
TEST(Derivatives, EachFlagGivesItsBlockAlone) {
  Robot robot("arm7");
  const std::vector<Numbers> all = blocks_of(call(*robot.dynamics, arm_request(2)));
  for (std::size_t k = 0; k < 6; ++k) {
    const Out out = call(*robot.dynamics, arm_request(2, static_cast<std::uint16_t>(1u << k)));
    ASSERT_EQ(out.error_msg, "");
    std::vector<Numbers> expected(6);
    expected[k] = all[k];
    EXPECT_EQ(blocks_of(out), expected) << "block " << k;
  }
}

/// Law: element [i, j] of a block is the change of effort i along coordinate j, by differences of
/// what ~/inverse_dynamics gives for the same request.
TEST(Derivatives, RowsAreEffortsAndColumnsAreCoordinates) {
  constexpr double h = 1e-6;
  Robot robot("arm7");
  In request = arm_request(1, of_inverse);
  request.joint_names = {"joint_3", "joint_7", "joint_1", "joint_2",
                         "joint_5", "joint_4", "joint_6"};
  const Out out = call(*robot.dynamics, request);
  ASSERT_EQ(out.error_msg, "");
  Dynamics::InverseDynamics::Request state;
  state.joint_names = request.joint_names;
  state.position = request.position;
  state.velocity = request.velocity;
  state.acceleration = request.acceleration;
  const auto effort = [&](Numbers Dynamics::InverseDynamics::Request::*field, std::size_t j,
                          double change) {
    auto moved = state;
    (moved.*field)[j] += change;
    Dynamics::InverseDynamics::Response response;
    robot.dynamics->answer(moved, response);
    return response.effort;
  };
  using State = Dynamics::InverseDynamics::Request;
  const std::vector<std::pair<Numbers State::*, const Numbers*>> cases{
      {&State::position, &out.inverse_dynamics_dq},
      {&State::velocity, &out.inverse_dynamics_dv},
      {&State::acceleration, &out.mass_matrix}};
  for (const auto& [field, block] : cases) {
    for (std::size_t j = 0; j < 7; ++j) {
      const Numbers up = effort(field, j, h), down = effort(field, j, -h);
      // Efforts of some 50 N m: rounding of 1e-14 / h, and h^2 of the third derivative.
      for (std::size_t i = 0; i < 7; ++i) {
        EXPECT_NEAR((*block)[i * 7 + j], (up[i] - down[i]) / (2 * h), 1e-7);
      }
    }
  }
}

/// Law: the order of the joints moves rows and columns, and nothing else.
TEST(Derivatives, JointOrderMovesRowsAndColumns) {
  Robot robot("arm7");
  const std::vector<std::size_t> order{6, 2, 4, 0, 1, 5, 3};
  const In request = arm_request(3);
  In turned = request;
  for (const std::size_t k : order) turned.joint_names.push_back("joint_" + std::to_string(k + 1));
  for (Numbers In::*field : {&In::position, &In::velocity, &In::acceleration, &In::effort}) {
    turned.*field = columns(request.*field, 7, order);
  }
  std::vector<Numbers> expected = blocks_of(call(*robot.dynamics, request));
  for (Numbers& block : expected) block = picked(block, 7, order);
  const Out out = call(*robot.dynamics, turned);
  EXPECT_EQ(blocks_of(out), expected);
  EXPECT_EQ(out.joint_names, turned.joint_names);
}

/// Law: joints that are left out are at rest at 0, and have neither a row nor a column.
TEST(Derivatives, SubsetIsABlockOfTheWhole) {
  Robot robot("arm7");
  In some, whole;
  some.blocks = whole.blocks = of_inverse;
  some.joint_names = {"joint_4", "joint_2"};
  some.position = {0.3, -0.2};
  some.velocity = {1.5, 0.5};
  whole.position = {0, -0.2, 0, 0.3, 0, 0, 0};
  whole.velocity = {0, 0.5, 0, 1.5, 0, 0, 0};
  std::vector<Numbers> expected = blocks_of(call(*robot.dynamics, whole));
  for (Numbers& block : expected) block = picked(block, 7, {3, 1});
  const Out out = call(*robot.dynamics, some);
  EXPECT_EQ(blocks_of(out), expected);
  EXPECT_EQ(out.rows, 2u);
  for (const std::uint16_t block :
       {In::FORWARD_DYNAMICS_DQ, In::FORWARD_DYNAMICS_DV, In::FORWARD_DYNAMICS_DTAU}) {
    some.blocks = of_inverse | block;
    const Out refused = call(*robot.dynamics, some);
    EXPECT_EQ(refused.error_code, Out::MISSING_JOINT);
    EXPECT_NE(refused.error_msg.find("'joint_1'"), std::string::npos);
  }
}

/// Law: pose, twist, acceleration and wrenches reach the core in its order; the rows of the base
/// come first.
TEST(Derivatives, FloatingBaseIsTheBackends) {
  Robot robot("quadruped", Base::floating);
  constexpr std::size_t batch = 3;
  FloatingRequest<In> sent(batch);
  sent.request.blocks = all_blocks;
  sent.request.external_wrench_links = {"FL_foot", "RR_foot"};
  const std::vector<int> links{*robot.model->find_link("FL_foot"),
                               *robot.model->find_link("RR_foot")};
  for (const Axes axes : {Axes::link, Axes::world}) {
    sent.request.external_wrench_axes = axes == Axes::link ? In::AXES_LINK : In::AXES_WORLD;
    const Out out = call(*robot.dynamics, sent.request);
    ASSERT_EQ(out.error_msg, "");
    EXPECT_EQ(out.rows, 18u);
    EXPECT_EQ(blocks_of(out), expected_blocks(robot, batch, sent.q, sent.v, sent.a, sent.tau,
                                              {links, sent.wrenches, axes}));
  }
}

TEST(Derivatives, MimicJointsAreServed) {
  Robot robot("gripper");
  In request;
  request.blocks = all_blocks;
  request.position = {0.2, 0.4, 0.01};
  const Out out = call(*robot.dynamics, request);
  ASSERT_EQ(out.error_msg, "");
  EXPECT_EQ(blocks_of(out), expected_blocks(robot, 1, request.position, {}, {}, {}));
}

TEST(Derivatives, FlagsThatStandForNothingAreRefused) {
  Robot robot("arm7");
  for (const std::uint16_t blocks : std::initializer_list<std::uint16_t>{0, 64, 65, 0xffff}) {
    In request = arm_request(1);
    request.blocks = blocks;
    const Out out = call(*robot.dynamics, request);
    EXPECT_EQ(out.error_code, Out::INVALID_ARGUMENT);
    EXPECT_NE(out.error_msg.find("blocks is " + std::to_string(blocks) +
                                 ", expected a sum of INVERSE_DYNAMICS_DQ (1)"),
              std::string::npos)
        << out.error_msg;
  }
}

/// Law: what a client sends is used, or it is told.
TEST(Derivatives, ArraysThatNoBlockTakesAreRefused) {
  Robot robot("quadruped", Base::floating);
  const auto refused = [&](std::uint16_t blocks, auto change, const std::string& field) {
    In request;
    request.blocks = blocks;
    request.position = random_numbers(12, 1);
    request.base_pose.resize(1);
    ASSERT_EQ(call(*robot.dynamics, request).error_msg, "");
    change(request);
    const Out out = call(*robot.dynamics, request);
    EXPECT_EQ(out.error_code, Out::INVALID_ARGUMENT);
    EXPECT_EQ(out.error_msg.find(field), 0u) << out.error_msg;
    request.blocks = all_blocks;
    EXPECT_EQ(call(*robot.dynamics, request).error_msg, "");
  };
  refused(
      of_inverse, [](In& r) { r.effort.resize(12); }, "effort has 12");
  refused(
      of_inverse, [](In& r) { r.base_wrench.resize(1); }, "base_wrench has 1");
  refused(
      of_forward, [](In& r) { r.acceleration.resize(12); }, "acceleration has 12");
  refused(
      of_forward, [](In& r) { r.base_acceleration.resize(1); }, "base_acceleration has 1");
}

TEST(Derivatives, WrongSizesAreRefusedByName) {
  Robot robot("arm7");
  const auto refused = [&](auto change, std::uint16_t code, const std::string& words) {
    In request = arm_request(2);
    request.batch_size = 2;
    change(request);
    const Out out = call(*robot.dynamics, request);
    EXPECT_EQ(out.error_code, code) << out.error_msg;
    EXPECT_NE(out.error_msg.find(words), std::string::npos) << out.error_msg;
    EXPECT_EQ(blocks_of(out), std::vector<Numbers>(6));
  };
  refused([](In& r) { r.position.pop_back(); }, Out::WRONG_SIZE, "position has 13");
  refused([](In& r) { r.velocity.resize(7); }, Out::WRONG_SIZE, "velocity has 7");
  refused([](In& r) { r.acceleration.resize(15); }, Out::WRONG_SIZE, "acceleration has 15");
  refused([](In& r) { r.effort.resize(1); }, Out::WRONG_SIZE, "effort has 1");
  refused([](In& r) { r.base_twist.resize(2); }, Out::WRONG_SIZE, "base_twist");
  refused([](In& r) { r.external_wrenches.resize(1); }, Out::WRONG_SIZE, "external_wrenches");
  refused([](In& r) { r.external_wrench_links = {"arm"}; }, Out::UNKNOWN_LINK, "'arm'");
  refused([](In& r) { r.external_wrench_axes = 2; }, Out::INVALID_ARGUMENT, "axes is 2");
  refused([](In& r) { r.joint_names = {"elbow"}; }, Out::UNKNOWN_JOINT, "'elbow'");
  refused([](In& r) { r.joint_names = {"joint_1", "joint_1"}; }, Out::DUPLICATE_JOINT, "twice");
  refused([](In& r) { r.batch_size = 101; }, Out::BATCH_TOO_LARGE, "at most 100");
}

/// Law: the bound on what is sent counts all blocks of the response together.
TEST(Derivatives, ResponsesThatCannotBeSentAreRefused) {
  Robot robot("arm7", Base::fixed, {}, 1'000'000);
  In request;
  request.batch_size = 1'000'000;
  request.blocks = all_blocks;
  // 256 MiB of numbers, 49 in each of 6 blocks of a state
  Out out = call(*robot.dynamics, request);
  EXPECT_EQ(out.error_code, Out::BATCH_TOO_LARGE);
  EXPECT_NE(out.error_msg.find("send at most 114130 states"), std::string::npos) << out.error_msg;
  request.blocks = In::MASS_MATRIX;
  out = call(*robot.dynamics, request);
  EXPECT_EQ(out.error_code, Out::BATCH_TOO_LARGE);
  EXPECT_NE(out.error_msg.find("send at most 684784 states"), std::string::npos) << out.error_msg;
}

TEST(Derivatives, BadStateSpoilsOnlyItself) {
  Robot robot("arm7");
  In request = arm_request(3);
  const std::vector<Numbers> good = blocks_of(call(*robot.dynamics, request));
  request.velocity[8] = nan;
  const Out out = call(*robot.dynamics, request);
  EXPECT_EQ(out.error_code, Out::STATES_FAILED);
  EXPECT_NE(out.error_msg.find("state 1: velocity of joint 'joint_2' is NaN"), std::string::npos)
      << out.error_msg;
  EXPECT_EQ(out.status, (std::vector<std::uint8_t>{0, Out::STATUS_NOT_FINITE, 0}));
  const std::vector<Numbers> blocks = blocks_of(out);
  for (std::size_t k = 0; k < 6; ++k) {
    for (std::size_t i = 0; i < 3 * 49; ++i) {
      if (i / 49 == 1) {
        EXPECT_TRUE(std::isnan(blocks[k][i]));
      } else {
        EXPECT_EQ(blocks[k][i], good[k][i]);
      }
    }
  }
}

/// Law: a bad effort is no matter of inverse dynamics; the status tells of it all the same.
TEST(Derivatives, ABadEffortLeavesTheBlocksOfInverseDynamics) {
  Robot robot("arm7");
  In request = arm_request(1);
  const std::vector<Numbers> good = blocks_of(call(*robot.dynamics, request));
  request.effort[3] = nan;
  const Out out = call(*robot.dynamics, request);
  EXPECT_EQ(out.status, std::vector<std::uint8_t>{Out::STATUS_NOT_FINITE});
  EXPECT_NE(out.error_msg.find("effort of joint 'joint_4' is NaN"), std::string::npos)
      << out.error_msg;
  const std::vector<Numbers> blocks = blocks_of(out);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(blocks[k], good[k]);
  EXPECT_TRUE(std::isnan(out.forward_dynamics_dq[0]));
}

/// Law: M exists where its inverse does not.
TEST(Derivatives, SingularStateNamesTheJointAndKeepsTheMassMatrix) {
  const auto model = std::make_shared<const Model>(rbd_parallel_core::load_urdf_string(
      "<robot name='r'><link name='base'/><link name='arm'/><joint name='loose' type='continuous'>"
      "<parent link='base'/><child link='arm'/></joint></robot>"));
  std::shared_ptr<rbd_parallel_core::Backend> backend =
      rbd_parallel_core::make_backend("reference");
  backend->configure(model);
  Dynamics dynamics(backend, JointTable(*model, false));
  In request;
  request.blocks = In::MASS_MATRIX | In::FORWARD_DYNAMICS_DTAU;
  request.position = {0};
  const Out out = call(dynamics, request);
  EXPECT_EQ(out.error_code, Out::STATES_FAILED);
  EXPECT_EQ(out.status, std::vector<std::uint8_t>{Out::STATUS_SINGULAR});
  EXPECT_EQ(out.status_joint, std::vector<std::string>{"loose"});
  EXPECT_EQ(out.mass_matrix, Numbers{0.0});
  EXPECT_TRUE(std::isnan(out.forward_dynamics_dtau[0]));
}

}  // namespace
}  // namespace rbd_parallel_ros::testing
