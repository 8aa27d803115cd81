// SPDX-License-Identifier: Apache-2.0
//
// Forward dynamics by the methods of the literature, beside ABA.
#include "rbd_parallel_core/study/forward_methods.hpp"

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
#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/study/dcae.hpp"
#include "rbd_parallel_core/study/hybrid_abia.hpp"
#include "rbd_parallel_core/study/jsiia.hpp"
#include "rbd_parallel_core/testing/robots.hpp"
#include "rbd_parallel_core/vtree/executor.hpp"

namespace rbd_parallel_core {
namespace {

using conformance::Random;
using conformance::Robot;
using Method = PublishedMethod;
using SharedModel = std::shared_ptr<const Model>;

const double right_angle = std::acos(0.0);
ModelOptions with_gravity_off_axis() {
  ModelOptions options;
  options.gravity = {1.3, -4.1, -8.6};
  return options;
}

SharedModel chain(int bodies, double skew) {
  return std::make_shared<const Model>(serial_chain(bodies, skew, 1, with_gravity_off_axis()));
}

/// Revolute, prismatic and helical joints, axes and inertias at random; every third has armature.
SharedModel random_chain(int bodies, std::uint64_t seed) {
  conformance::RobotBuilder builder("random_chain", seed);
  const JointKind kinds[] = {JointKind::revolute, JointKind::revolute, JointKind::prismatic,
                             JointKind::continuous, JointKind::helical};
  for (int i = 0; i < bodies; ++i) {
    JointDescription& joint = builder.add("j" + std::to_string(i), kinds[i % 5]);
    if (i % 3 == 1) joint.armature = 0.04;
    joint.damping = 0.2;
    joint.friction = 0.1;
  }
  return std::make_shared<const Model>(builder.robot().model());
}

using State = DrivenState;

std::vector<double> by_aba(const SharedModel& model, const State& x, bool friction = false) {
  const auto backend = make_backend("reference");
  backend->configure(model, {.friction = friction, .instruction_set = InstructionSet::baseline});
  std::vector<double> qdd(x.v.size());
  EXPECT_TRUE(backend
                  ->forward_dynamics(
                      {.q = x.q, .v = x.v, .tau = x.tau, .method = ForwardMethod::aba, .qdd = qdd})
                  .ok());
  return qdd;
}

std::vector<double> by(const SharedModel& model, const State& x, Method method,
                       const ForwardMethodsOptions& options = {}) {
  ForwardMethods<double> methods;
  methods.configure(model, options);
  std::vector<double> qdd(x.v.size());
  StateStatus status;
  const Result result = methods.forward_dynamics(method, x.q, x.v, x.tau, qdd, &status);
  EXPECT_TRUE(result.ok()) << message(result);
  EXPECT_TRUE(status.ok()) << message(status, *model);
  return qdd;
}

/// What the accelerations are off from the exact ones, and the torques they need from those given;
/// both exactly, in long double.
struct Accuracy {
  double forward, residual;
};

class Judge {
 public:
  Judge(const Model& model, const State& x) : exact_(model), x_(x) {
    qdd_ = exact_.forward_dynamics_by_aba(x.q, x.v, x.tau);
  }
  Accuracy operator()(const std::vector<double>& qdd) {
    return {relative_error(qdd, qdd_),
            relative_error(exact_.inverse_dynamics(x_.q, x_.v, qdd), x_.tau)};
  }

