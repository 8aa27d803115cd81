// SPDX-License-Identifier: Apache-2.0
//
// Forward dynamics by two-ports beside ABA: errors of the accelerations against long double, and of
// the torques that they need. Both are printed: the one can be fine where the other is not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "algorithm/driven_state.hpp"
#include "algorithm/relative_error.hpp"
#include "algorithm/scalar_model.hpp"
#include "random_trees.hpp"
#include "rbd_parallel_core/backend.hpp"

namespace rbd_parallel_core {
namespace {

using conformance::Random;

const double right_angle = std::acos(0.0);

SharedModel built(const RobotDescription& description) {
  ModelOptions options;
  options.gravity = {1.3, -4.1, -8.6};
  return std::make_shared<const Model>(build_model(description, options));
}
SharedModel tree_of(int bodies, double branching, double skew) {
  return built(describe_auto_tree({.bodies = bodies, .branching = branching, .skew = skew}));
}

using State = DrivenState;

struct Accuracy {
  double forward, residual;
};

/// A robot in a state, the exact accelerations of which are known.
class Case {
 public:
  Case(std::string name, SharedModel model, std::uint64_t seed, bool at_rest = false)
      : name_(std::move(name)), model_(std::move(model)), exact_(*model_) {
    state_ = random_state(*model_, seed);
    if (at_rest) std::fill(state_.v.begin(), state_.v.end(), 0.0);
    qdd_ = exact_.forward_dynamics_by_aba(state_.q, state_.v, state_.tau);
    aba_ = accuracy(by("reference", {}));
  }

  const Accuracy& aba() const { return aba_; }
  const Model& model() const { return *model_; }
  std::vector<double> by(const std::string& backend_name, const BackendOptions& options) {
    const auto backend = make_backend(backend_name);
    backend->configure(model_, options);
    std::vector<double> qdd(state_.v.size());
    StateStatus status;
    const Result result = backend->forward_dynamics(
        {.q = state_.q, .v = state_.v, .tau = state_.tau, .qdd = qdd, .status = {&status, 1}});
    EXPECT_TRUE(result.ok()) << message(result);
    EXPECT_TRUE(status.ok()) << name_ << ": " << message(status, *model_);
    return qdd;
  }
  Accuracy accuracy(const std::vector<double>& qdd) {
    return {relative_error(qdd, qdd_),
            relative_error(exact_.inverse_dynamics(state_.q, state_.v, qdd), state_.tau)};
  }
  /// In blocks of so many bodies (0: as the tree would have it), one after the other and in lanes.
  /// times: how much more than that of aba the error of qdd may be.
  void expect_like_aba(int block, double times = 10) {
    for (const bool lanes : {false, true}) {
      const Accuracy found = accuracy(by("tree", {.tree = {.block = block, .lanes = lanes}}));
      std::printf("%-34s block %5d %s  qdd %8.1e (aba %8.1e)  torques %8.1e (aba %8.1e)\n",
                  name_.c_str(), block, lanes ? "lanes " : "scalar", found.forward, aba_.forward,
                  found.residual, aba_.residual);
      EXPECT_LE(found.forward, times * std::max(aba_.forward, rounding)) << name_ << ", " << block;
      EXPECT_LE(found.residual, 1000 * std::max(aba_.residual, rounding)) << name_ << ", " << block;
    }
  }

 private:
  /// Of a handful of operations: what is below is luck.
  static constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();

