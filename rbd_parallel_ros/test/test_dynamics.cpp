// SPDX-License-Identifier: Apache-2.0
#include "dynamics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "answer_always.hpp"
#include "floating_request.hpp"
#include "robots.hpp"

namespace rbd_parallel_ros::testing {
namespace {

using Names = std::vector<std::string>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class Service>
typename Service::Response call(Robot& robot, const typename Service::Request& request) {
  typename Service::Response response;
  answer_always(response, [&](auto& out) { robot.dynamics->answer(request, out); });
  EXPECT_EQ(response.error_code == 0, response.error_msg.empty());
  const bool refused = response.error_code != Service::Response::OK &&
                       response.error_code != Service::Response::STATES_FAILED;
  EXPECT_EQ(response.batch_size == 0, refused);
  return response;
}

using Inverse = Dynamics::InverseDynamics;
using Forward = Dynamics::ForwardDynamics;
using Bias = Dynamics::BiasForces;
using Matrix = Dynamics::MassMatrix;

Inverse::Request arm_request(std::size_t batch) {
  Inverse::Request request;
  request.batch_size = static_cast<std::uint32_t>(batch);
  request.position = random_numbers(batch * 7, 1);
  request.velocity = random_numbers(batch * 7, 2);
  request.acceleration = random_numbers(batch * 7, 3);
  return request;
}

std::uint16_t code_of(const Inverse::Request& request) {
  Robot robot("arm7");
  return call<Inverse>(robot, request).error_code;
}

/// Column `from[k]` of each state becomes column k.
std::vector<double> permuted(const std::vector<double>& values,
                             const std::vector<std::size_t>& from) {
  std::vector<double> out;
  for (std::size_t at = 0; at < values.size(); at += from.size()) {
    for (const std::size_t column : from) out.push_back(values[at + column]);
  }
  return out;
}

TEST(Dynamics, InverseDynamicsIsTheBackends) {
  Robot robot("arm7");
  const auto request = arm_request(5);
  std::vector<double> tau(35);
  ASSERT_TRUE(robot.direct
                  ->inverse_dynamics({.batch = 5,
                                      .q = request.position,
                                      .v = request.velocity,
                                      .a = request.acceleration,
                                      .tau = tau})
                  .ok());
  const auto response = call<Inverse>(robot, request);
  EXPECT_EQ(response.error_code, Inverse::Response::OK);
  EXPECT_EQ(response.effort, tau);
  EXPECT_EQ(response.joint_names, robot.model->joint_names());
  EXPECT_EQ(response.batch_size, 5u);
  EXPECT_EQ(response.status, std::vector<std::uint8_t>(5, 0));
}

/// Law: by topic the same comes out as by service, for good states, bad states and bad requests.
TEST(Dynamics, StateBatchesAreAnsweredAsInverseDynamics) {
  Robot robot("quadruped", Base::floating);
  Inverse::Request request;
  request.joint_names =
      Names(robot.model->joint_names().rbegin(), robot.model->joint_names().rend() - 1);
  request.position = random_numbers(24, 1);
  request.velocity = random_numbers(24, 2);
  request.acceleration = random_numbers(24, 3);
  request.base_pose.resize(2);
  request.base_twist.resize(2);
  request.base_twist[1].angular.y = 2;
  request.base_acceleration.resize(2);
  request.base_acceleration[0].linear.z = 3;
  request.external_wrench_links = {"FL_foot"};
  request.external_wrenches.resize(2);
  request.external_wrenches[1].force.z = 40;
  for (const double first : {0.5, nan}) {
    for (const auto axes : std::initializer_list<std::uint8_t>{0, 1, 7}) {
      request.position[0] = first;
      request.external_wrench_axes = axes;
      Dynamics::StateBatch states;
      states.joint_names = request.joint_names;
      states.position = request.position;
      states.velocity = request.velocity;
      states.acceleration = request.acceleration;
      states.base_pose = request.base_pose;
      states.base_twist = request.base_twist;
      states.base_acceleration = request.base_acceleration;
      states.external_wrench_links = request.external_wrench_links;
      states.external_wrenches = request.external_wrenches;
      states.external_wrench_axes = axes;
      Dynamics::EffortBatch efforts;
      answer_always(efforts, [&](auto& out) { robot.dynamics->answer(states, out); });
      const auto expected = call<Inverse>(robot, request);
      EXPECT_EQ(efforts.error_code, expected.error_code);
      EXPECT_EQ(efforts.error_msg, expected.error_msg);
      EXPECT_EQ(efforts.joint_names, expected.joint_names);
      EXPECT_EQ(efforts.batch_size, expected.batch_size);
      EXPECT_EQ(efforts.status, expected.status);
      EXPECT_EQ(efforts.status_joint, expected.status_joint);
      ASSERT_EQ(efforts.effort.size(), expected.effort.size());
      ASSERT_EQ(efforts.base_wrench.size(), expected.base_wrench.size());
      for (std::size_t i = 0; i < efforts.effort.size(); ++i) {
        if (i / 12 == 0 && std::isnan(first)) {
          EXPECT_TRUE(std::isnan(efforts.effort[i]));
        } else {
          EXPECT_EQ(efforts.effort[i], expected.effort[i]);
        }
      }
      if (!efforts.base_wrench.empty()) {
        EXPECT_EQ(efforts.base_wrench[1], expected.base_wrench[1]);
      }
    }
  }
}

/// Law: the order of the joints is a matter of names only.
TEST(Dynamics, JointOrderChangesTheOrderOnly) {
  Robot robot("arm7");
  const std::vector<std::size_t> order{6, 2, 4, 0, 1, 5, 3};
  const auto request = arm_request(3);
  auto turned = request;
  for (const std::size_t joint : order)
    turned.joint_names.push_back("joint_" + std::to_string(joint + 1));
  turned.position = permuted(request.position, order);
  turned.velocity = permuted(request.velocity, order);
  turned.acceleration = permuted(request.acceleration, order);
  const auto plain = call<Inverse>(robot, request);
  const auto response = call<Inverse>(robot, turned);
  EXPECT_EQ(response.effort, permuted(plain.effort, order));
  EXPECT_EQ(response.joint_names, turned.joint_names);
}

/// Law: joints that are left out are at rest at 0.
TEST(Dynamics, SubsetIsTheWholeRobotWithTheOthersAtRest) {
  Robot robot("arm7");
  Inverse::Request some, whole;
  some.joint_names = {"joint_4", "joint_2"};
  some.position = {0.3, -0.2};
  some.velocity = {1.5, 0.5};
  whole.position = {0, -0.2, 0, 0.3, 0, 0, 0};
  whole.velocity = {0, 0.5, 0, 1.5, 0, 0, 0};
  const auto expected = call<Inverse>(robot, whole);
  const auto actual = call<Inverse>(robot, some);
  EXPECT_EQ(actual.effort, (std::vector<double>{expected.effort[3], expected.effort[1]}));

  Matrix::Request matrix, whole_matrix;
  matrix.joint_names = some.joint_names;
  matrix.position = some.position;
  whole_matrix.position = whole.position;
  const auto block = call<Matrix>(robot, matrix);
  const auto full = call<Matrix>(robot, whole_matrix);
  EXPECT_EQ(block.rows, 2u);
  EXPECT_EQ(block.mass_matrix,
            (std::vector<double>{full.mass_matrix[3 * 7 + 3], full.mass_matrix[3 * 7 + 1],
                                 full.mass_matrix[1 * 7 + 3], full.mass_matrix[1 * 7 + 1]}));
}

TEST(Dynamics, ForwardDynamicsWantsEveryJoint) {
  Robot robot("arm7");
  Forward::Request request;
  request.joint_names = {"joint_1"};
  request.position = {0};
  const auto response = call<Forward>(robot, request);
  EXPECT_EQ(response.error_code, Forward::Response::MISSING_JOINT);
  EXPECT_NE(response.error_msg.find("'joint_2'"), std::string::npos);
}

/// Law: FD(q, v, ID(q, v, a, f), f) = a, on a floating base with external wrenches.
TEST(Dynamics, ForwardInvertsInverseOnAFloatingBase) {
  Robot robot("quadruped", Base::floating);
  const std::size_t batch = 4;
  Inverse::Request inverse;
  inverse.batch_size = batch;
  inverse.joint_names =
      Names(robot.model->joint_names().rbegin(), robot.model->joint_names().rend() - 1);
  ASSERT_EQ(inverse.joint_names.size(), 12u);
  inverse.position = random_numbers(batch * 12, 1);
  inverse.velocity = random_numbers(batch * 12, 2);
  inverse.acceleration = random_numbers(batch * 12, 3);
  inverse.base_pose.resize(batch);
  inverse.base_twist.resize(batch);
  inverse.base_acceleration.resize(batch);
  inverse.external_wrench_links = {"FL_foot", "RR_foot"};
  inverse.external_wrench_axes = Inverse::Request::AXES_WORLD;
  inverse.external_wrenches.resize(2 * batch);
  for (std::size_t i = 0; i < batch; ++i) {
    const double x = 0.1 * static_cast<double>(i + 1);
    inverse.base_pose[i].orientation.x = x;
    inverse.base_twist[i].angular.y = 2 * x;
    inverse.base_acceleration[i].linear.z = 3 * x;
    inverse.external_wrenches[2 * i].force.z = 40;
  }
  const auto effort = call<Inverse>(robot, inverse);
  ASSERT_EQ(effort.error_msg, "");
  ASSERT_EQ(effort.base_wrench.size(), batch);

  Forward::Request forward;
  forward.joint_names = inverse.joint_names;
  forward.position = inverse.position;
  forward.velocity = inverse.velocity;
  forward.effort = effort.effort;
  forward.base_pose = inverse.base_pose;
  forward.base_twist = inverse.base_twist;
  forward.base_wrench = effort.base_wrench;
  forward.external_wrench_links = inverse.external_wrench_links;
  forward.external_wrench_axes = inverse.external_wrench_axes;
  forward.external_wrenches = inverse.external_wrenches;
  for (const std::uint8_t method : {Forward::Request::METHOD_AUTOMATIC,
                                    Forward::Request::METHOD_ABA, Forward::Request::METHOD_CRBA}) {
    forward.method = method;
    const auto back = call<Forward>(robot, forward);
    ASSERT_EQ(back.error_msg, "");
    ASSERT_EQ(back.batch_size, batch);
    for (std::size_t i = 0; i < back.acceleration.size(); ++i) {
      EXPECT_NEAR(back.acceleration[i], inverse.acceleration[i], 1e-9);
    }
    for (std::size_t i = 0; i < batch; ++i) {
      EXPECT_NEAR(back.base_acceleration[i].linear.z, inverse.base_acceleration[i].linear.z, 1e-9);
    }
  }
}

/// Law: pose, twist, acceleration and wrenches reach the core in its order, and come back in it.
TEST(Dynamics, InverseDynamicsOfAFloatingBaseIsTheBackends) {
  using Axes = rbd_parallel_core::ExternalWrenches::Axes;
  Robot robot("quadruped", Base::floating);
  const std::size_t batch = 3;
  FloatingRequest<Inverse::Request> sent(batch);
  sent.request.external_wrench_links = {"FL_foot", "RR_foot"};
  const std::vector<int> links{*robot.model->find_link("FL_foot"),
                               *robot.model->find_link("RR_foot")};
  for (const Axes axes : {Axes::link, Axes::world}) {
    sent.request.external_wrench_axes =
        axes == Axes::link ? Inverse::Request::AXES_LINK : Inverse::Request::AXES_WORLD;
    std::vector<double> tau(batch * 18);
    ASSERT_TRUE(robot.direct
                    ->inverse_dynamics({.batch = batch,
                                        .q = sent.q,
                                        .v = sent.v,
                                        .a = sent.a,
                                        .f_ext = {links, sent.wrenches, axes},
                                        .tau = tau})
                    .ok());
    const auto response = call<Inverse>(robot, sent.request);
    ASSERT_EQ(response.error_msg, "");
    ASSERT_EQ(response.base_wrench.size(), batch);
    std::vector<double> received;
    for (std::size_t s = 0; s < batch; ++s) {
      const auto& [force, torque] =
          std::pair(response.base_wrench[s].force, response.base_wrench[s].torque);
      received.insert(received.end(), {force.x, force.y, force.z, torque.x, torque.y, torque.z});
      const auto joints = response.effort.begin() + static_cast<std::ptrdiff_t>(s * 12);
      received.insert(received.end(), joints, joints + 12);
    }
    EXPECT_EQ(received, tau);
  }
}

/// Law: joints that are left out are at rest, which for a quaternion is not all zeros.
TEST(Dynamics, JointsThatAreLeftOutHaveARotation) {
  const std::string inertial =
      "<inertial><origin xyz='0.1 0.2 0.3'/><mass value='2'/>"
      "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";
  const std::string urdf =
      "<robot name='r'><link name='base'/><link name='body'>" + inertial +
      "</link><link name='arm'>" + inertial +
      "</link><joint name='free' type='floating'><parent link='base'/><child link='body'/></joint>"
      "<joint name='hinge' type='continuous'><parent link='body'/><child link='arm'/>"
      "<axis xyz='0 1 0'/></joint></robot>";
  const auto model = std::make_shared<const Model>(rbd_parallel_core::load_urdf_string(urdf));
  std::shared_ptr<rbd_parallel_core::Backend> backend =
      rbd_parallel_core::make_backend("reference");
  backend->configure(model);
  Dynamics dynamics(backend, JointTable(*model, false));
  Inverse::Request some, whole;
  some.joint_names = {"hinge"};
  some.position = {0.3};
  whole.position = {0, 0, 0, 0, 0, 0, 1, 0.3};
  Inverse::Response actual, expected;
  answer_always(actual, [&](auto& out) { dynamics.answer(some, out); });
  answer_always(expected, [&](auto& out) { dynamics.answer(whole, out); });
  ASSERT_EQ(expected.error_msg, "");
  EXPECT_EQ(actual.error_msg, "");
  EXPECT_EQ(actual.effort, std::vector<double>{expected.effort.back()});
}

/// Law: bias = gravity + Coriolis, and gravity of a robot at rest is inverse dynamics.
TEST(Dynamics, BiasIsGravityAndCoriolis) {
  Robot robot("arm7");
  Bias::Request request;
  request.position = random_numbers(7, 1);
  request.velocity = random_numbers(7, 2);
  const auto bias = call<Bias>(robot, request);
  request.terms = Bias::Request::TERMS_GRAVITY;
  const auto gravity = call<Bias>(robot, request);
  request.terms = Bias::Request::TERMS_CORIOLIS;
  const auto coriolis = call<Bias>(robot, request);
  Inverse::Request rest;
  rest.position = request.position;
  const auto at_rest = call<Inverse>(robot, rest);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(bias.effort[i], gravity.effort[i] + coriolis.effort[i], 1e-12);
    EXPECT_NEAR(gravity.effort[i], at_rest.effort[i], 1e-12);
  }
  request.terms = 3;
  EXPECT_EQ(call<Bias>(robot, request).error_code, Bias::Response::INVALID_ARGUMENT);
}

TEST(Dynamics, MassMatrixOfAFloatingBaseHasSixRowsMore) {
  Robot robot("quadruped", Base::floating);
  Matrix::Request request;
  request.position = random_numbers(12, 1);
  request.base_pose.resize(1);
  const auto response = call<Matrix>(robot, request);
  ASSERT_EQ(response.error_msg, "");
  ASSERT_EQ(response.rows, 18u);
  ASSERT_EQ(response.mass_matrix.size(), 18u * 18u);
  EXPECT_NEAR(response.mass_matrix[0], robot.model->total_mass(), 1e-12);
  for (std::size_t i = 0; i < 18; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_EQ(response.mass_matrix[i * 18 + j], response.mass_matrix[j * 18 + i]);
    }
  }
}