 private:
  ScalarModel<long double> exact_;
  State x_;
  std::vector<long double> qdd_;
};

/// How much more than ABA's the forward error of a method may be. Nothing of ABA's kind loses a
/// digit; DCA inverts every body and loses two to three; what goes by M loses as many as M has in
/// its condition number, which grows with the fourth power of the length.
double bound(Method method, int bodies) {
  const double n = bodies;
  const double eps = std::numeric_limits<double>::epsilon();
  switch (method) {
    case Method::hybrid_abia:
      return 1e3 * eps * n;
    case Method::dcae:
      return 1e4 * eps * n;
    case Method::dca:
      return 1e5 * eps * n;
    default:
      return 1e3 * eps * (1 + n * n * n / 10);
  }
}

void expect_all_agree(const SharedModel& model, const State& x, const char* name, bool print) {
  Judge judge(*model, x);
  const Accuracy aba = judge(by_aba(model, x));
  const int n = model->nv();
  for (const Method method : published_methods) {
    for (const int blocks : {1, 2, 3, 8}) {
      if (blocks > 1 && method != Method::dcae) continue;
      const Accuracy found = judge(by(model, x, method, {.methods = {method}, .blocks = blocks}));
      EXPECT_LE(found.forward, aba.forward + bound(method, n))
          << name << ", " << n << " bodies, " << name_of(method) << ", " << blocks << " blocks";
      if (!print) continue;
      std::printf(
          "%-16s n %4d  %-11s p %d  forward error %8.1e (aba %8.1e)  residual %8.1e (%8.1e)\n",
          name, n, name_of(method), blocks, found.forward, aba.forward, found.residual,
          aba.residual);
    }
  }
}

TEST(ForwardMethods, AgreeWithAbaOnChains) {
  const struct {
    const char* name;
    double skew;
  } shapes[] = {{"skew 0", 0}, {"skew 0.3", 0.3}, {"skew pi/2", right_angle}};
  for (const auto& shape : shapes) {
    for (const int n : {1, 2, 3, 4, 5, 8, 13, 64, 256}) {
      const SharedModel model = chain(n, shape.skew);
      expect_all_agree(model, random_state(*model, 100 + static_cast<unsigned>(n)), shape.name,
                       n == 64 || n == 256);
    }
  }
}

TEST(ForwardMethods, AgreeWithAbaOnRandomChains) {
  for (const int n : {1, 2, 5, 9, 30, 100}) {
    const SharedModel model = random_chain(n, 200 + static_cast<unsigned>(n));
    expect_all_agree(model, random_state(*model, 300 + static_cast<unsigned>(n)), "random",
                     n == 100);
  }
}

/// With one block DCAe lets go the same joints in the same order as ABA.
TEST(ForwardMethods, DcaeWithOneBlockIsAbaUpToRounding) {
  for (const SharedModel& model :
       {chain(1, 0.3), chain(64, 0.3), chain(256, right_angle), random_chain(40, 5)}) {
    const State x = random_state(*model, 7);
    const auto found = by(model, x, Method::dcae, {.methods = {Method::dcae}, .blocks = 1});
    EXPECT_LE(relative_error(found, by_aba(model, x)), 1e-15 * model->nv());
  }
}

/// DCA is less accurate than ABA: by more than a digit in the torques on chains that twist. On a
/// planar chain it is about as accurate. Nowhere does it lose all.
TEST(ForwardMethods, DcaIsLessAccurateThanAbaButNotByMuch) {
  for (const double skew : {0.0, 0.3, right_angle}) {
    const SharedModel model = chain(256, skew);
    const State x = random_state(*model, 11);
    Judge judge(*model, x);
    const Accuracy aba = judge(by_aba(model, x)), dca = judge(by(model, x, Method::dca));
    if (skew > 0) {
      EXPECT_GT(dca.residual, 10 * aba.residual) << skew;
    }
    EXPECT_LE(dca.forward, 1e-10) << skew;
    EXPECT_LE(dca.residual, 1e-4) << skew;
  }
}

/// Light bodies between heavy ones: DCA inverts the light ones, ABA never meets them alone. DCAe
/// does at the ends of its blocks.
TEST(ForwardMethods, LightBodiesSpoilDcaAndDcae) {
  RobotDescription description = describe_auto_tree({.bodies = 64, .skew = 0.3});
  for (std::size_t i = 1; i < description.links.size(); i += 2) {
    auto& inertial = description.links[i].inertial;
    if (!inertial) continue;
    inertial->mass *= 1e-6;
    SymMat3<double>& I = inertial->rotational;
    I = {1e-6 * I.xx, 1e-6 * I.xy, 1e-6 * I.xz, 1e-6 * I.yy, 1e-6 * I.yz, 1e-6 * I.zz};
  }
  const auto model =
      std::make_shared<const Model>(build_model(description, with_gravity_off_axis()));
  State x = random_state(*model, 13);
  std::fill(x.v.begin(), x.v.end(), 0.0);
  Judge judge(*model, x);
  const Accuracy aba = judge(by_aba(model, x)), hybrid = judge(by(model, x, Method::hybrid_abia)),
                 dca = judge(by(model, x, Method::dca)),
                 dcae = judge(by(model, x, Method::dcae, {.blocks = 8}));
  std::printf(
      "light bodies     n   64  residual: aba %.1e  hybrid_abia %.1e  dca %.1e  dcae %.1e\n",
      aba.residual, hybrid.residual, dca.residual, dcae.residual);
  EXPECT_LE(aba.residual, 1e-9);
  EXPECT_LE(hybrid.residual, 1e-7);
  EXPECT_GT(dca.residual, 1e3 * aba.residual);
  EXPECT_GT(dcae.residual, 1e3 * aba.residual);
}

/// jsiia and crba_sparse need no chain: branches, joints of several coordinates, mimic joints.
TEST(ForwardMethods, ByMForEveryRobot) {
  for (const Robot& robot : conformance::small_robots()) {
    const auto model = std::make_shared<const Model>(robot.model());
    const State x = random_state(*model, 17);
    const auto backend = make_backend("reference");
    backend->configure(model, {.friction = true});
    std::vector<double> expected(x.v.size());
    ASSERT_TRUE(
        backend->forward_dynamics({.q = x.q, .v = x.v, .tau = x.tau, .qdd = expected}).ok());
    for (const Method method : {Method::jsiia, Method::crba_sparse}) {
      const auto found = by(model, x, method, {.methods = {method}, .friction = true});
      EXPECT_LE(relative_error(found, expected), 1e-11) << robot.name << ", " << name_of(method);
    }
  }
}

TEST(ForwardMethods, FrictionAndZerosCount) {
  const SharedModel model = random_chain(12, 19);
  State x = random_state(*model, 23);
  for (const Method method : published_methods) {
    const auto found = by(model, x, method, {.blocks = 3, .friction = true});
    EXPECT_LE(relative_error(found, by_aba(model, x, true)), 1e-11) << name_of(method);
  }
  ForwardMethods<double> methods;
  methods.configure(model);
  std::fill(x.v.begin(), x.v.end(), 0.0);
  std::fill(x.tau.begin(), x.tau.end(), 0.0);
  const auto expected = by_aba(model, x);
  for (const Method method : published_methods) {
    std::vector<double> qdd(12);
    ASSERT_TRUE(methods.forward_dynamics(method, x.q, {}, {}, qdd).ok());
    EXPECT_LE(relative_error(qdd, expected), 1e-11) << name_of(method);
  }
}

TEST(ForwardMethods, FloatKeepsItsBound) {
  const SharedModel model = chain(20, 0.3);
  const State x = random_state(*model, 29);
  const auto expected = by_aba(model, x);
  ForwardMethods<float> methods;
  methods.configure(model, {.blocks = 3});
  const std::vector<float> q(x.q.begin(), x.q.end()), v(x.v.begin(), x.v.end()),
      tau(x.tau.begin(), x.tau.end());
  for (const Method method : published_methods) {
    std::vector<float> qdd(20);
    ASSERT_TRUE(methods.forward_dynamics(method, q, v, tau, qdd).ok());
    EXPECT_LE(relative_error(qdd, expected), 1e-2) << name_of(method);
  }
}

/// The scans give the same whoever runs them.
template <class Exec>
std::vector<double> hybrid_by(const Exec& executor, const Model& model, const State& x) {
  const auto n = static_cast<std::size_t>(model.nv());
  std::vector<Transform<double>> X(n);
  std::vector<Force<double>> f(n), U_over_D(n);
  std::vector<double> one_over_D(n), c_over_D(n), qdd(n);
  const auto scratch = static_cast<std::size_t>(executor.scan_scratch(model.nv()));
  std::vector<MotionStep<double>> motion_steps(n), motion_scratch(scratch);
  std::vector<LinearStep<double>> linear_steps(n), linear_scratch(scratch);
  const HybridAbiaWorkspace<double, Column> ws{
      {X.data()},           {f.data()},          {U_over_D.data()},     {one_over_D.data()},
      {c_over_D.data()},    motion_steps.data(), motion_scratch.data(), linear_steps.data(),
      linear_scratch.data()};
  const double singular = hybrid_abia(
      executor, model.view(), ws, Row<double>{x.q.data()}, Row<double>{x.v.data()},
      Row<double>{x.tau.data()}, NoForces{}, model.gravity(), false, OutRow<double>{qdd.data()});
  EXPECT_EQ(singular, 0);
  return qdd;
}

TEST(HybridAbia, ScansOfEveryExecutorAgree) {
  for (const SharedModel& model : {chain(1, 0.3), random_chain(7, 31), chain(100, 0.3)}) {
    const State x = random_state(*model, 37);
    const auto expected = by_aba(model, x);
    EXPECT_LE(relative_error(hybrid_by(BlockedExecutor<SerialLoop>({}, 9), *model, x), expected),
              1e-11);
    EXPECT_LE(relative_error(hybrid_by(BlellochExecutor<SerialLoop>(), *model, x), expected),
              1e-11);
  }
}

/// As a backend would run it: all columns of M as one batch of the backend "cpu", which knows a
/// model without gravity.
TEST(Jsiia, RunsAsOneBatchOfABackend) {
  const Robot robot = conformance::mixed_tree(Base::floating);
  const auto model = std::make_shared<const Model>(robot.model());
  ModelOptions weightless = robot.options;
  weightless.gravity = {0, 0, 0};
  const auto nv = static_cast<std::size_t>(model->nv());
  const auto with_gravity = make_backend("cpu"), without = make_backend("cpu");
  with_gravity->configure(model);
  without->configure(std::make_shared<const Model>(build_model(robot.description, weightless)),
                     {.max_batch = nv});
  const State x = random_state(*model, 41);
  std::vector<double> positions, units(nv * nv), columns(nv * nv), diagonal(nv), qdd(nv);
  for (std::size_t k = 0; k < nv; ++k) positions.insert(positions.end(), x.q.begin(), x.q.end());
  int batches = 0;
  const double singular = jsiia<double>(
      model->view(), {units.data(), columns.data(), diagonal.data()},
      [&](OutRow<double> out) {
        EXPECT_TRUE(with_gravity->bias_forces({.q = x.q, .v = x.v, .tau = {out.data, nv}}).ok());
      },
      [&](const double* a, double* tau, std::int32_t count) {
        ++batches;
        EXPECT_TRUE(without
                        ->inverse_dynamics({.batch = static_cast<std::size_t>(count),
                                            .q = positions,
                                            .v = {},
                                            .a = {a, nv * nv},
                                            .tau = {tau, nv * nv}})
                        .ok());
      },
      Row<double>{x.tau.data()}, OutRow<double>{qdd.data()});
  EXPECT_EQ(singular, 0);
  EXPECT_EQ(batches, 1);
  std::vector<double> expected(nv);
  ASSERT_TRUE(
      with_gravity->forward_dynamics({.q = x.q, .v = x.v, .tau = x.tau, .qdd = expected}).ok());
  EXPECT_LE(relative_error(qdd, expected), 1e-11);
}

TEST(Dcae, BlocksCoverTheChain) {
  for (const int n : {1, 2, 7, 100}) {
    for (int blocks = 1; blocks <= std::min(n, 9); ++blocks) {
      for (const double share : {0.01, 0.5, 0.75, 0.99}) {
        std::vector<std::int32_t> first(static_cast<std::size_t>(blocks) + 1);
        cut_into_blocks(n, blocks, share, first.data());
        EXPECT_EQ(first.front(), 0);
        EXPECT_EQ(first.back(), n);
        for (std::size_t b = 1; b < first.size(); ++b) EXPECT_LT(first[b - 1], first[b]);
      }
    }
  }
  std::int32_t first[5];
  cut_into_blocks(100, 2, 0.75, first);
  EXPECT_EQ(first[1], 25);
  cut_into_blocks(100, 4, 0.5, first);
  EXPECT_EQ(first[3], 50);
}

TEST(Dcae, TheShareOfTheLastBlockChangesNothingButRounding) {
  const SharedModel model = chain(50, 0.3);
  const State x = random_state(*model, 43);
  const auto expected = by_aba(model, x);
  for (const double share : {0.001, 0.25, 0.5, 0.75, 0.999}) {
    for (const int blocks : {2, 5, 50, 1000}) {
      const auto found = by(model, x, Method::dcae, {.blocks = blocks, .terminal_share = share});
      EXPECT_LE(relative_error(found, expected), 1e-10) << share << ", " << blocks << " blocks";
    }
  }
}

std::string refused(const SharedModel& model, const ForwardMethodsOptions& options) {
  ForwardMethods<double> methods;
  try {
    methods.configure(model, options);
  } catch (const std::invalid_argument& refusal) {
    EXPECT_FALSE(methods.offers(Method::jsiia));
    return refusal.what();
  }
  return {};
}

void expect_refusal(const Robot& robot, Method method, const std::string& reason,
                    const std::string& instead) {
  const auto model = std::make_shared<const Model>(robot.model());
  const std::string text = refused(model, {.methods = {method}});
  EXPECT_NE(text.find(reason), std::string::npos) << text;
  EXPECT_NE(text.find(instead), std::string::npos) << text;
  ForwardMethods<double> methods;
  methods.configure(model);
  EXPECT_FALSE(methods.offers(method));
  const State x = random_state(*model, 47);
  std::vector<double> qdd(x.v.size());
  const Result result = methods.forward_dynamics(method, x.q, x.v, x.tau, qdd);
  EXPECT_EQ(result.code, Code::unsupported);
  EXPECT_EQ(result.argument, Argument::method);
}

TEST(ForwardMethods, SayWhichModelsTheyCannotDo) {
  for (const Method method : {Method::hybrid_abia, Method::dca, Method::dcae}) {
    expect_refusal(conformance::branching_tree(), method, "branches", "use aba and crba");
    expect_refusal(conformance::mixed_chain(), method, "'c_spherical' has 3 coordinates",
                   "jsiia, crba_sparse");
    expect_refusal(conformance::mimic_hand(), method, "mimics", "use crba of a backend, jsiia");
  }
  Robot massless = conformance::chain(5);
  massless.description.links[3].inertial.reset();
  for (const Method method : {Method::dca, Method::dcae}) {
    expect_refusal(massless, method, "no inertia that could be inverted", "hybrid_abia");
  }
  Robot rod = conformance::chain(5);  // without inertia about its own axis
  for (auto& link : rod.description.links) {
    if (link.inertial) link.inertial->rotational.xx = 0;
  }
  rod.options.inertia_policy = InertiaPolicy::warn;
  expect_refusal(rod, Method::dca, "no inertia that could be inverted", "hybrid_abia");
  // One block inverts no body: it is ABA.
  const auto model = std::make_shared<const Model>(massless.model());
  const State x = random_state(*model, 53);
  const auto found = by(model, x, Method::dcae, {.methods = {Method::dcae}, .blocks = 1});
  EXPECT_LE(relative_error(found, by_aba(model, x)), 1e-13);
}

TEST(ForwardMethods, RefuseMatricesThatAreTooLarge) {
  const SharedModel model = chain(4097, 0.3);
  EXPECT_NE(refusal(*model, Method::jsiia).find("entries"), std::string::npos);
  EXPECT_EQ(refusal(*model, Method::crba_sparse), "");  // half of them
  EXPECT_EQ(refusal(*model, Method::dca), "");
}

TEST(ForwardMethods, RefuseBadOptionsAndArguments) {
  const SharedModel model = chain(3, 0.3);
  EXPECT_NE(refused(nullptr, {}).find("no model"), std::string::npos);
  EXPECT_NE(refused(model, {.blocks = 0}).find("blocks is 0"), std::string::npos);
  for (const double share : {-0.1, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_NE(refused(model, {.terminal_share = share}).find("terminal_share"), std::string::npos);
  }
  const std::vector<double> three(3), four(4);
  std::vector<double> qdd(3), short_qdd(2);
  ForwardMethods<double> methods;
  EXPECT_EQ(methods.forward_dynamics(Method::dca, three, three, three, qdd).code,
            Code::not_configured);
  methods.configure(model);
  const auto argument = [&](const auto& q, const auto& v, const auto& tau, auto& out) {
    const Result result = methods.forward_dynamics(Method::dca, q, v, tau, out);
    EXPECT_EQ(result.code, Code::wrong_size);
    return result.argument;
  };
  EXPECT_EQ(argument(four, three, three, qdd), Argument::q);
  EXPECT_EQ(argument(three, four, three, qdd), Argument::v);
  EXPECT_EQ(argument(three, three, four, qdd), Argument::tau);
  EXPECT_EQ(argument(three, three, three, short_qdd), Argument::qdd);
}

TEST(ForwardMethods, ABadStateGivesNaNAndItsStatus) {
  ForwardMethods<double> methods;
  methods.configure(chain(4, 0.3));
  for (const Method method : published_methods) {
    for (int which = 0; which < 3; ++which) {
      std::vector<double> numbers[3] = {std::vector<double>(4, 0.5), std::vector<double>(4, 0.5),
                                        std::vector<double>(4, 0.5)};
      numbers[which][2] = std::numeric_limits<double>::infinity();
      std::vector<double> qdd(4);
      StateStatus status;
      ASSERT_TRUE(
          methods.forward_dynamics(method, numbers[0], numbers[1], numbers[2], qdd, &status).ok());
      EXPECT_EQ(status.code, StateStatus::Code::not_finite) << name_of(method) << which;
      for (const double x : qdd) EXPECT_TRUE(std::isnan(x));
    }
  }
}

TEST(ForwardMethods, NothingThatResistsIsSingular) {
  Robot robot = conformance::chain(4);
  robot.description.links.back().inertial.reset();  // the last body weighs nothing
  const auto model = std::make_shared<const Model>(robot.model());
  const State x = random_state(*model, 59);
  ForwardMethods<double> methods;
  methods.configure(model, {.blocks = 1});
  for (const Method method :
       {Method::jsiia, Method::crba_sparse, Method::hybrid_abia, Method::dcae}) {
    std::vector<double> qdd(4);
    StateStatus status;
    ASSERT_TRUE(methods.forward_dynamics(method, x.q, x.v, x.tau, qdd, &status).ok());
    EXPECT_EQ(status, (StateStatus{StateStatus::Code::singular, 3})) << name_of(method);
    for (const double a : qdd) EXPECT_TRUE(std::isnan(a));
  }
}

TEST(ForwardMethods, ARobotThatCannotMoveHasNothingToCompute) {
  ForwardMethods<double> methods;
  methods.configure(std::make_shared<const Model>(conformance::rock().model()));
  for (const Method method : published_methods) {
    EXPECT_TRUE(methods.forward_dynamics(method, {}, {}, {}, {}).ok());
  }
}

}  // namespace
}  // namespace rbd_parallel_core
