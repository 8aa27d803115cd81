// SPDX-License-Identifier: Apache-2.0
//
// integrate, difference and random_configurations: the laws of moving between configurations on
// robots with every joint type, and against the exponential of a matrix. test_laws.cpp has the law
// that the derivative of integrate is what the Jacobians say, test_configuration.py compares with
// Pinocchio.

#include "rbd_parallel_core/model/configuration.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <unsupported/Eigen/MatrixFunctions>
#include <vector>

#include "rbd_parallel_core/testing/robots.hpp"

namespace rbd_parallel_core {
namespace {

using Numbers = std::vector<double>;

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double pi = 3.14159265358979323846;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Numbers moved(const Model& model, const Numbers& q, const Numbers& v, double dt = 1) {
  Numbers next(q.size());
  const Result result = integrate<double>(model, {.q = q, .v = v, .dt = dt, .next = next});
  EXPECT_TRUE(result.ok()) << message(result);
  return next;
}

Numbers step_between(const Model& model, const Numbers& q0, const Numbers& q1) {
  Numbers v(static_cast<std::size_t>(model.nv()));
  const Result result = difference<double>(model, {.q0 = q0, .q1 = q1, .v = v});
  EXPECT_TRUE(result.ok()) << message(result);
  return v;
}

void expect_near(const Numbers& actual, const Numbers& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t k = 0; k < actual.size(); ++k) {
    EXPECT_NEAR(actual[k], expected[k], tolerance) << "number " << k;
  }
}

/// Of the two signs of each quaternion that which is nearer to `like`; whole turns of angles that
/// come round again are taken out.
Numbers comparable(const Model& model, Numbers q, const Numbers& like) {
  conformance::for_each_quaternion(model, [&](std::size_t first) {
    double product = 0;
    for (std::size_t k = first; k < first + 4; ++k) product += q[k] * like[k];
    for (std::size_t k = first; k < first + 4; ++k) q[k] *= product < 0 ? -1 : 1;
  });
  for (const Joint& joint : model.joints()) {
    const bool planar = joint.kind == JointKind::planar;
    if (!planar && !joint.periodic) continue;
    const auto k = static_cast<std::size_t>(joint.q_index + (planar ? 2 : 0));
    q[k] = like[k] + std::remainder(q[k] - like[k], 2 * pi);
  }
  return q;
}

class Configurations : public ::testing::TestWithParam<conformance::Robot> {
 protected:
  Model model_ = GetParam().model();
  conformance::Random random_{17};

