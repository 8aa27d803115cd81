// SPDX-License-Identifier: Apache-2.0
//
// The methods of forward dynamics that a Backend can be asked for by name.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "allocation_counter.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/testing/robots.hpp"

namespace rbd_parallel_core {
namespace {

using conformance::Random;
using SharedModel = std::shared_ptr<const Model>;

constexpr ForwardMethod literature[] = {ForwardMethod::jsiia, ForwardMethod::hybrid_abia,
                                        ForwardMethod::crba_sparse, ForwardMethod::dca,
                                        ForwardMethod::dcae};

std::vector<std::string> every_backend() {
  std::vector<std::string> names = backend_names();
  names.push_back("auto");
  return names;
}

SharedModel chain(int bodies) {
  return std::make_shared<const Model>(serial_chain(bodies, 0.3, 1));
}
SharedModel shared(const conformance::Robot& robot) {
  return std::make_shared<const Model>(robot.model());
}

template <class Real = double>
struct Batch {
  Batch(const Model& model, std::size_t states) : size(states) {
    Random random(5);
    const auto nv = static_cast<std::size_t>(model.nv());
    for (std::size_t s = 0; s < states; ++s) {
      for (const double x : conformance::random_configuration(model, random)) {
        q.push_back(static_cast<Real>(x));
      }
    }
    for (const double x : random.numbers(states * nv, 1)) v.push_back(static_cast<Real>(x));
    for (const double x : random.numbers(states * nv, 10)) tau.push_back(static_cast<Real>(x));
    qdd.resize(states * nv);
    status.resize(states);
  }
  Result by(ForwardMethod method, BasicBackend<Real>& backend) {
    return backend.forward_dynamics({.batch = size,
                                     .q = q,
                                     .v = v,
                                     .tau = tau,
                                     .method = method,
                                     .qdd = qdd,
                                     .status = status});
  }

  std::size_t size;
  std::vector<Real> q, v, tau, qdd;
  std::vector<StateStatus> status;
};

template <class Real>
double difference(const std::vector<Real>& a, const std::vector<Real>& b) {
  double largest = 1, worst = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (std::isnan(a[k])) return std::numeric_limits<double>::infinity();
    worst = std::max(worst, static_cast<double>(std::abs(a[k] - b[k])));
    largest = std::max(largest, static_cast<double>(std::abs(b[k])));
  }
  return worst / largest;
}

/// The text that prepare throws; empty where it does not.
std::string refusal_of(Backend& backend, ForwardMethod method) {
  try {
    backend.prepare(method);
    return "";
  } catch (const std::invalid_argument& refused) {
    return refused.what();
  }
}

void expect_words(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* word : words) EXPECT_NE(text.find(word), std::string::npos) << text;
}

TEST(ForwardMethod, NamesGoBothWays) {
  for (const ForwardMethod method : all_forward_methods) {
    EXPECT_EQ(forward_method_of(name_of(method)), method);
  }
  EXPECT_EQ(forward_method_of("magic"), std::nullopt);
  for (const ForwardMethod method : literature) {
    const auto published = published_method_of(method);
    ASSERT_TRUE(published);
    EXPECT_EQ(name_of(method), name_of(*published));
    EXPECT_EQ(forward_method_of(*published), method);
  }
  EXPECT_EQ(published_method_of(ForwardMethod::two_port), std::nullopt);
}

/// Law: all methods solve the same equation. M of this chain has a condition number of about 1e6.
template <class Real>
void expect_the_same_by_every_method(double tolerance) {
  const SharedModel model = chain(20);
  for (const std::string& name : every_backend()) {
    const auto backend = make_backend<Real>(name);
    backend->configure(model, {.max_batch = 3});
    Batch<Real> batch(*model, 3);
    ASSERT_TRUE(batch.by(ForwardMethod::aba, *backend).ok());
    const std::vector<Real> expected = batch.qdd;
    for (const ForwardMethod method : literature) {
      EXPECT_FALSE(backend->offers(method));
      backend->prepare(method);
      EXPECT_TRUE(backend->offers(method));
      std::fill(batch.qdd.begin(), batch.qdd.end(), Real(0));
      const Result result = batch.by(method, *backend);
      ASSERT_TRUE(result.ok()) << message(result);
      EXPECT_LE(difference(batch.qdd, expected), tolerance) << name << ", " << name_of(method);
      EXPECT_TRUE(std::all_of(batch.status.begin(), batch.status.end(),
                              [](const StateStatus& status) { return status.ok(); }));
    }
    for (const ForwardMethod method : literature) EXPECT_TRUE(backend->offers(method));
    backend->configure(model, {});
    for (const ForwardMethod method : literature) EXPECT_FALSE(backend->offers(method));
  }
}
TEST(Methods, AllGiveWhatAbaGives) { expect_the_same_by_every_method<double>(1e-10); }
TEST(Methods, AllGiveWhatAbaGivesInFloat) { expect_the_same_by_every_method<float>(2e-2); }

