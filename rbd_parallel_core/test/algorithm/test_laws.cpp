// SPDX-License-Identifier: Apache-2.0
//
// The laws of mechanics and of the mass matrix, on robots with every joint type, twisted in space,
// gravity parallel to no axis, and on a chain of 1000 bodies. Comparison with numbers from
// elsewhere is done by the conformance suite (test/backend) and against Pinocchio and MuJoCo
// (test/python).

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <functional>
#include <limits>

#include "algorithm/dynamics_rig.hpp"

namespace rbd_parallel_core {
namespace {

using conformance::Random;
using conformance::Robot;
using Vector = DynamicsRig::Vector;
using Matrix = DynamicsRig::Matrix;
using Axes = ExternalWrenches::Axes;

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr int states = 3;

/// A robot and a few states of it.
class Laws : public testing::TestWithParam<Robot> {
 protected:
  explicit Laws(bool friction = false) : rig_(GetParam(), friction) {}

  struct State {
    Vector q, v, a, tau;
  };
  State random_state() {
    const auto nv = static_cast<std::size_t>(rig_.nv());
    State state;
    state.q = DynamicsRig::vector(conformance::random_configuration(rig_.model(), random_));
    state.v = DynamicsRig::vector(random_.numbers(nv, 2));
    state.a = DynamicsRig::vector(random_.numbers(nv, 5));
    state.tau = DynamicsRig::vector(random_.numbers(nv, 10));
    return state;
  }
  template <class Law>
  void for_all_states(const Law& law) {
    for (int i = 0; i < states; ++i) law(random_state());
  }
  int last_link() const { return static_cast<int>(rig_.model().links().size()) - 1; }
  Vector zero() const { return Vector::Zero(rig_.nv()); }

  /// d/dt f at t = 0, of fourth order: exact to about 1e-11 of f.
  static double derivative(const std::function<double(double)>& f) {
    constexpr double h = 1e-3;
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
  }
  static double size(const Matrix& a) { return std::max(1.0, a.cwiseAbs().maxCoeff()); }
  static void expect_near(const Matrix& actual, const Matrix& expected, double tolerance,
                          double scale = 1) {
    EXPECT_LE((actual - expected).cwiseAbs().maxCoeff(),
              tolerance * std::max(scale, size(expected)));
  }

