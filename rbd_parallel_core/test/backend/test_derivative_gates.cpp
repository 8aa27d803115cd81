// SPDX-License-Identifier: Apache-2.0
//
// Positive controls of the checks of derivatives: each offender is wrong in a way in which an
// implementation of them easily is.

#include <algorithm>
#include <utility>

#include "offenders.hpp"

namespace rbd_parallel_core {
namespace {

std::size_t nv_of(const Backend& backend) { return static_cast<std::size_t>(backend.model().nv()); }

void transpose(std::span<double> matrices, std::size_t n) {
  for (std::size_t first = 0; first < matrices.size(); first += n * n) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        std::swap(matrices[first + i * n + j], matrices[first + j * n + i]);
      }
    }
  }
}

/// Columns in the place of rows.
class TransposedDerivatives : public OffendsIn<Operation::inverse_dynamics_derivatives> {
 protected:
  Result offend(const Args& args) noexcept override {
    const Result result = honest(args);
    transpose(args.dtau_dq, nv_of(*this));
    return result;
  }
};

TEST(DerivativeChecks, FindATransposedMatrix) {
  EXPECT_TRUE(finds(conformance::check_derivatives, offender<TransposedDerivatives>()));
}

/// Wrenches turn with their links, whatever their axes: what a derivative of the forces on the
/// bodies alone gives. They are numbers of the world, seen in the axes of the links, all the same.
template <Operation operation>
class TurnsWorldWrenches : public OffendsIn<operation> {
 protected:
  using typename OffendsIn<operation>::Args;

  Result offend(const Args& args) noexcept override {
    if (args.f_ext.axes == Axes::link || args.f_ext.links.empty()) return this->honest(args);
    const std::size_t links = args.f_ext.links.size();
    std::vector<double> poses(args.batch * links * 7), turned(args.f_ext.wrenches.size());
    EXPECT_TRUE(
        this->delegate()
            .link_kinematics(
                {.batch = args.batch, .q = args.q, .links = args.f_ext.links, .poses = poses})
            .ok());
    for (std::size_t k = 0; k < args.batch * links; ++k) {
      const Mat3<double> R = conformance::detail::quaternion_matrix(&poses[7 * k + 3]);
      for (const std::size_t first : {6 * k, 6 * k + 3}) {
        const double* w = args.f_ext.wrenches.data() + first;
        const Vec3<double> seen = transpose_times(R, Vec3<double>{w[0], w[1], w[2]});
        turned[first] = seen.x;
        turned[first + 1] = seen.y;
        turned[first + 2] = seen.z;
      }
    }
    Args changed = args;
    changed.f_ext = {args.f_ext.links, turned, Axes::link};
    return this->honest(changed);
  }
};

template <Operation operation>
void expect_turned_wrenches_to_be_found() {
  const conformance::Violations violations =
      conformance::check_derivatives(offender<TurnsWorldWrenches<operation>>());
  ASSERT_FALSE(violations.empty()) << name_of(operation);
  for (const std::string& line : violations) {  // all else is served right
    EXPECT_NE(line.find(name_of(operation) + " with wrenches in world axes"), line.npos) << line;
  }
}

TEST(DerivativeChecks, FindWorldWrenchesThatTurn) {
  expect_turned_wrenches_to_be_found<Operation::inverse_dynamics_derivatives>();
  expect_turned_wrenches_to_be_found<Operation::forward_dynamics_derivatives>();
  expect_turned_wrenches_to_be_found<Operation::inverse_dynamics_jvp>();
  expect_turned_wrenches_to_be_found<Operation::inverse_dynamics_vjp>();
  expect_turned_wrenches_to_be_found<Operation::forward_dynamics_jvp>();
  expect_turned_wrenches_to_be_found<Operation::forward_dynamics_vjp>();
}

/// Half of d tau / d v, without gravity, which is C where every joint has one coordinate.
class HalfOfTheDerivative : public OffendsIn<Operation::coriolis_matrix> {
 protected:
  Result offend(const Args& args) noexcept override {
    std::vector<double> half(args.coriolis.size());
    const Result result = delegate().inverse_dynamics_derivatives(
        {.batch = args.batch, .q = args.q, .v = args.v, .a = {}, .dtau_dv = half});
    for (double& x : half) x /= 2;
    const Result honest_result = honest(args);
    std::copy(half.begin(), half.end(), args.coriolis.begin());
    return result.ok() ? honest_result : result;
  }
};