TEST(Dynamics, WrongSizesAreRefusedByName) {
  Robot robot("arm7");
  const auto refused = [&](auto change, const std::string& field) {
    auto request = arm_request(2);
    change(request);
    const auto response = call<Inverse>(robot, request);
    EXPECT_EQ(response.error_code, Inverse::Response::WRONG_SIZE) << response.error_msg;
    EXPECT_NE(response.error_msg.find(field), std::string::npos) << response.error_msg;
    EXPECT_TRUE(response.effort.empty());
  };
  refused([](auto& r) { r.position.pop_back(); }, "position has 13");
  refused([](auto& r) { r.velocity.resize(7); }, "velocity has 7");
  refused([](auto& r) { r.acceleration.resize(1000); }, "acceleration has 1000");
  refused([](auto& r) { r.position.clear(); }, "position has 0");
  refused([](auto& r) { r.base_pose.resize(2); }, "base_pose");
  refused([](auto& r) { r.base_twist.resize(2); }, "base_twist");
  refused([](auto& r) { r.external_wrenches.resize(1); }, "external_wrenches");
  refused([](auto& r) { r.external_wrench_links = {"tool"}; }, "external_wrenches");
  refused([](auto& r) { r = Inverse::Request(); }, "position is empty");
  refused(
      [](auto& r) {
        r.batch_size = 0;
        r.position.pop_back();
      },
      "multiple of 7");
}