  std::size_t nv() const { return static_cast<std::size_t>(model_.nv()); }
  Numbers configuration() { return conformance::random_configuration(model_, random_); }
};

TEST_P(Configurations, DifferenceTakesBackWhatIntegrateDid) {
  for (const double size : {1e-12, 1e-4, 0.1, 1.0, 1.8}) {  // sqrt(3) 1.8 < pi: the shorter way
    const Numbers q = configuration(), v = random_.numbers(nv(), size);
    expect_near(step_between(model_, q, moved(model_, q, v)), v, 40 * eps);
  }
}

TEST_P(Configurations, IntegrateArrivesWhereDifferenceLeads) {
  for (int i = 0; i < 10; ++i) {
    const Numbers from = configuration(), to = configuration();
    const Numbers v = step_between(model_, from, to);
    expect_near(comparable(model_, moved(model_, from, v), to), to, 60 * eps);
    for (const Joint& joint : model_.joints()) {
      double turn = 0;
      if (joint.kind == JointKind::spherical || joint.kind == JointKind::floating) {
        for (int k = joint.nv - 3; k < joint.nv; ++k) {
          turn = std::hypot(turn, v[static_cast<std::size_t>(joint.v_index + k)]);
        }
      }
      EXPECT_LE(turn, pi + 4 * eps) << joint.name;
    }
  }
}

TEST_P(Configurations, StepsOfOneVelocityCompose) {
  const Numbers q = configuration(), v = random_.numbers(nv(), 2);
  const Numbers there = moved(model_, moved(model_, q, v, 0.3), v, 1.4);
  expect_near(comparable(model_, there, moved(model_, q, v, 1.7)), moved(model_, q, v, 1.7),
              40 * eps);
  expect_near(comparable(model_, moved(model_, moved(model_, q, v, 0.8), v, -0.8), q), q, 40 * eps);
}

TEST_P(Configurations, NoTimeOrNoVelocityOrNoDifferenceIsNoStep) {
  const Numbers q = configuration(), v = random_.numbers(nv(), 2), none(nv(), 0.0);
  expect_near(moved(model_, q, v, 0), q, 4 * eps);
  expect_near(moved(model_, q, none), q, 4 * eps);
  expect_near(step_between(model_, q, q), none, 4 * eps);
}

TEST_P(Configurations, QuaternionsHaveLengthOneAndMayComeInAnyLength) {
  Numbers q = configuration();
  const Numbers v = random_.numbers(nv(), 2), expected = moved(model_, q, v);
  conformance::for_each_quaternion(model_, [&](std::size_t first) {
    double norm2 = 0;
    for (std::size_t k = first; k < first + 4; ++k) {
      norm2 += expected[k] * expected[k];
      q[k] *= -7;
    }
    EXPECT_NEAR(norm2, 1, 4 * eps);
  });
  const Numbers there = moved(model_, q, v);
  expect_near(comparable(model_, there, expected), expected, 8 * eps);
  expect_near(step_between(model_, q, there), step_between(model_, q, expected), 40 * eps);
}

TEST_P(Configurations, ABatchIsItsStatesAndABadOneSpoilsNoOther) {
  const std::size_t nq = static_cast<std::size_t>(model_.nq()), batch = 3;
  Numbers q, v;
  for (std::size_t s = 0; s < batch; ++s) {
    for (const double x : configuration()) q.push_back(x);
    for (const double x : random_.numbers(nv(), 1)) v.push_back(x);
  }
  const auto part = [](const Numbers& a, std::size_t s, std::size_t n) {
    return Numbers(a.begin() + static_cast<std::ptrdiff_t>(s * n),
                   a.begin() + static_cast<std::ptrdiff_t>((s + 1) * n));
  };
  for (const double bad : {0.0, nan, infinity}) {  // 0: none is bad
    Numbers q_bad = q;
    if (bad != 0) q_bad[nq] = bad;
    Numbers next(q.size()), back(v.size());
    std::vector<StateStatus> status(batch), back_status(batch);
    EXPECT_TRUE(integrate<double>(model_, {batch, q_bad, v, 0.5, next, status}).ok());
    EXPECT_TRUE(difference<double>(model_, {batch, q, next, back, back_status}).ok());
    for (std::size_t s = 0; s < batch; ++s) {
      const bool is_bad = bad != 0 && s == 1;
      EXPECT_EQ(status[s].code == StateStatus::Code::not_finite, is_bad) << bad;
      EXPECT_EQ(back_status[s], status[s]);
      if (is_bad) {
        for (const double x : part(next, s, nq)) EXPECT_TRUE(std::isnan(x));
        for (const double x : part(back, s, nv())) EXPECT_TRUE(std::isnan(x));
      } else {
        EXPECT_EQ(part(next, s, nq), moved(model_, part(q, s, nq), part(v, s, nv()), 0.5));
        EXPECT_EQ(part(back, s, nv()), step_between(model_, part(q, s, nq), part(next, s, nq)));
      }
    }
  }
  Numbers in_place = q;
  EXPECT_TRUE(integrate<double>(model_, {batch, in_place, v, 0.5, in_place}).ok());
  for (std::size_t s = 0; s < batch; ++s) {
    EXPECT_EQ(part(in_place, s, nq), moved(model_, part(q, s, nq), part(v, s, nv()), 0.5));
  }
}

TEST_P(Configurations, FloatsAgreeWithDoubles) {
  const Numbers q = configuration(), v = random_.numbers(nv(), 1);
  const std::vector<float> q_float(q.begin(), q.end()), v_float(v.begin(), v.end());
  std::vector<float> next(q.size()), back(v.size());
  EXPECT_TRUE(integrate<float>(model_, {.q = q_float, .v = v_float, .dt = 1, .next = next}).ok());
  EXPECT_TRUE(difference<float>(model_, {.q0 = q_float, .q1 = next, .v = back}).ok());
  expect_near({next.begin(), next.end()}, moved(model_, q, v), 4e-6);
  expect_near({back.begin(), back.end()}, v, 4e-6);
}

INSTANTIATE_TEST_SUITE_P(Robots, Configurations, ::testing::ValuesIn(conformance::small_robots()),
                         [](const auto& instance) { return instance.param.name; });

// ---- the maps themselves ------------------------------------------------------------------------

using Matrix4 = Eigen::Matrix<long double, 4, 4>;

/// The exponential of the twist as a matrix, in more digits.
Matrix4 matrix_exponential(const Numbers& v) {
  Matrix4 twist = Matrix4::Zero();
  twist << 0, -v[5], v[4], v[0], v[5], 0, -v[3], v[1], -v[4], v[3], 0, v[2], 0, 0, 0, 0;
  return twist.exp();
}

/// Angles from nothing to a half turn, where a formula hands over to the next one too.
const double angles[] = {0,    1e-310, 1e-200, 1e-160, 1e-20,     1e-9,      1e-5,
                         1e-3, 0.1,    0.2499, 0.4,    0.4999,    0.5001,    0.7,
                         1,    2,      3,      3.14,   pi - 1e-5, pi - 1e-9, pi - 1e-15};

TEST(Exponential, OfATwistIsThatOfItsMatrix) {
  const Model model = conformance::single_joint(JointKind::floating).model();
  conformance::Random random(5);
  const Numbers start = model.neutral();
  for (const double angle : angles) {
    const Vec3<double> axis = random.direction(), linear = random.vector(1);
    const Numbers v{linear.x, linear.y, linear.z, angle * axis.x, angle * axis.y, angle * axis.z};
    const Numbers next = moved(model, start, v);
    const Matrix4 expected = matrix_exponential(v);
    const Mat3<double> R = conformance::detail::quaternion_matrix(next.data() + 3);
    const Vec3<double> rows[] = {R.x, R.y, R.z};
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(next[static_cast<std::size_t>(i)], static_cast<double>(expected(i, 3)), 4 * eps);
      EXPECT_NEAR(rows[i].x, static_cast<double>(expected(i, 0)), 6 * eps) << angle;
      EXPECT_NEAR(rows[i].y, static_cast<double>(expected(i, 1)), 6 * eps) << angle;
      EXPECT_NEAR(rows[i].z, static_cast<double>(expected(i, 2)), 6 * eps) << angle;
    }
    expect_near(step_between(model, start, next), v, 16 * eps);
  }
}