TEST(Methods, FrictionIsThatOfTheBackend) {
  conformance::RobotBuilder builder("chain", 3);
  for (const char* name : {"a", "b", "c"}) {
    JointDescription& joint = builder.add(name, JointKind::revolute);
    joint.damping = 0.5;
    joint.friction = 0.2;
  }
  const SharedModel model = shared(builder.robot());
  std::vector<double> without;
  for (const bool friction : {false, true}) {
    const auto backend = make_backend("cpu");
    backend->configure(model, {.friction = friction});
    Batch batch(*model, 1);
    ASSERT_TRUE(batch.by(ForwardMethod::aba, *backend).ok());
    const std::vector<double> expected = batch.qdd;
    if (friction) {
      EXPECT_GT(difference(expected, without), 1e-3);
    }
    without = expected;
    for (const ForwardMethod method : literature) {
      backend->prepare(method);
      ASSERT_TRUE(batch.by(method, *backend).ok());
      EXPECT_LE(difference(batch.qdd, expected), 1e-12) << name_of(method);
    }
  }
}

/// Packs keep small matrices only; what is taken in place of crba is named.
TEST(Methods, LanesRefuseALargeMatrixAndNameWhatIsTaken) {
  const auto model = std::make_shared<const Model>(auto_tree({.bodies = 600, .branching = 2}));
  const auto backend = make_backend("cpu");
  backend->configure(model, {.max_batch = 16});
  const std::size_t width = backend->lane_width();
  if (width == 1) GTEST_SKIP() << "this instruction set has no lanes";
  std::vector<double> q(600 * width), qdd(600 * width);
  const Result result = backend->forward_dynamics({.batch = width,
                                                   .q = q,
                                                   .v = {},
                                                   .tau = {},
                                                   .method = ForwardMethod::crba,
                                                   .qdd = qdd,
                                                   .layout = Layout::lanes});
  EXPECT_EQ(result.code, Code::unsupported);
  const std::string text = message(result);
  EXPECT_NE(text.find("512"), std::string::npos) << text;
  EXPECT_NE(text.find("600"), std::string::npos) << text;
  EXPECT_NE(text.find("aba"), std::string::npos) << text;
}

/// Lane-ready arrays, with a batch that does not fill its last group.
TEST(Methods, TakeLanes) {
  const SharedModel model = chain(6);
  const auto backend = make_backend("cpu");
  backend->configure(model, {.max_batch = 32});
  const std::size_t width = backend->lane_width(), states = width + 1, n = 6;
  Batch rows(*model, states);
  const auto in_lanes = [&](const std::vector<double>& numbers) {
    std::vector<double> lanes(2 * width * n);
    for (std::size_t s = 0; s < states; ++s) {
      for (std::size_t k = 0; k < n; ++k) {
        lanes[(s / width * n + k) * width + s % width] = numbers[s * n + k];
      }
    }
    return lanes;
  };
  const std::vector<double> q = in_lanes(rows.q), v = in_lanes(rows.v), tau = in_lanes(rows.tau);
  for (const ForwardMethod method : literature) {
    backend->prepare(method);
    ASSERT_TRUE(rows.by(method, *backend).ok());
    std::vector<double> qdd(2 * width * n);
    ASSERT_TRUE(backend
                    ->forward_dynamics({.batch = states,
                                        .q = q,
                                        .v = v,
                                        .tau = tau,
                                        .method = method,
                                        .qdd = qdd,
                                        .layout = Layout::lanes})
                    .ok());
    EXPECT_EQ(qdd, in_lanes(rows.qdd)) << name_of(method);
  }
}