TEST(DerivativeChecks, FindHalfOfTheDerivativeInThePlaceOfTheCoriolisMatrix) {
  const conformance::Violations violations =
      conformance::check_derivatives(offender<HalfOfTheDerivative>());
  EXPECT_NE(text_of(violations).find("floating_tree, coriolis_matrix"), std::string::npos);
  for (const std::string& line : violations) {  // where joints have one coordinate it is right
    if (line.find("with friction") != line.npos) continue;  // damping is a part of d tau / d v
    EXPECT_EQ(line.find("arm, "), line.npos) << line;
    EXPECT_NE(line.find("C + C^T"), line.npos) << line;
  }
}

/// Another C that keeps to both laws: a skew-symmetric matrix that maps v to zero is added.
class AnotherFactorOfTheForces : public OffendsIn<Operation::coriolis_matrix> {
 protected:
  Result offend(const Args& args) noexcept override {
    const Result result = honest(args);
    const std::size_t n = nv_of(*this);
    for (std::size_t s = 0; s < args.batch && n >= 3 && !args.coriolis.empty(); ++s) {
      const double* v = args.v.data() + s * n;
      double* C = args.coriolis.data() + s * n * n;
      C[1] -= v[2];
      C[2] += v[1];
      C[n] += v[2];
      C[n + 2] -= v[0];
      C[2 * n] -= v[1];
      C[2 * n + 1] += v[0];
    }
    return result;
  }
};

TEST(DerivativeChecks, FindACoriolisMatrixThatIsNotThatOfTheChristoffelSymbols) {
  const conformance::Violations violations =
      conformance::check_derivatives(offender<AnotherFactorOfTheForces>());
  ASSERT_FALSE(violations.empty());
  for (const std::string& line : violations) {  // it keeps to both laws
    EXPECT_NE(line.find("C by Christoffel symbols"), line.npos) << line;
  }
}

/// Leaves damping out.
class IgnoresDamping : public Honest {
 protected:
  void do_configure(const Model& model, const BackendOptions& options) override {
    BackendOptions without = options;
    without.friction = false;
    Honest::do_configure(model, without);
  }
};

TEST(DerivativeChecks, FindAnIgnoredDamping) {
  EXPECT_NE(text_of(conformance::check_derivatives(offender<IgnoresDamping>()))
                .find("inverse_dynamics_vjp with wrenches in link axes with friction"),
            std::string::npos);
}

/// Takes q for a constant.
class IgnoresADirection : public OffendsIn<Operation::forward_dynamics_jvp> {
 protected:
  Result offend(const Args& args) noexcept override {
    Args changed = args;
    changed.dq = {};
    return honest(changed);
  }
};

TEST(DerivativeChecks, FindAnIgnoredDirection) {
  EXPECT_TRUE(finds(conformance::check_derivatives, offender<IgnoresADirection>()));
}

/// About the origin of the world, not about the centre of mass.
class AboutTheWorld : public OffendsIn<Operation::centroidal_momentum> {
 protected:
  Result offend(const Args& args) noexcept override {
    const Result result = honest(args);
    std::vector<double> com(3 * args.batch);
    EXPECT_TRUE(delegate().energies({.batch = args.batch, .q = args.q, .v = {}, .com = com}).ok());
    const std::size_t n = nv_of(*this);
    for (std::size_t s = 0; s < args.batch && !args.momentum_matrix.empty(); ++s) {
      double* A = args.momentum_matrix.data() + s * 6 * n;
      const Vec3<double> c{com[3 * s], com[3 * s + 1], com[3 * s + 2]};
      for (std::size_t k = 0; k < n; ++k) {
        const Vec3<double> more = cross(c, {A[k], A[n + k], A[2 * n + k]});
        A[3 * n + k] += more.x;
        A[4 * n + k] += more.y;
        A[5 * n + k] += more.z;
      }
    }
    return result;
  }
};

