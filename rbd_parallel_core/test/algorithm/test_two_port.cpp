// SPDX-License-Identifier: Apache-2.0
//
// Paths that are open at both ends: their algebra, and what they are made of.
#include "rbd_parallel_core/algorithm/two_port.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cstring>
#include <memory>
#include <vector>

#include "open_rows.hpp"
#include "rbd_parallel_core/algorithm/workspace.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/testing/robots.hpp"

namespace rbd_parallel_core {
namespace {

using conformance::Random;
using conformance::Robot;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;

Vector6 eigen(const Motion<double>& m) {
  return (Vector6() << m.w.x, m.w.y, m.w.z, m.v.x, m.v.y, m.v.z).finished();
}
Vector6 eigen(const Force<double>& f) {
  return (Vector6() << f.n.x, f.n.y, f.n.z, f.f.x, f.f.y, f.f.z).finished();
}
Motion<double> motion(const Vector6& x) { return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; }
Force<double> force(const Vector6& x) { return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; }

Matrix6 eigen(const ArticulatedInertia<double>& a) {
  Matrix6 result;
  for (int k = 0; k < 6; ++k) result.col(k) = eigen(a * motion(Vector6::Unit(k)));
  return result;
}
Matrix6 eigen(const Mobility<double>& a) {
  Matrix6 result;
  for (int k = 0; k < 6; ++k) result.col(k) = eigen(a * force(Vector6::Unit(k)));
  return result;
}
Matrix6 eigen(const Force<double> (&B)[6]) {
  Matrix6 result;
  for (int k = 0; k < 6; ++k) result.row(k) = eigen(B[k]).transpose();
  return result;
}

/// A chain as a piece of a larger tree: its base moves, something may hang on its end.
class Path {
 public:
  explicit Path(std::shared_ptr<const Model> model, std::uint64_t seed)
      : model_(std::move(model)), view_(model_->view()) {
    Random random(seed);
    const auto bodies = static_cast<std::size_t>(view_.body_count);
    const auto nv = static_cast<std::size_t>(view_.nv);
    memory_.resize(Workspace<double>::bytes(bodies, nv) / sizeof(double) + 1);
    ws_ = Workspace<double>::in(reinterpret_cast<std::byte*>(memory_.data()), bodies, nv).aba;
    y_.resize(nv);
    q_ = conformance::random_configuration(*model_, random);
    v_ = random.numbers(nv, 1);
    tau_ = random.numbers(nv, 5);
  }

  const Model& model() const { return *model_; }
  const std::vector<double>& q() const { return q_; }
  const std::vector<double>& v() const { return v_; }
  const std::vector<double>& tau() const { return tau_; }

  template <class End = OpenEnd<double, Column>>
  TwoPort<double> element(const Vec3<double>& w_base) {
    const Row<double> q{q_.data()}, v{v_.data()}, tau{tau_.data()};
    const MovingBase<double> base{w_base, Motion<double>::zero()};
    compute_turns(view_, ws_.turns, q);
    aba_velocities(view_, ws_, q, v, base);
    auto end = End::at_itself({y_.data()});
    const auto body = aba_inward(view_, ws_, q, v, tau, false, base, end);
    EXPECT_EQ(body.singular, 0);
    return {body.IA, body.pA, end.transmission()};
  }
  /// After element.
  std::vector<double> accelerations(const Motion<double>& a_base, const Force<double>& at_end) {
    std::vector<double> qdd(tau_.size());
    aba_accelerations(
        view_, ws_, Row<double>{q_.data()}, Row<double>{v_.data()},
        MovingBase<double>{Vec3<double>::zero(), a_base},
        [&](std::int32_t at) { return dot(y_[static_cast<std::size_t>(at)], at_end); },
        OutRow<double>{qdd.data()});
    return qdd;
  }
  /// After accelerations: of the last body.
  Motion<double> end_acceleration() const { return ws_.c.load(view_.body_count - 1); }