  std::string name_;
  SharedModel model_;
  ScalarModel<long double> exact_;
  State state_;
  std::vector<long double> qdd_;
  Accuracy aba_{};
};

std::string text(const char* format, auto... numbers) {
  char line[80];
  std::snprintf(line, sizeof line, format, numbers...);
  return line;
}

TEST(TwoPortAccuracy, ChainsInAnyNumberOfBlocks) {
  for (const double skew : {0.0, 0.3, right_angle}) {
    for (const int n : {1, 2, 3, 7, 16, 64, 256, 1024, 4096, 16384}) {
      Case chain(text("chain %d, skew %.2f", n, skew), tree_of(n, 1, skew), 17);
      for (const int blocks : {1, 2, 3, 8, 64, n}) {
        if (blocks <= n) chain.expect_like_aba((n + blocks - 1) / blocks);
      }
    }
  }
}

TEST(TwoPortAccuracy, Trees) {
  for (const double branching : {1.01, 1.1, 1.5, 2.0, 7.0, 100.0}) {
    Case tree(text("branching %.2f, 3000", branching), tree_of(3000, branching, 0.3), 19);
    for (const int block : {1, 8, 100}) tree.expect_like_aba(block);
  }
}

TEST(TwoPortAccuracy, RandomTreesOfEveryKindOfJoint) {
  const struct {
    const char* name;
    std::vector<JointKind> kinds;
  } sets[] = {{"revolute", {JointKind::revolute}},
              {"spherical", {JointKind::spherical}},
              {"all kinds", every_kind}};
  for (const auto& set : sets) {
    for (const int window : {1, 3, 30, 1000}) {
      for (const Base base : {Base::fixed, Base::floating}) {
        Case tree(text("random, %s, window %d%s", set.name, window,
                       base == Base::floating ? ", floating" : ""),
                  random_tree(1000, window, set.kinds, 23, base), 29);
        for (const int block : {0, 100}) tree.expect_like_aba(block);
        // A thousand bodies in blocks of a few have hundreds of seams, and the error of aba in a
        // single state is a matter of luck: a factor of 18 was seen. No tree is cut so by itself.
        for (const int block : {1, 8}) tree.expect_like_aba(block, 40);
      }
    }
  }
}

/// A chain in which every other link has `light` times its inertia, the first or the second.
SharedModel light_chain(int bodies, double light, double armature, std::size_t first) {
  RobotDescription robot = describe_auto_tree({.bodies = bodies, .skew = 0.3});
  for (std::size_t i = first; i < robot.links.size(); i += 2) {
    auto& inertial = robot.links[i].inertial;
    if (!inertial) continue;
    inertial->mass *= light;
    const SymMat3<double> I = inertial->rotational;
    inertial->rotational = {light * I.xx, light * I.xy, light * I.xz,
                            light * I.yy, light * I.yz, light * I.zz};
  }
  for (JointDescription& joint : robot.joints) joint.armature = armature;
  return built(robot);
}

/// A block divides by the inertia of its last body alone: it must not end with a light one.
TEST(TwoPortAccuracy, LightBodies) {
  for (const int n : {64, 1024}) {
    for (const double light : {1.0, 1e-3, 1e-6, 1e-9, 1e-12}) {
      for (const double armature : {0.0, 0.01}) {
        for (const std::size_t first : {0U, 1U}) {
          Case chain(text("light %.0e, %d, armature %.2f, %zu", light, n, armature, first),
                     light_chain(n, light, armature, first), 31, /*at_rest=*/true);
          for (const int block : {8, n / 8, n / 2}) chain.expect_like_aba(block);
        }
      }
    }
  }
}

/// Law: the number of threads changes nothing.
TEST(TwoPortAccuracy, ThreadsDoNotChangeABit) {
  Case cases[] = {
      {"chain", tree_of(3000, 1, 0.3), 37},
      {"branching 1.1", tree_of(3000, 1.1, 0.3), 41},
      {"branching 2", tree_of(3000, 2, right_angle), 43},
      {"light", light_chain(1000, 1e-12, 0, 0), 47},
      {"random", random_tree(1000, 30, {JointKind::spherical, JointKind::revolute}, 53), 59}};
  for (Case& robot : cases) {
    for (const bool lanes : {false, true}) {
      const auto alone = robot.by("tree", {.tree = {.lanes = lanes}});
      for (const int threads : {2, 3, 7}) {
        for (int repetition = 0; repetition < 5; ++repetition) {
          ASSERT_EQ(robot.by("tree", {.threads = threads, .tree = {.lanes = lanes}}), alone);
        }
      }
    }
  }
}

/// One block for the whole chain lets the joints go in ABA's order, with ABA's operations.
TEST(TwoPortAccuracy, OneBlockIsAbaToTheLastBit) {
  for (const int n : {1, 5, 300}) {
    Case chain(text("chain %d", n), tree_of(n, 1, 0.3), 61);
    for (const InstructionSet set : available_instruction_sets()) {
      EXPECT_EQ(chain.by("tree", {.instruction_set = set, .tree = {.block = n, .lanes = false}}),
                chain.by("reference", {.instruction_set = set}))
          << n;
    }
  }
}

/// An end link without mass and armature is named, wherever its path is cut; with armature it is a
/// link like others.
TEST(TwoPortAccuracy, AMasslessEndIsASingularJointUnlessItHasArmature) {
  for (const double branching : {1.0, 1.5}) {
    RobotDescription robot =
        describe_auto_tree({.bodies = 200, .branching = branching, .skew = 0.3});
    robot.links.back().inertial.reset();
    const SharedModel model = built(robot);
    for (const int block : {1, 8, 100, 200}) {
      for (const bool lanes : {false, true}) {
        const auto backend = make_backend("tree");
        backend->configure(model, {.tree = {.block = block, .lanes = lanes}});
        const State state = random_state(*model, 67);
        std::vector<double> qdd(state.v.size());
        StateStatus status;
        ASSERT_TRUE(backend
                        ->forward_dynamics({.q = state.q,
                                            .v = state.v,
                                            .tau = state.tau,
                                            .qdd = qdd,
                                            .status = {&status, 1}})
                        .ok());
        ASSERT_EQ(status.code, StateStatus::Code::singular) << block;
        const int joint = model->joint_of_dof(status.dof);
        EXPECT_EQ(model->joints()[static_cast<std::size_t>(joint)].name, robot.joints.back().name);
        EXPECT_TRUE(std::all_of(qdd.begin(), qdd.end(), [](double x) { return std::isnan(x); }));
      }
    }
    robot.joints.back().armature = 0.1;
    Case with_armature(text("armature at the end, %.1f", branching), built(robot), 71);
    for (const int block : {8, 100}) with_armature.expect_like_aba(block);
  }
}

/// NaN in any input of any body, with either kind of block: the state says so, all of it is NaN.
TEST(TwoPortAccuracy, NotANumberIsReported) {
  const SharedModel model = tree_of(300, 1.1, 0.3);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const bool lanes : {false, true}) {
    const auto backend = make_backend("tree");
    backend->configure(model, {.threads = 2, .tree = {.block = 20, .lanes = lanes}});
    for (std::vector<double> State::*input : {&State::q, &State::v, &State::tau}) {
      for (const std::size_t at : {std::size_t{0}, std::size_t{150}, std::size_t{299}}) {
        State state = random_state(*model, 73);
        (state.*input)[at] = nan;
        std::vector<double> qdd(300);
        StateStatus status;
        ASSERT_TRUE(backend
                        ->forward_dynamics({.q = state.q,
                                            .v = state.v,
                                            .tau = state.tau,
                                            .method = ForwardMethod::two_port,
                                            .qdd = qdd,
                                            .status = {&status, 1}})
                        .ok());
        EXPECT_EQ(status.code, StateStatus::Code::not_finite);
        EXPECT_TRUE(std::all_of(qdd.begin(), qdd.end(), [](double x) { return std::isnan(x); }));
      }
    }
  }
}

}  // namespace
}  // namespace rbd_parallel_core