  DynamicsRig rig_;
  Random random_{3};
};

class LawsWithFriction : public Laws {
 protected:
  LawsWithFriction() : Laws(true) {}
};

std::vector<Robot> robots() {
  std::vector<Robot> all = conformance::small_robots();
  all.push_back(conformance::chain(1));
  all.push_back(conformance::chain(40));
  return all;
}

std::string name_of_robot(const testing::TestParamInfo<Robot>& robot) { return robot.param.name; }

INSTANTIATE_TEST_SUITE_P(Robots, Laws, testing::ValuesIn(robots()), name_of_robot);
INSTANTIATE_TEST_SUITE_P(Robots, LawsWithFriction,
                         testing::Values(conformance::mixed_tree(Base::fixed),
                                         conformance::mixed_tree(Base::floating),
                                         conformance::mimic_hand()),
                         name_of_robot);

// ---- the mass matrix
// ------------------------------------------------------------------------------------------------

TEST_P(Laws, MassMatrixIsSymmetricInEveryBit) {
  for_all_states([&](const State& x) {
    const Matrix M = rig_.mass_matrix(x.q);
    EXPECT_EQ(M, Matrix(M.transpose()));
  });
}

TEST_P(Laws, MassMatrixIsPositiveDefinite) {
  for_all_states([&](const State& x) {
    EXPECT_EQ(Eigen::LLT<Eigen::MatrixXd>(rig_.mass_matrix(x.q)).info(), Eigen::Success);
  });
}

TEST_P(Laws, ColumnOfMassMatrixIsInverseDynamicsOfAUnitAcceleration) {
  for_all_states([&](const State& x) {
    const Matrix M = rig_.mass_matrix(x.q);
    const Vector rest = rig_.inverse_dynamics(x.q, zero(), zero());
    for (int j = 0; j < rig_.nv(); ++j) {
      const Vector column = rig_.inverse_dynamics(x.q, zero(), Vector::Unit(rig_.nv(), j)) - rest;
      expect_near(M.col(j), column, 200 * eps, size(M) + size(rest));
    }
  });
}

TEST_P(Laws, InverseDynamicsIsLinearInTheAcceleration) {
  for_all_states([&](const State& x) {
    const Matrix M = rig_.mass_matrix(x.q);
    expect_near(rig_.inverse_dynamics(x.q, x.v, x.a), M * x.a + rig_.bias(x.q, x.v), 500 * eps,
                10 * size(M));
  });
}

TEST_P(Laws, FactorTransposedTimesFactorIsTheMassMatrix) {
  for_all_states([&](const State& x) {
    const Matrix L = rig_.cholesky(x.q);
    EXPECT_TRUE(L.isLowerTriangular(0));
    EXPECT_GT(L.diagonal().minCoeff(), 0);
    expect_near(L.transpose() * L, rig_.mass_matrix(x.q), 200 * eps);
  });
}

TEST_P(Laws, FactorAndMassMatrixAreZeroBetweenBranches) {
  if (rig_.model().has_mimic()) return;  // mimic joints couple branches
  const Model& model = rig_.model();
  const auto supports = [&](int ancestor, int body) {
    while (body > ancestor) body = model.joints()[static_cast<std::size_t>(body)].parent;
    return body == ancestor;
  };
  for_all_states([&](const State& x) {
    const Matrix L = rig_.cholesky(x.q), M = rig_.mass_matrix(x.q);
    for (int i = 0; i < rig_.nv(); ++i) {
      for (int j = 0; j < i; ++j) {
        if (supports(model.joint_of_dof(j), model.joint_of_dof(i))) continue;
        EXPECT_EQ(L(i, j), 0);
        EXPECT_EQ(M(i, j), 0);
      }
    }
  });
}

TEST_P(Laws, MassMatrixTimesItsInverseIsOne) {
  for_all_states([&](const State& x) {
    const Matrix M = rig_.mass_matrix(x.q), inverse = rig_.inverse(x.q);
    EXPECT_EQ(inverse, Matrix(inverse.transpose()));
    expect_near(M * inverse, Matrix::Identity(rig_.nv(), rig_.nv()), 100 * eps,
                size(M) * size(inverse));
  });
}

TEST_P(Laws, KineticEnergyIsThatOfTheMassMatrix) {
  for_all_states([&](const State& x) {
    const double energy = 0.5 * x.v.dot(rig_.mass_matrix(x.q) * x.v);
    EXPECT_NEAR(rig_.kinetic(x.q, x.v), energy, 200 * eps * std::max(1.0, energy));
  });
}

// ---- forward and inverse dynamics
// -----------------------------------------------------------------------------------

/// Both methods against a dense solve by Eigen, and inverse dynamics undoes them.
void expect_forward_dynamics(const DynamicsRig& rig, const Vector& q, const Vector& v,
                             const Vector& tau) {
  const Matrix M = rig.mass_matrix(q);
  const Vector expected = Eigen::LLT<Eigen::MatrixXd>(M).solve(tau - rig.bias(q, v));
  for (const ForwardMethod method :
       {ForwardMethod::automatic, ForwardMethod::aba, ForwardMethod::crba}) {
    if (method == ForwardMethod::aba && rig.model().has_mimic()) continue;
    const Vector qdd = rig.forward_dynamics(q, v, tau, method);
    const double scale = std::max(1.0, expected.cwiseAbs().maxCoeff());
    EXPECT_LE((qdd - expected).cwiseAbs().maxCoeff(), 1e-9 * scale);
    const double forces = std::max(tau.cwiseAbs().maxCoeff(), rig.bias(q, v).cwiseAbs().maxCoeff());
    EXPECT_LE((rig.inverse_dynamics(q, v, qdd) - tau).cwiseAbs().maxCoeff(), 1e-10 * forces);
  }
}

TEST_P(Laws, InverseDynamicsUndoesForwardDynamics) {
  for_all_states([&](const State& x) { expect_forward_dynamics(rig_, x.q, x.v, x.tau); });
}

TEST_P(LawsWithFriction, InverseDynamicsUndoesForwardDynamics) {
  for_all_states([&](const State& x) { expect_forward_dynamics(rig_, x.q, x.v, x.tau); });
}

TEST_P(Laws, CoriolisAndGravityMakeTheBias) {
  for_all_states([&](const State& x) {
    expect_near(rig_.coriolis(x.q, x.v) + rig_.gravity(x.q), rig_.bias(x.q, x.v), 200 * eps);
  });
}

TEST_P(Laws, CoriolisForcesAreQuadraticInTheVelocity) {
  for_all_states([&](const State& x) {
    expect_near(rig_.coriolis(x.q, -3 * x.v), 9 * rig_.coriolis(x.q, x.v), 200 * eps);
  });
}

/// Friction opposes the motion of every coordinate and is nothing at rest.
TEST_P(LawsWithFriction, FrictionTakesPower) {
  const DynamicsRig without(GetParam());
  for_all_states([&](const State& x) {
    const Vector friction = rig_.bias(x.q, x.v) - without.bias(x.q, x.v);
    EXPECT_GE((friction.array() * x.v.array()).minCoeff(), -1e-12);
    EXPECT_GT(friction.dot(x.v), 0);
    EXPECT_EQ(rig_.bias(x.q, zero()), without.bias(x.q, zero()));
    expect_near(rig_.coriolis(x.q, x.v), without.coriolis(x.q, x.v), 0);
    expect_near(rig_.gravity(x.q), without.gravity(x.q), 0);
  });
}

// ---- energies
// -------------------------------------------------------------------------------------------------------

TEST_P(Laws, GravityForcesAreTheDerivativeOfThePotentialEnergy) {
  for_all_states([&](const State& x) {
    const Vector g = rig_.gravity(x.q);
    for (int k = 0; k < std::min(rig_.nv(), 12); ++k) {
      const Vector unit = Vector::Unit(rig_.nv(), k);
      const double slope =
          derivative([&](double t) { return rig_.potential(rig_.integrate(x.q, unit, t)); });
      EXPECT_NEAR(slope, g[k], 1e-10 * std::max(std::abs(rig_.potential(x.q)), size(g)));
    }
  });
}

TEST_P(Laws, EnergyRateIsThePowerOfTheJoints) {
  for_all_states([&](const State& x) {
    const Vector qdd = rig_.forward_dynamics(x.q, x.v, x.tau);
    const auto energy = [&](double t) {
      const Vector q = rig_.integrate(x.q, x.v, t);
      return rig_.kinetic(q, x.v + t * qdd) + rig_.potential(q);
    };
    // The motion bends away from the states above within h by its curvature; keep that in the
    // tolerance.
    const double scale =
        std::abs(energy(0)) + std::abs(x.v.dot(x.tau)) + x.v.squaredNorm() * size(qdd);
    EXPECT_NEAR(derivative(energy), x.v.dot(x.tau), 1e-8 * scale);
  });
}

TEST_P(LawsWithFriction, EnergyRateIsThePowerOfTheJointsLessFriction) {
  const DynamicsRig without(GetParam());
  for_all_states([&](const State& x) {
    const Vector qdd = rig_.forward_dynamics(x.q, x.v, x.tau);
    const Vector friction = rig_.bias(x.q, x.v) - without.bias(x.q, x.v);
    const auto energy = [&](double t) {
      const Vector q = rig_.integrate(x.q, x.v, t);
      return rig_.kinetic(q, x.v + t * qdd) + rig_.potential(q);
    };
    const double scale = std::abs(energy(0)) + x.v.squaredNorm() * size(qdd);
    EXPECT_NEAR(derivative(energy), x.v.dot(x.tau - friction), 1e-8 * scale);
  });
}

TEST_P(Laws, PotentialEnergyIsThatOfTheCentreOfMass) {
  const Vec3<double> g = rig_.model().gravity();
  for_all_states([&](const State& x) {
    const double expected =
        -rig_.model().total_mass() * Eigen::Vector3d(g.x, g.y, g.z).dot(rig_.com(x.q));
    EXPECT_NEAR(rig_.potential(x.q), expected, 200 * eps * std::max(1.0, std::abs(expected)));
  });
}

// ---- links
// ----------------------------------------------------------------------------------------------------------

Eigen::Matrix3d rotation(const Vector& pose) {
  const Mat3<double> R = conformance::detail::quaternion_matrix(pose.data() + 3);
  return (Eigen::Matrix3d() << R.x.x, R.x.y, R.x.z, R.y.x, R.y.y, R.y.z, R.z.x, R.z.y, R.z.z)
      .finished();
}

/// J v is the rate of the pose: of the origin, and w with d/dt R = w x R.
TEST_P(Laws, JacobianTimesVelocityIsTheRateOfThePose) {
  for_all_states([&](const State& x) {
    for (const int link : {last_link(), last_link() / 2}) {
      const Vector twist = rig_.jacobian(x.q, link) * x.v;
      const double scale = size(twist) + size(rig_.pose(x.q, link));
      for (int k = 0; k < 3; ++k) {
        const double rate =
            derivative([&](double t) { return rig_.pose(rig_.integrate(x.q, x.v, t), link)[k]; });
        EXPECT_NEAR(rate, twist[k], 1e-8 * scale);
        const Eigen::Vector3d axis = rotation(rig_.pose(x.q, link)).col(k);
        const Eigen::Vector3d turned = Eigen::Vector3d(twist.tail<3>()).cross(axis);
        for (int i = 0; i < 3; ++i) {
          const double turn = derivative([&](double t) {
            return rotation(rig_.pose(rig_.integrate(x.q, x.v, t), link))(i, k);
          });
          EXPECT_NEAR(turn, turned[i], 1e-8 * scale);
        }
      }
    }
  });
}

TEST_P(Laws, JacobianInLinkAxesIsTheTurnedOne) {
  for_all_states([&](const State& x) {
    const Eigen::Matrix3d R = rotation(rig_.pose(x.q, last_link()));
    const Matrix world = rig_.jacobian(x.q, last_link(), Axes::world);
    const Matrix link = rig_.jacobian(x.q, last_link(), Axes::link);
    expect_near(R * link.topRows<3>(), world.topRows<3>(), 100 * eps);
    expect_near(R * link.bottomRows<3>(), world.bottomRows<3>(), 100 * eps);
  });
}

/// tau without a wrench less tau with it is J^T wrench, so its power is that of the wrench on the
/// link's twist.
TEST_P(Laws, AWrenchActsThroughTheJacobian) {
  const int link = last_link();
  for_all_states([&](const State& x) {
    const Vector wrench = DynamicsRig::vector(random_.numbers(6, 20));
    for (const Axes axes : {Axes::world, Axes::link}) {
      const ExternalWrenches f_ext{{&link, 1}, {wrench.data(), 6}, axes};
      const Vector free = rig_.inverse_dynamics(x.q, x.v, x.a);
      const Vector loaded = rig_.inverse_dynamics(x.q, x.v, x.a, f_ext);
      const Matrix J = rig_.jacobian(x.q, link, axes);
      expect_near(free - loaded, J.transpose() * wrench, 500 * eps, size(free));
      EXPECT_NEAR(x.v.dot(free - loaded), (J * x.v).dot(wrench), 1e4 * eps * size(free));

      const Vector qdd = rig_.forward_dynamics(x.q, x.v, x.tau, ForwardMethod::automatic, f_ext);
      expect_near(rig_.inverse_dynamics(x.q, x.v, qdd, f_ext), x.tau, 1e-10,
                  size(free) + size(loaded));
    }
  });
}

TEST_P(Laws, AWrenchInLinkAxesEqualsTheTurnedOneInWorldAxes) {
  const int link = last_link();
  for_all_states([&](const State& x) {
    const Vector wrench = DynamicsRig::vector(random_.numbers(6, 20));
    const Eigen::Matrix3d R = rotation(rig_.pose(x.q, link));
    Vector turned(6);
    turned << R * wrench.head<3>(), R * wrench.tail<3>();
    const Vector in_link =
        rig_.inverse_dynamics(x.q, x.v, x.a, {{&link, 1}, {wrench.data(), 6}, Axes::link});
    const Vector in_world =
        rig_.inverse_dynamics(x.q, x.v, x.a, {{&link, 1}, {turned.data(), 6}, Axes::world});
    expect_near(in_link, in_world, 500 * eps);
  });
}

/// Links of the description, each with its own centre of mass, wherever joints have been lumped.
TEST_P(Laws, CentreOfMassIsThatOfTheLinks) {
  for_all_states([&](const State& x) {
    Eigen::Vector3d moment = Eigen::Vector3d::Zero();
    double mass = 0;
    for (const LinkDescription& link : GetParam().description.links) {
      if (!link.inertial) continue;
      const Vector pose = rig_.pose(x.q, *rig_.model().find_link(link.name));
      const Vec3<double>& c = link.inertial->origin.position;
      moment +=
          link.inertial->mass * (pose.head<3>() + rotation(pose) * Eigen::Vector3d(c.x, c.y, c.z));
      mass += link.inertial->mass;
    }
    EXPECT_NEAR(rig_.model().total_mass(), mass, 100 * eps * mass);
    expect_near(rig_.com(x.q), moment / mass, 100 * eps, size(moment));
  });
}

// ---- floating bases
// -------------------------------------------------------------------------------------------------

class FloatingBase : public testing::Test {
 protected:
  static Robot weightless() {
    Robot robot = conformance::mixed_tree(Base::floating);
    robot.options.gravity = Vec3<double>::zero();
    for (JointDescription& joint : robot.description.joints) joint.armature = 0;
    return robot;
  }
  /// q with the whole robot turned by the unit quaternion t and shifted by s.
  static Vector moved(const Vector& q, const Eigen::Quaterniond& t, const Eigen::Vector3d& s) {
    Vector result = q;
    result.head<3>() = t * q.head<3>() + s;
    const Eigen::Quaterniond turned = t * Eigen::Quaterniond(q[6], q[3], q[4], q[5]);
    result.segment<4>(3) = turned.coeffs();
    return result;
  }