/// Small turns keep all their digits, not only those after the point.
TEST(Exponential, OfASmallTurnKeepsItsDigits) {
  const Model model = conformance::single_joint(JointKind::spherical).model();
  for (const double angle : {1e-310, 1e-200, 1e-160, 1e-20, 1e-9, 1e-3}) {
    const Numbers v{0.6 * angle, 0, -0.8 * angle};
    expect_near(step_between(model, model.neutral(), moved(model, model.neutral(), v)), v,
                std::max(4 * eps * angle, std::numeric_limits<double>::denorm_min()));
  }
}

TEST(Exponential, TheShorterWayIsTakenAroundAHalfTurn) {
  const Model model = conformance::single_joint(JointKind::spherical).model();
  for (const double angle :
       {pi - 1e-3, pi - 1e-12, pi + 1e-12, pi + 1e-3, 1.5 * pi, 3 * pi - 0.1}) {
    const Numbers v{0, angle, 0};
    const double expected = std::remainder(angle, 2 * pi);
    expect_near(step_between(model, model.neutral(), moved(model, model.neutral(), v)),
                {0, expected, 0}, 8 * eps);
  }
}

TEST(Exponential, AngleInTheFirstQuadrantIsTheArctangent) {
  conformance::Random random(3);
  for (int i = 0; i < 20000; ++i) {
    const double x = std::pow(10, random.uniform(-12, 2)), y = std::pow(10, random.uniform(-12, 2));
    const double expected = std::atan2(y, x);
    ASSERT_NEAR(angle_in_first_quadrant(y, x), expected, 3 * eps * expected) << y << " " << x;
    const auto x_float = static_cast<float>(x), y_float = static_cast<float>(y);
    const float expected_float = std::atan2(y_float, x_float);
    ASSERT_NEAR(angle_in_first_quadrant(y_float, x_float), expected_float, 5e-7f * expected_float);
  }
  EXPECT_EQ(angle_in_first_quadrant(0.0, 1.0), 0);
  EXPECT_EQ(angle_in_first_quadrant(1.0, 0.0), pi / 2);
  EXPECT_EQ(angle_in_first_quadrant(2.0, 2.0), pi / 4);
}

TEST(Exponential, ShortestTurnLeavesOutWholeTurns) {
  for (const double angle : {0.0, 1e-300, -1.0, 3.1, -pi, pi}) {
    EXPECT_EQ(shortest_turn(angle), angle);
    for (const int turns : {-1000, -2, 1, 3, 100000}) {
      const double shifted = angle + turns * 2 * pi;
      EXPECT_NEAR(std::remainder(shortest_turn(shifted) - angle, 2 * pi), 0,
                  eps * (4 + std::abs(shifted)));
      EXPECT_LE(std::abs(shortest_turn(shifted)), pi + eps * (4 + std::abs(shifted)));
    }
  }
}

// ---- which joints come round again --------------------------------------------------------------