TEST(Dynamics, BadChoicesAreRefused) {
  auto request = arm_request(1);
  request.external_wrench_axes = 2;
  EXPECT_EQ(code_of(request), Inverse::Response::INVALID_ARGUMENT);
  request = arm_request(1);
  request.external_wrench_links = {"no_such_link"};
  request.external_wrenches.resize(1);
  EXPECT_EQ(code_of(request), Inverse::Response::UNKNOWN_LINK);
  request = arm_request(1);
  request.joint_names = {"joint_1", "joint_1"};
  EXPECT_EQ(code_of(request), Inverse::Response::DUPLICATE_JOINT);
}

TEST(Dynamics, BatchLimitIsNamed) {
  Robot robot("arm7");
  EXPECT_EQ(call<Inverse>(robot, arm_request(100)).error_msg, "");
  const auto response = call<Inverse>(robot, arm_request(101));
  EXPECT_EQ(response.error_code, Inverse::Response::BATCH_TOO_LARGE);
  EXPECT_NE(response.error_msg.find("at most 100"), std::string::npos);
  Inverse::Request huge;
  huge.batch_size = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ(code_of(huge), Inverse::Response::BATCH_TOO_LARGE);
}

TEST(Dynamics, ResponsesThatCannotBeSentAreRefused) {
  Robot robot("arm7", Base::fixed, {}, 1000000);
  Matrix::Request request;
  request.batch_size = 1000000;
  const auto response = call<Matrix>(robot, request);
  EXPECT_EQ(response.error_code, Matrix::Response::BATCH_TOO_LARGE);
  EXPECT_NE(response.error_msg.find("send at most"), std::string::npos);
}

