// SPDX-License-Identifier: Apache-2.0
//
// Base parameters explain all torques, and are found again from noisy measurements.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "rbd_parallel_core/model/load_urdf.hpp"
#include "rbd_parallel_core/testing/backend_calls.hpp"
#include "rbd_parallel_core/trajectory/identification.hpp"

namespace rbd_parallel_core {
namespace {

using conformance::Batch;
using conformance::Robot;
using Numbers = std::vector<double>;

void require(const Result& result) {
  if (!result.ok()) throw std::runtime_error(message(result));
}

std::shared_ptr<const Model> arm7() {
  return std::make_shared<const Model>(load_urdf(std::string(RBD_ROBOTS_DIR) + "/arm7.urdf"));
}

std::string name_of_robot(const testing::TestParamInfo<Robot>& info) { return info.param.name; }

class BaseParametersOf : public testing::TestWithParam<Robot> {};

/// Y pi = Y_base (R pi) for states and parameters that have nothing to do with those that R was
/// found from; and no base parameter is too many: the rank is clear.
TEST_P(BaseParametersOf, ExplainAllTorques) {
  const auto model = std::make_shared<const Model>(GetParam().model());
  const BaseParameters base = base_parameters(model);
  const std::size_t n = base.parameters, nv = static_cast<std::size_t>(model->nv());
  ASSERT_EQ(base.regroup.size(), base.independent.size() * n);
  EXPECT_GT(base.smallest_kept, 1e-6);
  EXPECT_LT(base.largest_dropped, 1e-11);

  constexpr std::size_t states = 5;
  const Batch batch = conformance::random_batch(*model, states, 81);
  Numbers Y(states * nv * n);
  const auto backend = make_backend("reference");
  backend->configure(model, {.max_batch = states});
  require(backend->regressor(
      {.batch = states, .q = batch.q, .v = batch.v, .a = batch.a, .regressor = Y}));
  const Numbers pi = conformance::Random(82).numbers(n, 1), of = base.of(pi);
  double largest = 0, error = 0;
  for (std::size_t r = 0; r < states * nv; ++r) {
    double whole = 0, part = 0;
    for (std::size_t k = 0; k < n; ++k) whole += Y[r * n + k] * pi[k];
    for (std::size_t k = 0; k < of.size(); ++k) {
      part += Y[r * n + static_cast<std::size_t>(base.independent[k])] * of[k];
    }
    largest = std::max(largest, std::abs(whole));
    error = std::max(error, std::abs(whole - part));
  }
  EXPECT_LE(error, 1e-9 * largest);
}

INSTANTIATE_TEST_SUITE_P(Robots, BaseParametersOf, testing::ValuesIn(conformance::small_robots()),
                         name_of_robot);

/// A pendulum about a horizontal axis has three: the moment of inertia about its axis and the two
/// first moments across it. A body that is free has all ten. A joint along gravity has one.
TEST(BaseParameters, AreKnownForSingleJoints) {
  const auto count = [](JointKind kind, const Vec3<double>& axis) {
    Robot robot = conformance::single_joint(kind);
    robot.description.joints[0].axis = axis;
    robot.description.joints[0].origin.rotation = Mat3<double>::identity();
    robot.options.gravity = {0, 0, -9.81};
    return base_parameters(std::make_shared<const Model>(robot.model())).independent.size();
  };
  EXPECT_EQ(count(JointKind::revolute, {0, 1, 0}), 3U);
  EXPECT_EQ(count(JointKind::revolute, {0, 0, 1}), 1U);
  EXPECT_EQ(count(JointKind::prismatic, {0, 1, 0}), 1U);
  EXPECT_EQ(count(JointKind::floating, {0, 0, 1}), 10U);
}

/// The same seed gives the same numbers, another one the same rank; what is fixed has none.
TEST(BaseParameters, AreDeterministic) {
  const auto model = arm7();
  const BaseParameters one = base_parameters(model), again = base_parameters(model);
  EXPECT_EQ(one.independent, again.independent);
  EXPECT_EQ(one.regroup, again.regroup);
  EXPECT_EQ(base_parameters(model, {.seed = 5}).independent.size(), one.independent.size());
  const auto rock = std::make_shared<const Model>(conformance::rock().model());
  EXPECT_TRUE(base_parameters(rock).independent.empty());
}

/// What measurements of the arm would be: torques with noise, from motions at random.
struct Recording {
  static constexpr std::size_t samples = 1000;
  Numbers q, v, a, tau;