TEST(Methods, ABadStateSpoilsNoOther) {
  const SharedModel model = chain(6);
  const auto backend = make_backend("cpu");
  backend->configure(model, {.max_batch = 3});
  for (const ForwardMethod method : literature) {
    backend->prepare(method);
    Batch batch(*model, 3);
    ASSERT_TRUE(batch.by(method, *backend).ok());
    const std::vector<double> expected = batch.qdd;
    batch.tau[6 + 2] = std::numeric_limits<double>::quiet_NaN();
    ASSERT_TRUE(batch.by(method, *backend).ok());
    EXPECT_EQ(batch.status[1].code, StateStatus::Code::not_finite);
    for (std::size_t k = 0; k < 6; ++k) {
      EXPECT_EQ(batch.qdd[k], expected[k]);
      EXPECT_TRUE(std::isnan(batch.qdd[6 + k]));
      EXPECT_EQ(batch.qdd[12 + k], expected[12 + k]);
    }
    EXPECT_TRUE(batch.status[0].ok() && batch.status[2].ok());
  }
}

TEST(Methods, NoneTakesMemoryInACall) {
  if (!conformance::can_count_allocations()) GTEST_SKIP() << "a sanitizer has a malloc of its own";
  const SharedModel model = chain(80);
  for (const std::string& name : every_backend()) {
    const auto backend = make_backend(name);
    backend->configure(model, {.max_batch = 2});
    for (const ForwardMethod method : all_forward_methods) {
      if (method == ForwardMethod::two_port && !backend->offers(method)) continue;
      backend->prepare(method);
      Batch batch(*model, 2);
      Result result;
      EXPECT_EQ(allocations_during([&] { result = batch.by(method, *backend); }), 0U)
          << name << ", " << name_of(method);
      EXPECT_TRUE(result.ok());
    }
  }
}

// ---- two_port -----------------------------------------------------------------------------------

TEST(Methods, TwoPortIsWhatTheTreeDoes) {
  const SharedModel model = chain(300);
  for (const std::string& name : every_backend()) {
    const auto backend = make_backend(name);
    backend->configure(model);
    const bool cuts = name == "tree" || name == "auto";
    EXPECT_EQ(backend->offers(ForwardMethod::two_port), cuts) << name;
    Batch batch(*model, 1);
    if (!cuts) {
      expect_words(
          refusal_of(*backend, ForwardMethod::two_port),
          {"method two_port cannot be used", "the backend ", "use automatic, aba, crba", "dcae"});
      expect_words(message(batch.by(ForwardMethod::two_port, *backend)), {"two_port", "tree"});
      continue;
    }
    EXPECT_EQ(refusal_of(*backend, ForwardMethod::two_port), "");
    ASSERT_TRUE(batch.by(ForwardMethod::two_port, *backend).ok());
    const std::vector<double> found = batch.qdd;
    const auto tree = make_backend("tree"), reference = make_backend("reference");
    tree->configure(model);
    ASSERT_TRUE(batch.by(ForwardMethod::aba, *tree).ok());
    EXPECT_EQ(found, batch.qdd);
    reference->configure(model);
    ASSERT_TRUE(batch.by(ForwardMethod::aba, *reference).ok());
    EXPECT_LE(difference(found, batch.qdd), 1e-11);
    EXPECT_NE(found, batch.qdd) << "nothing was cut";
  }
}

/// Also where `cpu` would be faster: a large batch. In lanes, which are those of `cpu`, it is
/// refused.
TEST(Methods, TwoPortOfAutoIsAlwaysThatOfTheTree) {
  const SharedModel model = chain(200);
  const auto automatic = make_backend("auto"), tree = make_backend("tree");
  automatic->configure(model, {.max_batch = 100});
  tree->configure(model, {.max_batch = 100});
  EXPECT_EQ(automatic->explain(Operation::forward_dynamics, 100).substr(0, 3), "cpu");
  Batch batch(*model, 100), expected(*model, 100);
  ASSERT_TRUE(batch.by(ForwardMethod::two_port, *automatic).ok());
  ASSERT_TRUE(expected.by(ForwardMethod::two_port, *tree).ok());
  EXPECT_EQ(batch.qdd, expected.qdd);
  const std::size_t size = automatic->lane_width() * 200;
  const std::vector<double> numbers(size, 0.1);
  std::vector<double> qdd(size);
  const Result result = automatic->forward_dynamics({.q = numbers,
                                                     .v = numbers,
                                                     .tau = numbers,
                                                     .method = ForwardMethod::two_port,
                                                     .qdd = qdd,
                                                     .layout = Layout::lanes});
  EXPECT_EQ(result.code, Code::unsupported);
  EXPECT_EQ(result.argument, Argument::method);
}