TEST(Dynamics, BadStateSpoilsOnlyItself) {
  Robot robot("arm7");
  auto request = arm_request(3);
  const auto good = call<Inverse>(robot, request);
  request.velocity[8] = nan;
  const auto response = call<Inverse>(robot, request);
  EXPECT_EQ(response.error_code, Inverse::Response::STATES_FAILED);
  EXPECT_NE(response.error_msg.find("state 1"), std::string::npos);
  EXPECT_EQ(response.status, (std::vector<std::uint8_t>{0, 1, 0}));
  EXPECT_TRUE(response.status_joint.empty());
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(response.effort[i], good.effort[i]);
    EXPECT_TRUE(std::isnan(response.effort[7 + i]));
    EXPECT_EQ(response.effort[14 + i], good.effort[14 + i]);
  }
}

TEST(Dynamics, TheFirstStateThatFailedIsNamed) {
  Robot robot("arm7");
  auto request = arm_request(4);
  request.velocity[1 * 7] = request.velocity[3 * 7] = nan;
  const auto response = call<Inverse>(robot, request);
  EXPECT_EQ(response.status, (std::vector<std::uint8_t>{0, 1, 0, 1}));
  EXPECT_EQ(response.error_msg.find("2 of 4 states failed; the first is state 1:"), 0u)
      << response.error_msg;
}

