// SPDX-License-Identifier: Apache-2.0
//
// The backend "tree" on trees that are large enough to be cut; the conformance suite has the small
// ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "random_trees.hpp"
#include "rbd_parallel_core/backend.hpp"

namespace rbd_parallel_core {
namespace {

using conformance::Random;
using conformance::random_configuration;

struct State {
  std::vector<double> q, v, a;
};

State random_state(const Model& model, std::uint64_t seed) {
  Random random(seed);
  const auto nv = static_cast<std::size_t>(model.nv());
  return {random_configuration(model, random), random.numbers(nv, 1), random.numbers(nv, 1)};
}

std::vector<double> inverse_dynamics(Backend& backend, const State& state) {
  std::vector<double> tau(static_cast<std::size_t>(backend.model().nv()));
  const Result result =
      backend.inverse_dynamics({.q = state.q, .v = state.v, .a = state.a, .tau = tau});
  EXPECT_TRUE(result.ok()) << message(result);
  return tau;
}

std::vector<double> mass_matrix(Backend& backend, const State& state) {
  const auto nv = static_cast<std::size_t>(backend.model().nv());
  std::vector<double> M(nv * nv);
  const Result result = backend.mass_matrix({.q = state.q, .mass_matrix = M});
  EXPECT_TRUE(result.ok()) << message(result);
  return M;
}

std::unique_ptr<Backend> configured(const std::string& name,
                                    const std::shared_ptr<const Model>& model,
                                    const BackendOptions& options = {}) {
  auto backend = make_backend(name);
  backend->configure(model, options);
  return backend;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0, largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    difference = std::max(difference, std::abs(a[k] - b[k]));
    largest = std::max(largest, std::abs(b[k]));
  }
  return difference / largest;
}

TEST(TreeBackend, BlocksOfAnyLengthGiveWhatTheRecursionGives) {
  for (const int window : {1, 2, 5, 300}) {
    for (const auto& kinds :
         {std::vector{JointKind::revolute}, std::vector{JointKind::spherical}, every_kind}) {
      const auto model = random_tree(300, window, kinds, 5 + static_cast<std::uint64_t>(window));
      const State state = random_state(*model, 7);
      const auto expected = inverse_dynamics(*configured("reference", model), state);
      for (const int block : {0, 1, 2, 7, 50, 1000}) {
        const auto tree = configured("tree", model, {.tree = {.block = block}});
        EXPECT_LT(largest_difference(inverse_dynamics(*tree, state), expected), 1e-12)
            << "window " << window << ", blocks of " << block;
      }
    }
  }
}

TEST(TreeBackend, ThreadsDoNotChangeABit) {
  for (const int window : {1, 3, 20000}) {
    const auto model = random_tree(20000, window, {JointKind::revolute}, 11);
    const State state = random_state(*model, 13);
    const auto alone = inverse_dynamics(*configured("tree", model), state);
    for (const int threads : {2, 3, 8}) {
      const auto together = configured("tree", model, {.threads = threads});
      for (int repetition = 0; repetition < 20; ++repetition) {
        ASSERT_EQ(inverse_dynamics(*together, state), alone) << threads << " threads";
      }
    }
  }
}

TEST(TreeBackend, EveryInstructionSetAgrees) {
  const auto model = random_tree(500, 4, every_kind, 17);
  const State state = random_state(*model, 19);
  const auto expected = inverse_dynamics(*configured("reference", model), state);
  for (const InstructionSet set : available_instruction_sets()) {
    const auto tree = configured("tree", model, {.instruction_set = set});
    EXPECT_LT(largest_difference(inverse_dynamics(*tree, state), expected), 1e-12);
  }
}

TEST(TreeBackend, RestAndGravityAlone) {
  const auto model = random_tree(400, 3, every_kind, 23);
  const State state = random_state(*model, 29);
  const auto reference = configured("reference", model), tree = configured("tree", model);
  const auto nv = static_cast<std::size_t>(model->nv());
  std::vector<double> expected(nv), tau(nv);
  const std::array forces{&Backend::bias_forces, &Backend::gravity_forces,
                          &Backend::coriolis_forces};
  for (const auto call : forces) {
    ASSERT_TRUE(((*reference).*call)({.q = state.q, .v = state.v, .tau = expected}).ok());
    ASSERT_TRUE(((*tree).*call)({.q = state.q, .v = state.v, .tau = tau}).ok());
    EXPECT_LT(largest_difference(tau, expected), 1e-12);
  }
  for (Backend* backend : {reference.get(), tree.get()}) {
    auto& out = backend == tree.get() ? tau : expected;
    ASSERT_TRUE(backend->inverse_dynamics({.q = state.q, .v = {}, .a = state.a, .tau = out}).ok());
  }
  EXPECT_LT(largest_difference(tau, expected), 1e-12) << "accelerations without velocities";
}

TEST(TreeBackend, WrenchesOnLinks) {
  const auto model = random_tree(300, 3, every_kind, 31);
  const State state = random_state(*model, 37);
  const std::vector<int> links{0, 5, 5, 120, 299};
  const auto wrenches = Random(41).numbers(6 * links.size(), 10);
  const auto reference = configured("reference", model), tree = configured("tree", model);
  std::vector<double> expected(state.v.size()), tau(state.v.size());
  for (const Axes axes : {Axes::link, Axes::world}) {
    for (Backend* backend : {reference.get(), tree.get()}) {
      ASSERT_TRUE(backend
                      ->inverse_dynamics({.q = state.q,
                                          .v = state.v,
                                          .a = state.a,
                                          .f_ext = {links, wrenches, axes},
                                          .tau = backend == tree.get() ? tau : expected})
                      .ok());
    }
    EXPECT_LT(largest_difference(tau, expected), 1e-12);
  }
}

TEST(TreeBackend, OneBadBodySpoilsItsStateAndNoOther) {
  const auto model = random_tree(300, 2, {JointKind::revolute}, 43);
  const auto nv = static_cast<std::size_t>(model->nv());
  const auto tree = configured("tree", model, {.max_batch = 3, .threads = 2});
  const State state = random_state(*model, 47);
  std::vector<double> q, v(3 * nv), tau(3 * nv);
  for (int s = 0; s < 3; ++s) q.insert(q.end(), state.q.begin(), state.q.end());
  q[nv + 123] = std::numeric_limits<double>::quiet_NaN();
  std::vector<StateStatus> status(3);
  ASSERT_TRUE(
      tree->inverse_dynamics({.batch = 3, .q = q, .v = v, .a = {}, .tau = tau, .status = status})
          .ok());
  EXPECT_EQ(status[0].code, StateStatus::Code::ok);
  EXPECT_EQ(status[1].code, StateStatus::Code::not_finite);
  EXPECT_EQ(status[2].code, StateStatus::Code::ok);
  for (std::size_t k = 0; k < nv; ++k) {
    ASSERT_TRUE(std::isnan(tau[nv + k]));
    ASSERT_EQ(tau[k], tau[2 * nv + k]);
    ASSERT_FALSE(std::isnan(tau[k]));
  }
}

std::vector<double> forward_dynamics(Backend& backend, const State& state) {
  std::vector<double> qdd(static_cast<std::size_t>(backend.model().nv()));
  StateStatus status;
  const Result result = backend.forward_dynamics({.q = state.q,
                                                  .v = state.v,
                                                  .tau = state.a,
                                                  .method = ForwardMethod::aba,
                                                  .qdd = qdd,
                                                  .status = {&status, 1}});
  EXPECT_TRUE(result.ok()) << message(result);
  EXPECT_TRUE(status.ok()) << message(status, backend.model());
  return qdd;
}

/// max |tau(qdd) - tau| / max |tau|
double torque_residual(Backend& reference, const State& state, const std::vector<double>& qdd) {
  return largest_difference(inverse_dynamics(reference, {state.q, state.v, qdd}), state.a);
}

TEST(TreeBackend, ForwardDynamicsByBlocksIsAba) {
  for (const int window : {1, 2, 5, 300}) {
    for (const auto& kinds :
         {std::vector{JointKind::revolute}, std::vector{JointKind::spherical}, every_kind}) {
      const auto model = random_tree(300, window, kinds, 61 + static_cast<std::uint64_t>(window));
      const State state = random_state(*model, 67);
      const auto reference = configured("reference", model);
      const auto expected = forward_dynamics(*reference, state);
      for (const int block : {0, 1, 2, 7, 50, 1000}) {
        const auto tree = configured("tree", model, {.tree = {.block = block}});
        const auto qdd = forward_dynamics(*tree, state);
        EXPECT_LT(largest_difference(qdd, expected), 1e-9)
            << "window " << window << ", blocks of " << block;
      }
    }
  }
}

// What lies near the root and several groups of subtrees are done in turn.
TEST(TreeBackend, GroupsOfSubtreesGiveWhatTheRecursionGives) {
  for (const int window : {1, 3, 1500}) {
    const auto model = random_tree(1500, window, {JointKind::revolute, JointKind::prismatic}, 17);
    const State state = random_state(*model, 19);
    const auto reference = configured("reference", model);
    const auto tau = inverse_dynamics(*reference, state), qdd = forward_dynamics(*reference, state);
    const auto M = mass_matrix(*reference, state);
    for (const int group : {0, 20, 400}) {
      for (const int threads : {1, 2}) {
        const auto tree = configured("tree", model, {.threads = threads, .tree = {.group = group}});
        EXPECT_LT(largest_difference(inverse_dynamics(*tree, state), tau), 1e-11) << group;
        EXPECT_LT(largest_difference(forward_dynamics(*tree, state), qdd), 1e-9) << group;
        EXPECT_LT(largest_difference(mass_matrix(*tree, state), M), 1e-10) << group;
      }
    }
  }
}

// So many bodies that groups are chosen without being asked for.
TEST(TreeBackend, TreesBeyondTheCachesGiveWhatTheRecursionGives) {
  const auto model = random_tree(300000, 300000, {JointKind::revolute}, 17);
  const State state = random_state(*model, 19);
  const auto reference = configured("reference", model), tree = configured("tree", model);
  EXPECT_LT(largest_difference(inverse_dynamics(*tree, state), inverse_dynamics(*reference, state)),
            1e-11);
}

/// Where the kind of joint changes again and again, every block is a seam: such a chain is left to
/// the recursion, unless blocks are asked for.
TEST(TreeBackend, BlocksAreLeftOutWhereTheyDoNotPay) {
  const auto model = random_tree(400, 1, {JointKind::revolute, JointKind::prismatic}, 23);
  const State state = random_state(*model, 29);
  const auto reference = configured("reference", model), tree = configured("tree", model),
             cut = configured("tree", model, {.tree = {.block = 20}});
  EXPECT_EQ(inverse_dynamics(*tree, state), inverse_dynamics(*reference, state));
  EXPECT_EQ(forward_dynamics(*tree, state), forward_dynamics(*reference, state));
  EXPECT_NE(inverse_dynamics(*cut, state), inverse_dynamics(*reference, state));
  EXPECT_TRUE(tree->offers(ForwardMethod::two_port)) << "whoever asks for it has it";
}

TEST(TreeBackend, ThreadsDoNotChangeABitOfForwardDynamics) {
  for (const int window : {1, 3, 20000}) {
    const auto model = random_tree(20000, window, {JointKind::revolute}, 71);
    const State state = random_state(*model, 73);
    const auto alone = forward_dynamics(*configured("tree", model), state);
    for (const int threads : {2, 3}) {
      const auto together = configured("tree", model, {.threads = threads});
      for (int repetition = 0; repetition < 20; ++repetition) {
        ASSERT_EQ(forward_dynamics(*together, state), alone) << threads << " threads";
      }
    }
  }
}

/// A chain in which every other link has `light` times its inertia.
std::shared_ptr<const Model> light_chain(int bodies, double light, double armature) {
  RobotDescription robot = describe_auto_tree({.bodies = bodies, .skew = 0.3});
  for (std::size_t i = 0; i < robot.links.size(); i += 2) {
    if (!robot.links[i].inertial) continue;
    robot.links[i].inertial->mass *= light;
    robot.links[i].inertial->rotational = {light * robot.links[i].inertial->rotational.xx,
                                           0,
                                           0,
                                           light * robot.links[i].inertial->rotational.yy,
                                           0,
                                           light * robot.links[i].inertial->rotational.zz};
  }
  for (JointDescription& joint : robot.joints) joint.armature = armature;
  ModelOptions options;
  options.gravity = {1.3, -4.1, -8.6};
  return std::make_shared<const Model>(build_model(robot, options));
}

/// A block divides by the inertia of its last body alone: it must not end with a light one.
/// A chain of planar joints whose links are point masses, or nearly, but for the last one.
std::shared_ptr<const Model> point_mass_chain(int bodies, double rotational) {
  RobotDescription robot;
  robot.name = "points";
  robot.links.push_back({"base", {}});
  for (int i = 0; i < bodies; ++i) {
    const double r = i == bodies - 1 ? 0.1 : rotational;
    LinkInertial inertial;
    inertial.mass = 1;
    inertial.origin.position = {0.3, 0.4, 0.5};
    inertial.rotational = {r, 0, 0, r, 0, r};
    const std::string name = "link " + std::to_string(i);
    JointDescription joint;
    joint.name = "joint " + std::to_string(i);
    joint.kind = JointKind::planar;
    joint.parent = robot.links.back().name;
    joint.child = name;
    joint.origin = pose_from_rpy({1, 0.2, 0}, 0.3, 0.2, 0.1);
    joint.axis = {0, 0, 1};
    robot.links.push_back({name, inertial});
    robot.joints.push_back(joint);
  }
  return std::make_shared<const Model>(build_model(robot));
}

// What a planar joint sees of a point mass has a positive diagonal, and is singular.
TEST(TreeBackend, PointMassesEndNoBlock) {
  for (const double rotational : {0.0, 1e-12, 1e-8}) {
    const auto model = point_mass_chain(300, rotational);
    State state = random_state(*model, 79);
    const auto reference = configured("reference", model), tree = configured("tree", model);
    const auto qdd = forward_dynamics(*tree, state);
    EXPECT_LE(torque_residual(*reference, state, qdd),
              10 * torque_residual(*reference, state, forward_dynamics(*reference, state)))
        << rotational;
  }
}

TEST(TreeBackend, LightBodiesDoNotCostDigits) {
  for (const double armature : {0.0, 0.01}) {
    for (const double light : {1.0, 1e-3, 1e-6, 1e-12}) {
      const auto model = light_chain(256, light, armature);
      State state = random_state(*model, 79);
      std::fill(state.v.begin(), state.v.end(), 0.0);
      const auto reference = configured("reference", model);
      const auto expected = forward_dynamics(*reference, state);
      for (const int block : {8, 31, 64}) {
        const auto tree = configured("tree", model, {.tree = {.block = block}});
        const auto qdd = forward_dynamics(*tree, state);
        EXPECT_LT(largest_difference(qdd, expected), 1e-9) << light << ", blocks of " << block;
        EXPECT_LT(torque_residual(*reference, state, qdd), 1e-6) << light;
      }
    }
  }
}

TEST(TreeBackend, NamesTheSingularJoint) {
  RobotDescription robot = describe_auto_tree({.bodies = 200, .skew = 0.3});
  robot.links.back().inertial.reset();  // a massless tip cannot be accelerated
  const auto model = std::make_shared<const Model>(build_model(robot));
  const State state = random_state(*model, 83);
  std::vector<double> qdd(state.v.size());
  StateStatus expected, status;
  for (const std::string name : {"reference", "tree"}) {
    ASSERT_TRUE(configured(name, model)
                    ->forward_dynamics({.q = state.q,
                                        .v = state.v,
                                        .tau = state.a,
                                        .qdd = qdd,
                                        .status = {name == "tree" ? &status : &expected, 1}})
                    .ok());
  }
  EXPECT_EQ(expected.code, StateStatus::Code::singular);
  EXPECT_EQ(status, expected);
}

TEST(TreeBackend, AChainOfTwoHundredThousandBodies) {
  const auto model = std::make_shared<const Model>(serial_chain(200000, 0.3));
  State state = random_state(*model, 53);
  const auto expected = inverse_dynamics(*configured("reference", model), state);
  const auto tau = inverse_dynamics(*configured("tree", model, {.threads = 2}), state);
  EXPECT_LT(largest_difference(tau, expected), 1e-10);
}

TEST(TreeBackend, RefusesABlockOfLessThanNothing) {
  const auto model = random_tree(3, 1, {JointKind::revolute}, 59);
  EXPECT_THROW(configured("tree", model, {.tree = {.block = -1}}), std::invalid_argument);
}

/// Nothing that is set is ignored: a backend refuses what it would not read, names it and those
/// that take it, and takes the same with defaults.
TEST(TreeOptions, AreRefusedByBackendsThatWouldNotReadThem) {
  const auto model = random_tree(80, 3, {JointKind::revolute}, 61);
  const auto refusal = [&](const std::string& name, const TreeOptions& tree) -> std::string {
    try {
      configured(name, model, {.tree = tree});
      return "";
    } catch (const std::invalid_argument& refused) {
      return refused.what();
    }
  };
  const TreeOptions scans{.family = TreeFamily::scans}, block{.block = 8}, group{.group = 20},
      lone{.lanes = false};
  for (const std::string name : {"cpu", "reference"}) {
    const std::string which =
        ", which the backend " + name + " does not take; leave it out, or use ";
    EXPECT_EQ(refusal(name, scans),
              "configure: family is scans" + which + "tree, or cuda with bodies_in_parallel");
    EXPECT_EQ(refusal(name, block),
              "configure: block is 8" + which + "tree, auto, or cuda with bodies_in_parallel");
    EXPECT_EQ(refusal(name, group),
              "configure: group is 20" + which + "tree or auto, with the family blocks");
    EXPECT_EQ(refusal(name, lone),
              "configure: lanes is false" + which + "tree or auto, with the family blocks");
    EXPECT_EQ(refusal(name, {}), "");
  }
  for (const TreeOptions& options : {block, group, lone}) {
    EXPECT_EQ(refusal("auto", options), "");
    EXPECT_EQ(refusal("tree", options), "");
  }
  EXPECT_EQ(refusal("tree", scans), "");
  EXPECT_NE(refusal("auto", scans).find("family is scans, which the backend auto"),
            std::string::npos);
  EXPECT_NE(refusal("auto", {.block = -1}).find("a block has -1 bodies"), std::string::npos);
  EXPECT_NE(refusal("tree", {.family = TreeFamily::scans, .group = 20}).find("group is 20"),
            std::string::npos);
}

}  // namespace
}  // namespace rbd_parallel_core