TEST(Methods, TwoPortNeedsATreeThatCanBeCut) {
  const auto refused = [](const SharedModel& model, const TreeOptions& options = {}) {
    const auto backend = make_backend("tree");
    backend->configure(model, {.tree = options});
    return refusal_of(*backend, ForwardMethod::two_port);
  };
  expect_words(refused(chain(63)), {"large enough to be cut"});
  EXPECT_EQ(refused(chain(63), {.block = 8}), "");
  expect_words(refused(chain(100), {.family = TreeFamily::scans}), {"cannot be used"});
  expect_words(refused(shared(conformance::mimic_hand()), {.block = 2}),
               {"mimics another one", "use automatic, crba, jsiia, crba_sparse"});
  // A ball joint's body of no mass ends what the kind of joint cuts.
  conformance::RobotBuilder builder("light", 7);
  for (int i = 0; i < 400; ++i) {
    builder.add(std::to_string(i), i == 200 ? JointKind::spherical : JointKind::revolute);
  }
  conformance::Robot robot = builder.robot();
  EXPECT_EQ(refused(shared(robot)), "");
  robot.description.links[200].inertial.reset();
  expect_words(refused(shared(robot)), {"bodies that are not light", "use automatic, aba, crba"});
}

// ---- refusals -----------------------------------------------------------------------------------

TEST(Methods, WhatIsNotPreparedIsRefused) {
  const SharedModel model = chain(4);
  const auto backend = make_backend("cpu");
  EXPECT_THROW(backend->prepare(ForwardMethod::dca), std::invalid_argument);
  EXPECT_FALSE(backend->offers(ForwardMethod::automatic));
  backend->configure(model);
  Batch batch(*model, 1);
  const Result result = batch.by(ForwardMethod::dcae, *backend);
  EXPECT_EQ(result.code, Code::unsupported);
  EXPECT_EQ(result.argument, Argument::method);
  EXPECT_EQ(message(result),
            "method dcae is not prepared; call prepare first; use automatic, aba, crba, or after "
            "prepare jsiia, hybrid_abia, crba_sparse, dca, dcae");
}

TEST(Methods, WrenchesAreRefused) {
  const SharedModel model = chain(4);
  const auto backend = make_backend("cpu");
  backend->configure(model);
  backend->prepare(ForwardMethod::jsiia);
  Batch batch(*model, 1);
  const std::vector<int> links{1};
  const std::vector<double> wrench(6, 1.0);
  const Result result = backend->forward_dynamics({.q = batch.q,
                                                   .v = batch.v,
                                                   .tau = batch.tau,
                                                   .f_ext = {links, wrench},
                                                   .method = ForwardMethod::jsiia,
                                                   .qdd = batch.qdd});
  EXPECT_EQ(result.code, Code::unsupported);
  EXPECT_EQ(message(result), "method jsiia takes no f_ext; use automatic, aba, crba");
}

/// A method that a model rules out is refused with the reason and the methods that do; what was
/// ready before stays so.
TEST(Methods, WhatAModelRulesOutIsRefusedWithTheReason) {
  const auto refusals = [](const SharedModel& model, ForwardMethod method,
                           std::initializer_list<const char*> words) {
    for (const std::string& name : every_backend()) {
      const auto backend = make_backend(name);
      backend->configure(model);
      backend->prepare(ForwardMethod::crba_sparse);
      const std::string text = refusal_of(*backend, method);
      expect_words(text, {name_of(method).c_str(), model->name().c_str()});
      expect_words(text, words);
      EXPECT_FALSE(backend->offers(method));
      EXPECT_TRUE(backend->offers(ForwardMethod::crba_sparse));
    }
  };
  for (const ForwardMethod method :
       {ForwardMethod::hybrid_abia, ForwardMethod::dca, ForwardMethod::dcae}) {
    refusals(shared(conformance::branching_tree()), method,
             {"the tree branches", "aba", "jsiia", "crba_sparse"});
    refusals(shared(conformance::single_joint(JointKind::spherical)), method,
             {"3 coordinates", "aba"});
    refusals(shared(conformance::mimic_hand()), method, {"mimics another one", "crba"});
  }
  refusals(shared(conformance::mimic_hand()), ForwardMethod::aba,
           {"mimics another one", "use automatic, crba, jsiia, crba_sparse"});
  RobotDescription massless = describe_auto_tree({.bodies = 5, .skew = 0.3});
  massless.links[2].inertial.reset();
  const auto model = std::make_shared<const Model>(build_model(massless));
  for (const ForwardMethod method : {ForwardMethod::dca, ForwardMethod::dcae}) {
    refusals(model, method, {"no inertia that could be inverted", "aba", "hybrid_abia"});
  }
}

