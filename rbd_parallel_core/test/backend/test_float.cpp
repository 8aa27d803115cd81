// SPDX-License-Identifier: Apache-2.0
//
// Backends of float beside those of double. test_conformance.cpp runs the suite on them.

#include <gtest/gtest.h>

#include <cmath>

#include "plain_memory.hpp"
#include "rbd_parallel_core/testing/backend_checks.hpp"
#include "rehoused_backend.hpp"

namespace rbd_parallel_core::conformance {
namespace {

/// States whose numbers a float can hold.
Batch rounded_batch(const Model& model, std::size_t size, std::uint64_t seed) {
  Batch batch = random_batch(model, size, seed);
  for (std::vector<double>* array : {&batch.q, &batch.v, &batch.a, &batch.tau, &batch.wrenches}) {
    for (double& x : *array) x = static_cast<float>(x);
  }
  return batch;
}

TEST(Float, AgreesWithDouble) {
  for (const Robot& robot : small_robots()) {
    const auto model = std::make_shared<const Model>(robot.model());
    const Batch batch = rounded_batch(*model, 37, 132);
    RehousedBackend<float, PlainMemory> single("cpu");
    const auto exact = make_backend("cpu");
    single.configure(model, {.max_batch = batch.size});
    exact->configure(model, {.max_batch = batch.size});
    for (const Call& call : every_call()) {
      // What divides by M takes its condition as a factor; the suite judges it by L^T L = M and the
      // torque of the accelerations.
      if (!call.possible(*model) || solves(call)) continue;
      const bool factors = call.operation == Operation::mass_matrix ||
                           call.operation == Operation::sparse_mass_matrix;
      const std::size_t outputs = factors ? 1 : Outputs::most;
      const Outputs actual = run(call, single, batch), expected = run(call, *exact, batch);
      for (std::size_t s = 0; s < batch.size; ++s) {
        EXPECT_TRUE(actual.status[s].ok()) << robot.name << ", " << call.name;
        for (std::size_t k = 0; k < outputs; ++k) {
          EXPECT_LT(relative_error(row(actual, k, s), row(expected, k, s)), 2e-5)
              << robot.name << ", " << call.name << ", output " << k;
        }
      }
    }
  }
}

/// The text with which both backends of float refuse the robot, which those of double take.
std::string refusal(const Robot& robot) {
  const auto model = std::make_shared<const Model>(robot.model());
  EXPECT_NO_THROW(make_backend<double>("cpu")->configure(model));
  std::string text;
  for (const char* name : {"cpu", "reference"}) {
    const auto backend = make_backend<float>(name);
    try {
      backend->configure(model);
      ADD_FAILURE() << name << " took numbers that overflow";
    } catch (const std::invalid_argument& error) {
      text = error.what();
      EXPECT_NE(text.find("1e12"), text.npos) << text;
      EXPECT_NE(text.find("use double"), text.npos) << text;
    }
    EXPECT_FALSE(backend->configured());
  }
  return text;
}

TEST(Float, NumbersTooLargeForItAreRefused) {
  Robot heavy = mixed_chain();
  heavy.description.links.back().inertial->mass = 1e15;
  EXPECT_NE(refusal(heavy).find("or the link it carries"), std::string::npos);

  Robot far = mixed_chain();  // where a link is enters poses and Jacobians only
  far.description.links.push_back({"far", std::nullopt});
  JointDescription mast;
  mast.name = "mast";
  mast.parent = far.description.links.front().name;
  mast.child = "far";
  mast.origin.position = {1e40, 0, 0};
  far.description.joints.push_back(mast);
  EXPECT_NE(refusal(far).find("link 'far'"), std::string::npos);

  Robot on_a_star = mixed_chain();
  on_a_star.options.gravity = {0, 0, -1e20};
  EXPECT_NE(refusal(on_a_star).find("gravity"), std::string::npos);
}

/// How aba judges states of a robot of two coordinates, both with the same value.
template <class Real>
std::vector<StateStatus> judged_by_aba(const char* name, const Robot& robot, std::size_t batch,
                                       Real value) {
  const auto backend = make_backend<Real>(name);
  backend->configure(std::make_shared<const Model>(robot.model()), {.max_batch = batch});
  std::vector<Real> q(batch * 2, value), qdd(batch * 2);
  std::vector<StateStatus> status(batch);
  EXPECT_TRUE(backend
                  ->forward_dynamics({.batch = batch,
                                      .q = q,
                                      .v = {},
                                      .tau = {},
                                      .method = ForwardMethod::aba,
                                      .qdd = qdd,
                                      .status = status})
                  .ok());
  return status;
}

/// A point mass so close to its axis that float cannot tell its inertia from a rounding error: the
/// slide's origin lies beside the axis, its mass as far on the other side of that, or it has slid
/// back.
TEST(Float, JudgesASingularJointByItsOwnPrecision) {
  Robot beside = detail::turntable(), back = detail::turntable();
  beside.description.joints.back().origin.position = {0, 0.5, 0};
  beside.description.links.back().inertial->origin.position = {0, -0.5, 0};
  back.description.links.back().inertial->origin.position = {0.75, 0, 0};
  const StateStatus singular{StateStatus::Code::singular, 0};
  for (const auto& [robot, zero] : {std::pair(beside, 0.0f), std::pair(back, -0.75f)}) {
    for (const char* name : {"cpu", "reference"}) {
      for (const std::size_t batch : {std::size_t{1}, std::size_t{5}}) {
        const std::vector<StateStatus> good(batch), bad(batch, singular);
        EXPECT_EQ(judged_by_aba(name, robot, batch, double{zero} + 1e-4), good) << name;
        EXPECT_EQ(judged_by_aba(name, robot, batch, zero + 1e-4f), bad) << name;
        EXPECT_EQ(judged_by_aba(name, robot, batch, zero + 1e-1f), good) << name;
      }
    }
  }
}

/// What a light body far away is moved over does not make a heavy one on its axis singular.
TEST(Float, AHeavyBodyWithALightOneFarAwayIsRegular) {
  Robot robot = detail::turntable();
  LinkInertial drum;
  drum.mass = 500;
  drum.rotational = {5, 0, 0, 5, 0, 2.5};
  robot.description.links[1].inertial = drum;
  robot.description.joints.back().origin.position = {30, 0, 0};
  robot.description.joints.back().axis = {0, 1, 0};
  EXPECT_EQ(judged_by_aba("cpu", robot, 5, 0.1f), std::vector<StateStatus>(5));
}

/// A turn, then slides of heavy bodies far out: no number is large by itself, their products are.
Robot overflowing() {
  Robot robot{.name = "overflowing", .description = {}, .options = {}};
  robot.description.name = "overflowing";
  robot.description.links.push_back({"base", std::nullopt});
  for (int i = 0; i < 60; ++i) {
    LinkInertial inertial;
    inertial.mass = 5e11;
    inertial.rotational = {1, 0, 0, 1, 0, 1};
    robot.description.links.push_back({"link" + std::to_string(i), inertial});
    JointDescription joint;
    joint.name = "joint" + std::to_string(i);
    joint.kind = i == 0 ? JointKind::continuous : JointKind::prismatic;
    joint.parent = robot.description.links[static_cast<std::size_t>(i)].name;
    joint.child = robot.description.links.back().name;
    joint.axis = i == 0 ? Vec3<double>{0, 0, 1}
                        : Vec3<double>{1, i % 2 == 0 ? 1.0 : 0.0, i % 3 == 0 ? 1.0 : 0.0};
    robot.description.joints.push_back(joint);
  }
  return robot;
}

/// A turn, then slides along its axis with a heavy body at the end: overflow far up the mast makes
/// the inertia about its axis NaN, while all other numbers on the diagonal of M stay moderate.
Robot overflowing_mast() {
  Robot robot = overflowing();
  for (JointDescription& joint : robot.description.joints) joint.axis = {0, 0, 1};
  for (LinkDescription& link : robot.description.links) {
    if (&link != &robot.description.links.back()) link.inertial.reset();
  }
  robot.description.links.back().inertial->origin.position = {0.5, 0, 0};
  return robot;
}

void expect_no_good_mass_matrix(const Robot& robot) {
  const auto model = std::make_shared<const Model>(robot.model());
  const auto nv = static_cast<std::size_t>(model->nv());
  for (const char* name : {"cpu", "reference"}) {
    for (const std::size_t batch : {std::size_t{1}, std::size_t{5}}) {
      const auto backend = make_backend<float>(name);
      backend->configure(model, {.max_batch = batch});
      const std::vector<float> q(batch * nv, 9e11f);
      std::vector<float> M(batch * nv * nv);
      std::vector<StateStatus> status(batch);
      ASSERT_TRUE(
          backend->mass_matrix({.batch = batch, .q = q, .mass_matrix = M, .status = status}).ok());
      bool finite = true;
      for (const float entry : M) finite = finite && std::isfinite(entry);
      ASSERT_FALSE(finite) << "the robot does not overflow and tests nothing";
      for (const StateStatus& state : status) {
        EXPECT_EQ(state.code, StateStatus::Code::not_finite) << name << ", batch " << batch;
      }
    }
  }
}

TEST(Float, NoMassMatrixWithANumberThatIsNotFiniteIsCalledGood) {
  expect_no_good_mass_matrix(overflowing());
  expect_no_good_mass_matrix(overflowing_mast());
}

}  // namespace
}  // namespace rbd_parallel_core::conformance