TEST(Dynamics, SingularStateNamesTheJoint) {
  const std::string urdf =
      "<robot name='r'><link name='base'/><link name='arm'/>"
      "<joint name='loose' type='continuous'><parent link='base'/><child "
      "link='arm'/></joint></robot>";
  const auto model = std::make_shared<const Model>(rbd_parallel_core::load_urdf_string(urdf));
  std::shared_ptr<rbd_parallel_core::Backend> backend =
      rbd_parallel_core::make_backend("reference");
  backend->configure(model);
  Dynamics dynamics(backend, JointTable(*model, false));
  Forward::Request request;
  request.position = {0};
  Forward::Response response;
  answer_always(response, [&](auto& out) { dynamics.answer(request, out); });
  EXPECT_EQ(response.error_code, Forward::Response::STATES_FAILED);
  EXPECT_EQ(response.status, std::vector<std::uint8_t>{Forward::Response::STATUS_SINGULAR});
  EXPECT_EQ(response.status_joint, Names{"loose"});
}

TEST(Dynamics, FloatingBaseWantsAPoseForEachState) {
  Robot robot("quadruped", Base::floating);
  Inverse::Request request;
  request.position = std::vector<double>(12, 0.0);
  const auto response = call<Inverse>(robot, request);
  EXPECT_EQ(response.error_code, Inverse::Response::WRONG_SIZE);
  EXPECT_NE(response.error_msg.find("base_pose"), std::string::npos);
}