/// The methods after the last "use " of a refusal.
std::vector<ForwardMethod> recommended(const std::string& refusal) {
  std::vector<ForwardMethod> methods;
  std::string words = refusal.substr(refusal.rfind("use ") + 4);
  for (std::size_t end = 0; end != std::string::npos;) {
    end = words.find(", ");
    const std::string name = words.substr(0, end);
    const auto method = forward_method_of(name);
    EXPECT_TRUE(method) << name << " in: " << refusal;
    if (method) methods.push_back(*method);
    words = end == std::string::npos ? "" : words.substr(end + 2);
  }
  return methods;
}

/// Whatever a refusal recommends is taken, on every backend: on a chain that is too long for the
/// matrices of crba and jsiia, with mimic joints, with branches.
TEST(Methods, WhatARefusalRecommendsIsTaken) {
  RobotDescription large_hand = describe_auto_tree({.bodies = 4100, .branching = 2, .skew = 0.3});
  large_hand.joints.back().mimic = Mimic{large_hand.joints.front().name};
  const SharedModel models[] = {chain(4200), shared(conformance::mimic_hand()),
                                shared(conformance::branching_tree()),
                                std::make_shared<const Model>(build_model(large_hand))};
  for (const SharedModel& model : models) {
    for (const std::string& name : every_backend()) {
      const auto backend = make_backend(name);
      backend->configure(model);
      for (const ForwardMethod method : all_forward_methods) {
        const std::string refusal = refusal_of(*backend, method);
        if (refusal.empty()) continue;
        const std::vector<ForwardMethod> others = recommended(refusal);
        EXPECT_FALSE(others.empty()) << refusal;
        for (const ForwardMethod other : others) {
          EXPECT_EQ(refusal_of(*backend, other), "") << name << ": " << refusal;
          EXPECT_TRUE(backend->offers(other)) << name << ": " << refusal;
        }
        const bool names_crba =
            std::find(others.begin(), others.end(), ForwardMethod::crba) != others.end();
        EXPECT_EQ(names_crba, backend->offers(ForwardMethod::crba)) << name << ": " << refusal;
      }
    }
  }
}

/// Forward dynamics of one state at q = 0 in such a call. In lanes every array holds lane_width
/// states.
Result at_rest(Backend& backend, ForwardMethod method, const MethodUse& use) {
  const std::size_t states = use.layout == Layout::lanes ? backend.lane_width() : 1;
  const auto zeros = [&](int n) {
    return std::vector<double>(states * static_cast<std::size_t>(n));
  };
  const std::vector<double> q = zeros(backend.model().nq()), wrench = zeros(6);
  std::vector<double> qdd = zeros(backend.model().nv());
  const std::vector<int> links{0};
  BasicExternalWrenches<double> f_ext;
  if (use.wrenches) f_ext = {links, wrench};
  return backend.forward_dynamics({.q = q,
                                   .v = {},
                                   .tau = {},
                                   .f_ext = f_ext,
                                   .method = method,
                                   .qdd = qdd,
                                   .layout = use.layout});
}