 private:
  std::shared_ptr<const Model> model_;
  const ModelView<double>& view_;
  std::vector<double> memory_;
  AbaWorkspace<double, Column> ws_{};
  std::vector<Motion<double>> y_;
  std::vector<double> q_, v_, tau_;
};

std::shared_ptr<const Model> chain_of(int bodies) {
  return std::make_shared<const Model>(conformance::chain(bodies).model());
}
std::shared_ptr<const Model> mixed_chain() {
  return std::make_shared<const Model>(conformance::mixed_chain().model());
}

TEST(TwoPort, APathOnTheWorldWithAFreeEndIsAbaToTheLastBit) {
  for (const auto& model : {chain_of(1), chain_of(30), mixed_chain()}) {
    Path path(model, 3);
    const auto backend = make_backend("reference");
    backend->configure(model, {.instruction_set = InstructionSet::baseline});
    std::vector<double> expected(path.tau().size());
    ASSERT_TRUE(backend
                    ->forward_dynamics({.q = path.q(),
                                        .v = path.v(),
                                        .tau = path.tau(),
                                        .method = ForwardMethod::aba,
                                        .qdd = expected})
                    .ok());
    path.element(Vec3<double>::zero());
    EXPECT_EQ(
        path.accelerations({Vec3<double>::zero(), -1.0 * model->gravity()}, Force<double>::zero()),
        expected);
  }
}

TEST(TwoPort, RowsSideBySideHaveTheBitsOfRowsOneAfterTheOther) {
  const Vec3<double> w_base{0.3, -0.2, 0.5};
  const Motion<double> a_base{{0.1, 0.7, -0.4}, {3, -2, 9}};
  const Force<double> at_end{{1, -2, 3}, {4, 5, -6}};
  for (const auto& model : {chain_of(1), chain_of(30), mixed_chain()}) {
    Path path(model, 4), other(model, 4);
    const TwoPort<double> expected = path.element(w_base),
                          rows = other.element<OpenRows<double, Column>>(w_base);
    EXPECT_EQ(std::memcmp(&rows, &expected, sizeof rows), 0);
    EXPECT_EQ(other.accelerations(a_base, at_end), path.accelerations(a_base, at_end));
  }
}

TEST(TwoPort, ItsEquationsSayHowTheEndMoves) {
  Random random(5);
  for (const auto& model : {chain_of(1), chain_of(12), mixed_chain()}) {
    Path path(model, 7);
    const TwoPort<double> element = path.element(random.vector(1));
    const Motion<double> a{random.vector(3), random.vector(3)};
    const Force<double> g{random.vector(3), random.vector(3)};
    path.accelerations(a, g);
    const Transmission<double>& across = element.across;
    const Motion<double> end = transmitted(across.B, a) - across.N * g + across.n;
    EXPECT_LT((eigen(end) - eigen(path.end_acceleration())).norm(), 1e-11);
  }
}

TEST(TwoPort, NIsTheInverseOfTheInertiaAtTheEnd) {
  for (const auto& model : {chain_of(3), chain_of(7), chain_of(20), mixed_chain()}) {
    Path path(model, 11);
    const TwoPort<double> element = path.element(Vec3<double>::zero());
    const auto backend = make_backend("reference");
    backend->configure(model);
    const int nv = model->nv();
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Rows M(nv, nv), J(6, nv);
    ASSERT_TRUE(backend
                    ->mass_matrix({.q = path.q(),
                                   .mass_matrix = {M.data(), static_cast<std::size_t>(M.size())}})
                    .ok());
    const int last = static_cast<int>(model->links().size()) - 1;
    const int link = model->links()[static_cast<std::size_t>(last)].body == model->body_count() - 1
                         ? last
                         : last - 1;
    ASSERT_TRUE(backend
                    ->link_kinematics({.q = path.q(),
                                       .links = {&link, 1},
                                       .jacobian = {J.data(), static_cast<std::size_t>(J.size())},
                                       .axes = Axes::link})
                    .ok());
    // The Jacobian is that of the link, linear first; N is that of the body, angular first.
    Matrix6 to_angular_first = Matrix6::Zero();
    to_angular_first.topRightCorner<3, 3>().setIdentity();
    to_angular_first.bottomLeftCorner<3, 3>().setIdentity();
    const Transform<double>& offset = model->links()[static_cast<std::size_t>(link)].offset;
    Matrix6 to_body;
    for (int k = 0; k < 6; ++k) {
      to_body.col(k) = eigen(offset.apply_inverse(motion(Vector6::Unit(k))));
    }
    const Eigen::MatrixXd J_body = to_body * to_angular_first * J;
    const Matrix6 expected = J_body * M.ldlt().solve(J_body.transpose());
    EXPECT_LT((eigen(element.across.N) - expected).norm() / expected.norm(), 1e-11);
  }
}

double difference(const TwoPort<double>& a, const TwoPort<double>& b) {
  const auto relative = [](const auto& x, const auto& y) {
    return (x - y).norm() / (1 + y.norm());
  };
  return std::max({relative(eigen(a.M), eigen(b.M)), relative(eigen(a.m), eigen(b.m)),
                   relative(eigen(a.across.B), eigen(b.across.B)),
                   relative(eigen(a.across.N), eigen(b.across.N)),
                   relative(eigen(a.across.n), eigen(b.across.n))});
}

TEST(TwoPort, JoiningIsAssociativeAndHasANeutralElement) {
  Path one(chain_of(5), 13), two(mixed_chain(), 17), three(chain_of(9), 19);
  const auto a = one.element({0.1, 0.2, 0.3}), b = two.element({-0.3, 0.2, 0.1}),
             c = three.element({0, 0.5, -0.4});
  EXPECT_LT(difference(joined(joined(a, b), c), joined(a, joined(b, c))), 1e-12);
  const TwoPort<double> nothing{ArticulatedInertia<double>::zero(), Force<double>::zero(),
                                OpenEnd<double, Column>::at_itself({nullptr}).across};
  EXPECT_LT(difference(joined(nothing, b), b), 1e-15);
  EXPECT_LT(difference(joined(b, nothing), b), 1e-15);
}

TEST(TwoPort, InertiaAndMobilityHaveNoNegativeEigenvalue) {
  Path one(chain_of(40), 23), two(mixed_chain(), 29);
  const auto a = one.element({0.1, 0.2, 0.3}), b = two.element({-0.3, 0.2, 0.1});
  for (const TwoPort<double>& element : {a, b, joined(a, b), joined(b, a)}) {
    const Matrix6 M = eigen(element.M), N = eigen(element.across.N);
    EXPECT_GT(M.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), -1e-12 * M.norm());
    EXPECT_GT(N.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), -1e-12 * N.norm());
  }
}

TEST(TwoPort, AClosedPathIsTheFirstHalfOfAJoinedOne) {
  Path one(chain_of(6), 31), two(chain_of(4), 37);
  const auto a = one.element({0.1, 0, 0}), b = two.element({0, 0.1, 0});
  const EndMotion<double> end = end_motion(a.across, b.M, b.m);
  ArticulatedInertia<double> M;
  Force<double> m;
  close_path(a, end, b.M, b.m, M, m);
  const TwoPort<double> both = joined(a, b);
  EXPECT_EQ((eigen(M) - eigen(both.M)).norm(), 0);
  EXPECT_EQ((eigen(m) - eigen(both.m)).norm(), 0);
  // The force between the two is the one that moves the outer as the inner's end moves.
  const Motion<double> base{{0.3, -1, 2}, {4, 0.5, -0.7}}, seam = moved_end(end, base);
  const Force<double> g = b.M * seam + b.m;
  one.accelerations(base, g);
  EXPECT_LT((eigen(seam) - eigen(one.end_acceleration())).norm(), 1e-11);
}

}  // namespace
}  // namespace rbd_parallel_core