TEST(Dynamics, MimicJointsAreServed) {
  Robot robot("gripper");
  Forward::Request request;
  request.position = {0.2, 0.4, 0.01};
  EXPECT_EQ(call<Forward>(robot, request).error_msg, "");
  request.method = Forward::Request::METHOD_ABA;
  EXPECT_EQ(call<Forward>(robot, request).error_code, Forward::Response::UNSUPPORTED);
}

/// Every method of the service gives the same accelerations of an arm, a chain of small M.
TEST(Dynamics, ForwardDynamicsByEveryMethod) {
  using In = Forward::Request;
  Robot robot("arm7");
  Forward::Request request;
  request.position = random_numbers(14, 1);
  request.velocity = random_numbers(14, 2);
  request.effort = random_numbers(14, 3);
  request.method = In::METHOD_ABA;
  const auto expected = call<Forward>(robot, request);
  ASSERT_EQ(expected.error_msg, "");
  for (const std::uint8_t method : {In::METHOD_JSIIA, In::METHOD_HYBRID_ABIA,
                                    In::METHOD_CRBA_SPARSE, In::METHOD_DCA, In::METHOD_DCAE}) {
    request.method = method;
    const auto found = call<Forward>(robot, request);
    ASSERT_EQ(found.error_msg, "");
    for (std::size_t i = 0; i < 14; ++i) {
      EXPECT_NEAR(found.acceleration[i], expected.acceleration[i],
                  1e-9 * (1 + std::abs(expected.acceleration[i])));
    }
  }
  request.external_wrench_links = {"tool"};
  request.external_wrenches.resize(2);
  const auto refused = call<Forward>(robot, request);
  EXPECT_EQ(refused.error_code, Forward::Response::UNSUPPORTED);
  EXPECT_NE(refused.error_msg.find("METHOD_DCAE cannot be used: it takes no external_wrenches; use "
                                   "METHOD_AUTOMATIC, METHOD_ABA, METHOD_CRBA"),
            std::string::npos);
}