  Recording(const std::shared_ptr<const Model>& model, double noise) {
    Batch batch = conformance::random_batch(*model, samples, 83);
    q = batch.q;
    v = batch.v;
    a = batch.a;
    tau.resize(v.size());
    const auto backend = make_backend("cpu");
    backend->configure(model, {.max_batch = samples, .friction = true});
    require(backend->inverse_dynamics({.batch = samples, .q = q, .v = v, .a = a, .tau = tau}));
    std::mt19937_64 engine(84);
    std::normal_distribution<double> normal(0, 1);
    for (double& torque : tau) torque += noise * normal(engine);
  }
  Measurements view() const { return {samples, q, v, a, tau}; }
};

Identification identified(const std::shared_ptr<const Model>& model, const BaseParameters& base,
                          const Measurements& measurements) {
  const auto backend = make_backend("cpu");
  backend->configure(model, {.max_batch = 100, .friction = true});
  return identify(*backend, base, measurements);
}

/// Without noise the base parameters come back to rounding. With noise the errors grow with it,
/// are what their standard errors say, and the residual is the noise. The model that the
/// identification starts from has other masses, and the true friction.
TEST(Identification, FindsTheBaseParametersOfTheArm) {
  const auto model = arm7();
  const auto guess = std::make_shared<const Model>(model->with_payload(
      model->links().back().name, {.mass = 3, .origin = {}, .rotational = {.1, 0, 0, .1, 0, .1}}));
  const BaseParameters base = base_parameters(model);
  const Numbers expected = base.of(model->inertial_parameters());
  const auto error = [&](const Identification& found) {
    double squares = 0;
    for (std::size_t k = 0; k < expected.size(); ++k) {
      squares += std::pow(found.base[k] - expected[k], 2);
    }
    return std::sqrt(squares / static_cast<double>(expected.size()));
  };
  EXPECT_LE(error(identified(guess, base, Recording(model, 0).view())), 1e-10);

  const Identification little = identified(guess, base, Recording(model, 0.01).view());
  const Identification much = identified(guess, base, Recording(model, 1).view());
  EXPECT_NEAR(little.residual, 0.01, 0.0005);
  EXPECT_NEAR(much.residual, 1, 0.05);
  EXPECT_NEAR(error(much) / error(little), 100, 1e-4);  // least squares are linear in the noise
  double chi2 = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    chi2 += std::pow((much.base[k] - expected[k]) / much.standard_error[k], 2);
  }
  // The mean of squares of so many normal numbers, which are correlated.
  EXPECT_NEAR(chi2 / static_cast<double>(expected.size()), 1, 0.75);
}

/// Weights do not change what exact torques say, and a noisy joint that is said to be noisy spoils
/// less.
TEST(Identification, WeighsTorquesByTheirNoise) {
  const auto model = arm7();
  const BaseParameters base = base_parameters(model);
  const Numbers expected = base.of(model->inertial_parameters());
  Recording recording(model, 0.01);
  std::mt19937_64 engine(85);
  std::normal_distribution<double> normal(0, 5);
  const std::size_t nv = 7;
  for (std::size_t k = 0; k < recording.tau.size(); k += nv) recording.tau[k] += normal(engine);
  const Numbers noise{5, .01, .01, .01, .01, .01, .01};
  Measurements weighed = recording.view();
  weighed.noise = noise;
  const auto error = [&](const Identification& found) {
    double largest = 0;
    for (std::size_t k = 10; k < expected.size(); ++k) {  // not of the first link
      largest = std::max(largest, std::abs(found.base[k] - expected[k]));
    }
    return largest;
  };
  const Identification found = identified(model, base, weighed);
  EXPECT_NEAR(found.residual, 1, 0.05);
  EXPECT_LT(error(found), 0.2 * error(identified(model, base, recording.view())));
}

/// What cannot be identified is refused with the reason.
TEST(Identification, RefusesWhatItCannotDo) {
  const auto model = arm7();
  const BaseParameters base = base_parameters(model);
  const Recording recording(model, 0);
  const auto refusal = [&](auto change) -> std::string {
    Measurements measurements = recording.view();
    change(measurements);
    try {
      static_cast<void>(identified(model, base, measurements));
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal([](auto& m) { m.v = m.v.first(5); }),
            "identify: v has 5 elements, expected 7000");
  const Numbers still(7000, 0.0);
  EXPECT_NE(refusal([&](auto& m) {
              m.v = still;
              m.a = still;
            }).find("the motions do not excite all"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& m) {
              m.samples = 2;
              m.q = m.q.first(14);
              m.v = m.v.first(14);
              m.a = m.a.first(14);
              m.tau = m.tau.first(14);
            }).find("14 torques do not tell"),
            std::string::npos);
  Numbers bad = recording.tau;
  bad[3] = std::nan("");
  EXPECT_NE(refusal([&](auto& m) { m.tau = bad; }).find("tau has a number that is not finite"),
            std::string::npos);
  const Numbers zero(7, 0.0);
  EXPECT_NE(refusal([&](auto& m) { m.noise = zero; }).find("noise has a number"),
            std::string::npos);
  EXPECT_THROW(static_cast<void>(base_parameters(model, {.tolerance = 0})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(base.of(zero)), std::invalid_argument);
  const auto backend = make_backend("cpu");
  EXPECT_THROW(static_cast<void>(identify(*backend, base, recording.view())),
               std::invalid_argument);
}

}  // namespace
}  // namespace rbd_parallel_core