  DynamicsRig rig_{weightless()};
  Random random_{5};
};

TEST_F(FloatingBase, WithoutGravityPlaceAndOrientationDoNotMatter) {
  const auto nv = static_cast<std::size_t>(rig_.nv());
  const Vector q = DynamicsRig::vector(conformance::random_configuration(rig_.model(), random_));
  const Vector v = DynamicsRig::vector(random_.numbers(nv, 2)),
               a = DynamicsRig::vector(random_.numbers(nv, 5));
  const Eigen::Quaterniond turn = Eigen::Quaterniond(0.3, -0.5, 0.7, 0.2).normalized();
  const Vector elsewhere = moved(q, turn, {3, -20, 100});
  const Vector tau = rig_.inverse_dynamics(q, v, a);
  const double scale = tau.cwiseAbs().maxCoeff();
  EXPECT_LE((rig_.inverse_dynamics(elsewhere, v, a) - tau).cwiseAbs().maxCoeff(),
            100 * eps * scale);
  EXPECT_LE((rig_.mass_matrix(elsewhere) - rig_.mass_matrix(q)).cwiseAbs().maxCoeff(),
            100 * eps * scale);
  EXPECT_NEAR(rig_.kinetic(elsewhere, v), rig_.kinetic(q, v), 100 * eps * scale);
  const Vector qdd = rig_.forward_dynamics(q, v, tau);
  EXPECT_LE((rig_.forward_dynamics(elsewhere, v, tau) - qdd).cwiseAbs().maxCoeff(), 1e-11 * scale);
}

/// Nothing outside acts on it: the force on the base is the rate of the momentum, which M's first
/// rows give.
TEST_F(FloatingBase, WithoutForcesMomentumIsConserved) {
  const auto nv = static_cast<std::size_t>(rig_.nv());
  const Vector q = DynamicsRig::vector(conformance::random_configuration(rig_.model(), random_));
  const Vector v = DynamicsRig::vector(random_.numbers(nv, 1));
  Vector tau = DynamicsRig::vector(random_.numbers(nv, 10));
  tau.head<6>().setZero();  // motors act between links only
  const Vector qdd = rig_.forward_dynamics(q, v, tau);
  /// Linear and angular momentum about the world's origin at the time t.
  const auto momentum = [&](double t) {
    const Vector q_t = rig_.integrate(q, v, t);
    const Vector in_base = rig_.mass_matrix(q_t).topRows<6>() * (v + t * qdd);
    const Eigen::Matrix3d R = rotation(rig_.pose(q_t, 0));
    Vector result(6);
    result.head<3>() = R * in_base.head<3>();
    result.tail<3>() = R * in_base.tail<3>() +
                       Eigen::Vector3d(q_t.head<3>()).cross(Eigen::Vector3d(result.head<3>()));
    return result;
  };
  const double h = 1e-3, scale = momentum(0).cwiseAbs().maxCoeff() + qdd.cwiseAbs().maxCoeff();
  const Vector rate =
      (8 * (momentum(h) - momentum(-h)) - (momentum(2 * h) - momentum(-2 * h))) / (12 * h);
  EXPECT_LE(rate.cwiseAbs().maxCoeff(), 1e-8 * scale);
}

TEST_F(FloatingBase, FallsFreely) {
  Robot robot = conformance::mixed_tree(Base::floating);
  const DynamicsRig rig(robot);
  const Vector q = DynamicsRig::vector(conformance::random_configuration(rig.model(), random_));
  const Vector zero = Vector::Zero(rig.nv());
  const Vector qdd = rig.forward_dynamics(q, zero, zero);
  const Vec3<double>& g = robot.options.gravity;
  const Eigen::Vector3d expected =
      rotation(rig.pose(q, 0)).transpose() * Eigen::Vector3d(g.x, g.y, g.z);
  EXPECT_LE((qdd.head<3>() - expected).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LE(qdd.tail(rig.nv() - 3).cwiseAbs().maxCoeff(), 1e-11);
}

// ---- long chains
// ----------------------------------------------------------------------------------------------------

class LongChain : public testing::Test {
 protected:
  static constexpr int n = 1000;
  DynamicsRig rig_{conformance::chain(n)};
  Random random_{9};
  Vector q_ = DynamicsRig::vector(random_.numbers(n, 3)),
         v_ = DynamicsRig::vector(random_.numbers(n, 1));
  Vector tau_ = DynamicsRig::vector(random_.numbers(n, 10));
};

TEST_F(LongChain, ColumnOfMassMatrixIsInverseDynamicsOfAUnitAcceleration) {
  const Matrix M = rig_.mass_matrix(q_);
  EXPECT_EQ(M, Matrix(M.transpose()));
  const Vector rest = rig_.inverse_dynamics(q_, Vector::Zero(n), Vector::Zero(n));
  for (const int j : {0, 1, 499, 998, 999}) {
    const Vector column = rig_.inverse_dynamics(q_, Vector::Zero(n), Vector::Unit(n, j)) - rest;
    const double scale = std::max(M.cwiseAbs().maxCoeff(), rest.cwiseAbs().maxCoeff());
    EXPECT_LE((M.col(j) - column).cwiseAbs().maxCoeff(), 1e-13 * scale);
  }
}

TEST_F(LongChain, InverseDynamicsUndoesForwardDynamics) {
  for (const ForwardMethod method : {ForwardMethod::aba, ForwardMethod::crba}) {
    const Vector qdd = rig_.forward_dynamics(q_, v_, tau_, method);
    // What inverse dynamics adds up is far larger than what remains: judge by that.
    const double scale = rig_.bias(q_, v_).cwiseAbs().maxCoeff();
    EXPECT_LE((rig_.inverse_dynamics(q_, v_, qdd) - tau_).cwiseAbs().maxCoeff(), 1e-9 * scale);
  }
}

TEST_F(LongChain, CoriolisAndGravityMakeTheBias) {
  const Vector bias = rig_.bias(q_, v_), sum = rig_.coriolis(q_, v_) + rig_.gravity(q_);
  EXPECT_LE((sum - bias).cwiseAbs().maxCoeff(), 1e-13 * bias.cwiseAbs().maxCoeff());
}

}  // namespace
}  // namespace rbd_parallel_core