/// In lanes and with f_ext fewer methods are taken. What prepare or the call itself recommends is
/// exactly what that very call takes, after prepare.
TEST(Methods, ARefusalRecommendsWhatThatVeryCallTakes) {
  const SharedModel models[] = {chain(100), chain(600), shared(conformance::mimic_hand()),
                                shared(conformance::branching_tree())};
  int refusals = 0;
  for (const SharedModel& model : models) {
    for (const std::string& name : every_backend()) {
      for (const MethodUse use : {MethodUse{Layout::rows, true}, MethodUse{Layout::lanes, false},
                                  MethodUse{Layout::lanes, true}}) {
        const auto backend = make_backend(name);
        backend->configure(model);
        std::vector<ForwardMethod> taken;
        std::vector<std::string> refused;
        for (const ForwardMethod method : all_forward_methods) {
          const Result before = at_rest(*backend, method, use);
          if (!before.ok()) refused.push_back(message(before));
          EXPECT_EQ(backend->why_not(method, use).empty(), backend->accepts(method, use));
          try {
            backend->prepare(method, use);
            const Result after = at_rest(*backend, method, use);
            EXPECT_TRUE(after.ok()) << message(after);
            taken.push_back(method);
          } catch (const std::invalid_argument& error) {
            EXPECT_FALSE(before.ok()) << error.what();
            refused.push_back(error.what());
            if (backend->accepts(method)) {  // in rows and without f_ext
              backend->prepare(method);
              const Result after = at_rest(*backend, method, use);
              ASSERT_FALSE(after.ok()) << name << ", " << name_of(method);
              refused.push_back(message(after));
            }
          }
        }
        for (std::string text : refused) {
          ++refusals;
          for (const char* words : {"or after prepare ", " after prepare"}) {
            const std::size_t at = text.rfind(words);
            if (at != std::string::npos) text.erase(at, std::string(words).size());
          }
          EXPECT_EQ(recommended(text), taken) << name << ", " << model->name() << ": " << text;
        }
      }
    }
  }
  EXPECT_GT(refusals, 100);
}

/// A robot whose mimic joints rule out aba, with more coordinates than crba has a matrix for: what
/// every refusal names works.
TEST(Methods, TooManyCoordinatesForAMatrixAreRefusedWithAWayOut) {
  RobotDescription robot = describe_auto_tree({.bodies = 4100, .branching = 2, .skew = 0.3});
  robot.joints.back().mimic = Mimic{robot.joints.front().name};
  const auto model = std::make_shared<const Model>(build_model(robot));
  for (const std::string& name : every_backend()) {
    const auto backend = make_backend(name);
    backend->configure(model);
    Batch batch(*model, 1);
    for (const ForwardMethod method : {ForwardMethod::automatic, ForwardMethod::crba}) {
      EXPECT_FALSE(backend->offers(method));
      const Result result = batch.by(method, *backend);
      EXPECT_EQ(result.code, Code::unsupported);
      expect_words(message(result), {"nv = 4096", "nv = 4099", "use crba_sparse after prepare"});
      expect_words(refusal_of(*backend, method), {"dense", "4096", "4099", "use crba_sparse"});
    }
    expect_words(message(batch.by(ForwardMethod::aba, *backend)), {"mimic", "crba_sparse"});
    EXPECT_EQ(refusal_of(*backend, ForwardMethod::crba_sparse), "");
    EXPECT_TRUE(batch.by(ForwardMethod::crba_sparse, *backend).ok());
    EXPECT_TRUE(batch.status[0].ok());
  }
}

/// An end link without mass, its joint without armature: every method that takes the model names
/// the joint.
TEST(Methods, AMasslessEndIsNamedAsASingularJoint) {
  RobotDescription robot = describe_auto_tree({.bodies = 400, .skew = 0.3});
  robot.links.back().inertial.reset();
  const auto model = std::make_shared<const Model>(build_model(robot));
  for (const std::string& name : every_backend()) {
    const auto backend = make_backend(name);
    backend->configure(model);
    Batch batch(*model, 1);
    int asked = 0;
    for (const ForwardMethod method : all_forward_methods) {
      if (!refusal_of(*backend, method).empty()) continue;
      ++asked;
      ASSERT_TRUE(batch.by(method, *backend).ok());
      EXPECT_EQ(batch.status[0], (StateStatus{StateStatus::Code::singular, 399}))
          << name << ", " << name_of(method);
      EXPECT_TRUE(std::isnan(batch.qdd[0]));
      expect_words(message(batch.status[0], *model), {"singular at joint", "armature"});
    }
    EXPECT_EQ(asked, name == "tree" || name == "auto" ? 7 : 6);
  }
}

}  // namespace
}  // namespace rbd_parallel_core