conformance::Robot one_joint_and_a_follower(JointKind kind, double multiplier) {
  conformance::RobotBuilder builder("leader_and_follower", 71);
  builder.add("a", kind);
  if (multiplier != 0) builder.add("b", JointKind::revolute).mimic = Mimic{"a", multiplier, 0.2};
  return builder.robot();
}

TEST(Difference, WholeTurnsCountWhereTheyLeadElsewhere) {
  const Numbers from{3}, to{-3};
  for (const JointKind kind : {JointKind::revolute, JointKind::prismatic, JointKind::helical}) {
    EXPECT_EQ(step_between(conformance::single_joint(kind).model(), from, to), Numbers{-6});
  }
  const Model continuous = conformance::single_joint(JointKind::continuous).model();
  EXPECT_NEAR(step_between(continuous, from, to)[0], 2 * pi - 6, 4 * eps);
  EXPECT_NEAR(step_between(continuous, {100 * pi + 0.25}, {0.5})[0], 0.25, 100 * eps);

  conformance::Robot robot = one_joint_and_a_follower(JointKind::continuous, 0.5);
  EXPECT_EQ(step_between(robot.model(), from, to), Numbers{-6});
  robot.options.mimic = MimicPolicy::independent;
  expect_near(step_between(robot.model(), {3, 3}, {-3, -3}), {2 * pi - 6, -6}, 4 * eps);
}

TEST(Difference, APlanarJointGoesAlongAnArc) {
  const Model model = conformance::single_joint(JointKind::planar).model();
  // A quarter of a circle of radius 2, driven forward: it starts along x at the origin.
  expect_near(moved(model, {0, 0, 0}, {pi, 0, pi / 2}), {2, 2, pi / 2}, 4 * eps);
  expect_near(moved(model, {0, 0, pi / 2}, {pi, 0, pi / 2}), {-2, 2, pi}, 4 * eps);
  expect_near(step_between(model, {0, 0, 0}, {2, 2, pi / 2 - 2 * pi}), {pi, 0, pi / 2}, 8 * eps);
}

// ---- what is refused ----------------------------------------------------------------------------

TEST(Integrate, RefusesArraysOfOtherSizesByName) {
  const Model model = conformance::single_joint(JointKind::floating).model();
  Numbers q = model.neutral(), v(6), next(7), few(3);
  std::vector<StateStatus> status(2);
  const auto text = [&](const Integration& args) { return message(integrate(model, args)); };
  EXPECT_EQ(text({.q = few, .v = v, .next = next}), "q has 3 elements, expected 7");
  EXPECT_EQ(text({.q = q, .v = {}, .next = next}), "v is not given; it needs 6 elements");
  EXPECT_EQ(text({.q = q, .v = v, .next = few}), "next has 3 elements, expected 7");
  EXPECT_EQ(text({.batch = 2, .q = q, .v = v, .next = next}), "q has 7 elements, expected 14");
  EXPECT_EQ(text({.q = q, .v = v, .next = next, .status = status}),
            "status has 2 elements, expected 1");
  EXPECT_FALSE(
      integrate<double>(model, {.batch = std::size_t(1) << 63, .q = q, .v = v, .next = next}).ok());
  const auto other = [&](const Difference& args) { return message(difference(model, args)); };
  EXPECT_EQ(other({.q0 = few, .q1 = q, .v = v}), "q0 has 3 elements, expected 7");
  EXPECT_EQ(other({.q0 = q, .q1 = few, .v = v}), "q1 has 3 elements, expected 7");
  EXPECT_EQ(other({.q0 = q, .q1 = q}), "v is not given; it needs 6 elements");
}

TEST(Integrate, AQuaternionWithoutARotationIsNotFinite) {
  for (const JointKind kind : {JointKind::spherical, JointKind::floating}) {
    const Model model = conformance::single_joint(kind).model();
    for (const double length : {0.0, 1e-200, 1e200}) {
      Numbers q = model.neutral(), v(static_cast<std::size_t>(model.nv())), next(q.size());
      q.back() = length;
      StateStatus status;
      EXPECT_TRUE(
          integrate<double>(model, {.q = q, .v = v, .next = next, .status = {&status, 1}}).ok());
      EXPECT_EQ(status.code, StateStatus::Code::not_finite) << length;
      EXPECT_TRUE(std::isnan(next[0]));
      EXPECT_TRUE(difference<double>(
                      model, {.q0 = model.neutral(), .q1 = q, .v = v, .status = {&status, 1}})
                      .ok());
      EXPECT_EQ(status.code, StateStatus::Code::not_finite) << length;
    }
  }
}