TEST(Dynamics, AMethodThatTheModelRulesOutIsRefusedWithTheReason) {
  Robot robot("quadruped");
  Forward::Request request;
  request.position = std::vector<double>(12, 0.1);
  request.method = Forward::Request::METHOD_DCA;
  const auto refused = call<Forward>(robot, request);
  EXPECT_EQ(refused.error_code, Forward::Response::UNSUPPORTED);
  EXPECT_NE(refused.error_msg.find("the tree branches"), std::string::npos) << refused.error_msg;
  EXPECT_NE(refused.error_msg.find("METHOD_CRBA_SPARSE"), std::string::npos) << refused.error_msg;
  request.method = Forward::Request::METHOD_TWO_PORT;
  const auto small = call<Forward>(robot, request);
  EXPECT_EQ(small.error_code, Forward::Response::UNSUPPORTED);
  EXPECT_NE(small.error_msg.find("backend tree"), std::string::npos) << small.error_msg;
}

TEST(Dynamics, ModelInfoDescribesWhatRequestsNeed) {
  Robot gripper("gripper", Base::floating);
  const auto info = gripper.dynamics->model_info("some/plugin");
  EXPECT_EQ(info.name, gripper.model->name());
  EXPECT_EQ(info.joint_names.size(), 3u);
  EXPECT_EQ(info.mimic_joints.size(), 2u);
  EXPECT_TRUE(info.floating_base);
  EXPECT_EQ(info.nv, 9u);
  EXPECT_EQ(info.nq, 10u);
  EXPECT_EQ(info.gravity.z, -9.81);
  EXPECT_EQ(info.backend, "some/plugin");
  EXPECT_EQ(info.backend_name, "reference");
  EXPECT_EQ(info.link_names.size(), info.link_mass.size());
  EXPECT_NEAR(std::accumulate(info.link_mass.begin(), info.link_mass.end(), 0.0), info.total_mass,
              1e-12);
}

TEST(Dynamics, ModelInfoGivesEachJointItsOwnNumbers) {
  ModelOptions options;
  options.armature["joint_3"] = 0.25;
  const auto model = std::make_shared<const Model>(load("arm7", options));
  std::shared_ptr<rbd_parallel_core::Backend> backend =
      rbd_parallel_core::make_backend("reference");
  backend->configure(model, {.max_batch = 5, .threads = 3});
  const auto info = Dynamics(backend, JointTable(*model, false)).model_info("some/plugin");
  EXPECT_EQ(info.armature, (std::vector<double>{0, 0, 0.25, 0, 0, 0, 0}));
  EXPECT_EQ(info.max_batch, 5u);
  EXPECT_EQ(info.threads, 3u);
  ASSERT_EQ(info.joint_names, model->joint_names());
  for (std::size_t i = 0; i < 7; ++i) {
    const rbd_parallel_core::JointLimits& limits = *model->joints()[i].limits;
    EXPECT_EQ(info.position_lower[i], limits.lower);
    EXPECT_EQ(info.position_upper[i], limits.upper);
    EXPECT_EQ(info.effort_limit[i], limits.effort);
    EXPECT_EQ(info.velocity_limit[i], limits.velocity);
  }
}

TEST(AnswerAlways, TurnsEveryExceptionIntoAResponse) {
  const auto code = [](auto thrower) {
    Inverse::Response response;
    answer_always(response, [&](auto& out) {
      out.effort.resize(3);
      thrower();
    });
    EXPECT_TRUE(response.effort.empty());
    EXPECT_NE(response.error_msg, "");
    return response.error_code;
  };
  EXPECT_EQ(code([] { throw std::bad_alloc(); }), Inverse::Response::INTERNAL_ERROR);
  EXPECT_EQ(code([] { throw 42; }), Inverse::Response::INTERNAL_ERROR);
  EXPECT_EQ(code([] { throw std::runtime_error("x"); }), Inverse::Response::INTERNAL_ERROR);
  EXPECT_EQ(code([] { throw RequestError(ErrorCode::unknown_link, "x"); }),
            Inverse::Response::UNKNOWN_LINK);
}

}  // namespace
}  // namespace rbd_parallel_ros::testing
