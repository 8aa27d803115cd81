// SPDX-License-Identifier: Apache-2.0
#include "simulated_robot.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "robots.hpp"

namespace rbd_parallel_ros {
namespace {

namespace core = rbd_parallel_core;

constexpr double millisecond = 1e-3;
const std::vector<double> bent{0.3, 0.5, -0.2, 0.9, 0.1, -0.6, 0.4};
const std::vector<double> limp(7);

std::shared_ptr<const core::Model> arm() {
  return std::make_shared<const core::Model>(testing::load("arm7"));
}

void run(SimulatedRobot& robot, const std::vector<double>& effort, int steps) {
  for (int i = 0; i < steps; ++i) robot.step(millisecond, effort);
}

/// Law: energy does not change where nothing acts on the joints. The method's error is of order 4:
/// with half the step it is smaller by 2^4, at least by 8.
TEST(SimulatedRobot, KeepsItsEnergyWhenItFalls) {
  const auto error_with = [](double dt) {
    SimulatedRobot robot(arm(), {.position = bent});
    const double before = robot.energy();
    for (int i = 0; i < std::lround(0.3 / dt); ++i) robot.step(dt, limp);
    EXPECT_GT(robot.displacement(), 0.1);
    return std::abs(robot.energy() - before);
  };
  const double coarse = error_with(4 * millisecond), fine = error_with(2 * millisecond);
  EXPECT_LT(8 * fine, coarse);
  EXPECT_LT(error_with(millisecond), 1e-6);
}

/// Law: damping takes energy, and never gives any.
TEST(SimulatedRobot, LosesEnergyByDamping) {
  SimulatedRobot robot(arm(), {.position = bent, .damping = 2});
  double before = robot.energy();
  for (int i = 0; i < 500; ++i) {
    robot.step(millisecond, limp);
    const double now = robot.energy();
    EXPECT_LE(now, before);
    before = now;
  }
}

/// Law: with the effort g(q) a robot at rest stays where it is.
TEST(SimulatedRobot, RestsOnTheGravityForces) {
  const auto backend = core::make_backend();
  backend->configure(arm());
  std::vector<double> effort(7);
  ASSERT_TRUE(backend->gravity_forces({.q = bent, .v = {}, .tau = effort}).ok());
  SimulatedRobot robot(arm(), {.position = bent});
  run(robot, effort, 1000);
  EXPECT_LT(robot.displacement(), 1e-9);
}

/// Law: a body in free fall has fallen g t^2 / 2.
TEST(SimulatedRobot, FallsAsGravitySays) {
  const char* lift =
      R"(<robot name="lift"><link name="rail"/><link name="cabin"><inertial><mass value="3"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
      <joint name="slide" type="prismatic"><parent link="rail"/><child link="cabin"/>
      <axis xyz="0 0 1"/><limit lower="-9" upper="9" effort="9" velocity="9"/></joint></robot>)";
  SimulatedRobot robot(std::make_shared<const core::Model>(core::load_urdf(lift)), {});
  run(robot, {0.0}, 500);
  EXPECT_NEAR(robot.tip()[2], -9.81 * 0.5 * 0.5 / 2, 1e-12);
  EXPECT_NEAR(robot.displacement(), 9.81 * 0.5 * 0.5 / 2, 1e-12);
}

TEST(SimulatedRobot, RefusesWhatItCannotSimulate) {
  EXPECT_THROW(SimulatedRobot(arm(), {.position = {1, 2, 3}}), std::invalid_argument);
  EXPECT_THROW(SimulatedRobot(arm(), {.tip = "no_such_link"}), std::invalid_argument);
  core::ModelOptions floating;
  floating.base = core::Base::floating;
  const auto free = std::make_shared<const core::Model>(testing::load("arm7", floating));
  EXPECT_THROW(SimulatedRobot(free, {}), std::invalid_argument);
}

}  // namespace
}  // namespace rbd_parallel_ros