// ---- random configurations ----------------------------------------------------------------------

Numbers drawn(const Model& model, std::uint64_t seed, std::size_t batch) {
  Numbers q(batch * static_cast<std::size_t>(model.nq()));
  random_configurations(model, seed, q);
  return q;
}

TEST(RandomConfigurations, AreGivenByTheSeed) {
  const Model model = conformance::mixed_tree(Base::floating).model();
  const Numbers many = drawn(model, 4, 5), one = drawn(model, 4, 1);
  EXPECT_EQ(many, drawn(model, 4, 5));
  EXPECT_EQ(Numbers(many.begin(), many.begin() + model.nq()), one);
  EXPECT_NE(one, drawn(model, 5, 1));
  EXPECT_NE(Numbers(many.end() - model.nq(), many.end()), one);
}

/// The extremes of coordinate k over many states.
void expect_range(const Model& model, int k, double low, double high) {
  const Numbers q = drawn(model, 1, 2000);
  double smallest = infinity, greatest = -infinity;
  for (std::size_t at = static_cast<std::size_t>(k); at < q.size();
       at += static_cast<std::size_t>(model.nq())) {
    smallest = std::min(smallest, q[at]);
    greatest = std::max(greatest, q[at]);
  }
  const double width = high - low;
  EXPECT_GE(smallest, low);
  EXPECT_LE(smallest, low + 0.01 * width);
  EXPECT_LE(greatest, high);
  EXPECT_GE(greatest, high - 0.01 * width);
}

TEST(RandomConfigurations, StayWithinLimitsAndFillThem) {
  const auto with_limits = [](JointKind kind, double lower, double upper) {
    conformance::Robot robot = conformance::single_joint(kind);
    robot.description.joints[0].limits = JointLimits{lower, upper, 1, 1};
    return robot.model();
  };
  expect_range(with_limits(JointKind::revolute, 0.5, 0.7), 0, 0.5, 0.7);
  expect_range(with_limits(JointKind::revolute, 0.7, 0.5), 0, 0.5, 0.7);
  expect_range(with_limits(JointKind::prismatic, -infinity, 5), 0, 3, 5);
  expect_range(with_limits(JointKind::prismatic, 5, infinity), 0, 5, 7);
  expect_range(with_limits(JointKind::helical, -infinity, infinity), 0, -pi, pi);
  expect_range(with_limits(JointKind::revolute, 0, 0), 0, 0, 0);
  expect_range(with_limits(JointKind::continuous, 0.5, 0.7), 0, -pi, pi);
  expect_range(conformance::single_joint(JointKind::prismatic).model(), 0, -1, 1);
  const Model planar = conformance::single_joint(JointKind::planar).model();
  expect_range(planar, 1, -1, 1);
  expect_range(planar, 2, -pi, pi);
  expect_range(conformance::single_joint(JointKind::floating).model(), 2, -1, 1);
}

TEST(RandomConfigurations, KeepFollowersWithinTheirLimitsWhereThatCanBe) {
  conformance::Robot robot = one_joint_and_a_follower(JointKind::revolute, -2);
  robot.description.joints[1].limits = JointLimits{-0.8, 1.2, 1, 1};  // of -2 q + 0.2
  expect_range(robot.model(), 0, -0.5, 0.5);
  robot.description.joints[0].limits = JointLimits{2, 3, 1, 1};
  expect_range(robot.model(), 0, 2, 3);
}

/// Each of the four squares of a uniform unit quaternion is 1/4 on average.
TEST(RandomConfigurations, OrientationsAreAllAlike) {
  const Model model = conformance::single_joint(JointKind::spherical).model();
  const std::size_t batch = 20000;
  const Numbers q = drawn(model, 2, batch);
  double mean[4] = {}, mean_square[4] = {};
  for (std::size_t i = 0; i < q.size(); ++i) {
    mean[i % 4] += q[i] / static_cast<double>(batch);
    mean_square[i % 4] += q[i] * q[i] / static_cast<double>(batch);
  }
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(mean[k], 0, 0.02);  // five standard deviations
    EXPECT_NEAR(mean_square[k], 0.25, 0.01);
  }
}

TEST(RandomConfigurations, RefuseAPartOfAState) {
  const Model model = conformance::single_joint(JointKind::floating).model();
  Numbers q(8);
  try {
    random_configurations(model, 0, q);
    FAIL() << "expected an exception";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "random_configurations: q has 8 elements, expected a multiple of nq, which is 7");
  }
  EXPECT_NO_THROW(random_configurations(conformance::rock().model(), 0, {}));
}

}  // namespace
}  // namespace rbd_parallel_core