TEST(DerivativeChecks, FindMomentumAboutAnotherPoint) {
  EXPECT_TRUE(finds(conformance::check_derivatives, offender<AboutTheWorld>()));
}

/// I_yy and I_xz in the order of rows of the upper triangle.
class AnotherOrderOfParameters : public OffendsIn<Operation::regressor> {
 protected:
  Result offend(const Args& args) noexcept override {
    const Result result = honest(args);
    for (std::size_t k = 0; k + 10 <= args.regressor.size(); k += 10) {
      std::swap(args.regressor[k + 6], args.regressor[k + 7]);
    }
    return result;
  }
};

TEST(DerivativeChecks, FindAnotherOrderOfInertialParameters) {
  EXPECT_TRUE(finds(conformance::check_regressor, offender<AnotherOrderOfParameters>()));
}

/// Right for the parameters of the model alone.
class FitsOneModel : public OffendsIn<Operation::regressor> {
 protected:
  Result offend(const Args& args) noexcept override {
    const Result result = honest(args);
    const std::vector<double> pi = delegate().model().inertial_parameters();
    for (std::size_t k = 0; k + 1 < args.regressor.size() && pi.size() > 1; k += pi.size()) {
      args.regressor[k] += pi[4];
      args.regressor[k + 4] -= pi[0];
    }
    return result;
  }
};

TEST(DerivativeChecks, FindARegressorThatFitsOneModel) {
  EXPECT_TRUE(finds(conformance::check_regressor, offender<FitsOneModel>()));
}

/// Derivatives in axes that turn with the link.
class RateInMovingAxes : public OffendsIn<Operation::link_motion> {
 protected:
  Result offend(const Args& args) noexcept override {
    const Result result = honest(args);
    const std::size_t n = nv_of(*this), links = args.links.size();
    std::vector<double> twist(args.batch * links * 6), J(args.batch * links * 6 * n);
    EXPECT_TRUE(delegate()
                    .link_motion({.batch = args.batch,
                                  .q = args.q,
                                  .v = args.v,
                                  .a = {},
                                  .links = args.links,
                                  .twist = twist,
                                  .axes = args.axes})
                    .ok());
    EXPECT_TRUE(delegate()
                    .link_kinematics({.batch = args.batch,
                                      .q = args.q,
                                      .links = args.links,
                                      .jacobian = J,
                                      .axes = args.axes})
                    .ok());
    for (std::size_t k = 0; k < args.batch * links && !args.jacobian_rate.empty(); ++k) {
      const Vec3<double> w{twist[6 * k + 3], twist[6 * k + 4], twist[6 * k + 5]};
      for (std::size_t j = 0; j < 2 * n; ++j) {
        const std::size_t first = k * 6 * n + j / n * 3 * n + j % n;
        const Vec3<double> less = cross(w, {J[first], J[first + n], J[first + 2 * n]});
        args.jacobian_rate[first] -= less.x;
        args.jacobian_rate[first + n] -= less.y;
        args.jacobian_rate[first + 2 * n] -= less.z;
      }
    }
    return result;
  }
};

TEST(DerivativeChecks, FindARateInMovingAxes) {
  EXPECT_TRUE(finds(conformance::check_derivatives, offender<RateInMovingAxes>()));
}

/// Calls every state good.
class SilentAboutSingularities : public OffendsIn<Operation::forward_dynamics_vjp> {
 protected:
  Result offend(const Args& args) noexcept override {
    const Result result = honest(args);
    std::fill(args.status.begin(), args.status.end(), StateStatus{});
    return result;
  }
};

TEST(DerivativeChecks, FindASilenceAboutSingularities) {
  EXPECT_TRUE(finds(conformance::check_singular, offender<SilentAboutSingularities>()));
}

TEST(DerivativeChecks, PassAnHonestBackend) {
  EXPECT_EQ(text_of(conformance::check_derivatives(offender<Honest>())), "");
  EXPECT_EQ(text_of(conformance::check_regressor(offender<Honest>())), "");
}

}  // namespace
}  // namespace rbd_parallel_core
