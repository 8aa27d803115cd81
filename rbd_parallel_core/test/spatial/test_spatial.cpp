// SPDX-License-Identifier: Apache-2.0
//
// The laws of the spatial operators, each for float, double and long double, against one another
// and against dense 6x6 algebra by Eigen. Every law is tried on several random operands.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "rbd_parallel_core/algorithm/kinematics.hpp"
#include "rbd_parallel_core/model/description.hpp"
#include "rbd_parallel_core/spatial/articulated_inertia.hpp"
#include "rbd_parallel_core/spatial/plane_turn.hpp"

namespace rbd_parallel_core {
namespace {

// Dense matrices are kept in the widest Scalar: exact enough to judge all three, and compiled once.
using Wide = long double;
using Dense = Eigen::Matrix<Wide, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;

/// The blocks side by side, two rows of them.
Dense blocks(const Dense& a, const Dense& b, const Dense& c, const Dense& d) {
  Dense m(6, 6);
  m << a, b, c, d;
  return m;
}
Dense stacked(const Dense& a, const Dense& b) {
  Dense m(6, 1);
  m << a, b;
  return m;
}
Dense product(const Dense& a, const Dense& b) { return a.lazyProduct(b); }
Dense transposed(const Dense& a) { return a.transpose(); }
Dense negative(const Dense& a) { return -a; }
Wide largest(const Dense& a) { return a.cwiseAbs().maxCoeff(); }
Wide distance(const Dense& a, const Dense& b) { return (a - b).cwiseAbs().maxCoeff(); }

template <class S>
class Spatial : public testing::Test {
 protected:
  static constexpr int tries = 20;

  S uniform(double low, double high) {
    return static_cast<S>(low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1p-53));
  }
  Vec3<S> vec() { return {uniform(-2, 2), uniform(-2, 2), uniform(-2, 2)}; }
  Motion<S> motion() { return {vec(), vec()}; }
  Force<S> force() { return {vec(), vec()}; }
  Mat3<S> mat() { return {vec(), vec(), vec()}; }
  SymMat3<S> sym() {
    return {uniform(1, 3), uniform(-1, 1), uniform(-1, 1),
            uniform(1, 3), uniform(-1, 1), uniform(1, 3)};
  }
  Mat3<S> rotation() {
    return rotation_from_quaternion(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1),
                                    uniform(0.1, 1));
  }
  Transform<S> transform() { return {rotation(), vec()}; }
  ZTurn<S> z_turn() {
    const S angle = uniform(-4, 4);
    return {std::cos(angle), std::sin(angle)};
  }
  XTurn<S> x_turn() {
    const ZTurn<S> turn = z_turn();
    return {turn.c, turn.s};
  }
  /// Any symmetric 6x6 matrix; not that of a rigid body.
  ArticulatedInertia<S> articulated_inertia() { return {sym(), mat(), sym()}; }
  /// Of a heap of point masses.
  struct PointMass {
    S m;
    Vec3<S> p;
  };
  std::vector<PointMass> heap() {
    std::vector<PointMass> points;
    for (int i = 0; i < 5; ++i) points.push_back({uniform(0.1, 1), vec()});
    return points;
  }
  static Inertia<S> inertia_of(const std::vector<PointMass>& points) {
    Inertia<S> sum = Inertia<S>::zero();
    for (const PointMass& point : points)
      sum += inertia_from_com(point.m, point.p, SymMat3<S>::zero());
    return sum;
  }
  Inertia<S> inertia() { return inertia_of(heap()); }

  static Dense dense(const Vec3<S>& a) {
    Dense m(3, 1);
    m << a.x, a.y, a.z;
    return m;
  }
  static Dense dense(const Mat3<S>& a) {
    Dense m(3, 3);
    m << a.x.x, a.x.y, a.x.z, a.y.x, a.y.y, a.y.z, a.z.x, a.z.y, a.z.z;
    return m;
  }
  static Dense dense(const SymMat3<S>& a) { return dense(rbd_parallel_core::dense(a)); }
  static Dense dense(const Motion<S>& a) { return stacked(dense(a.w), dense(a.v)); }
  static Dense dense(const Force<S>& a) { return stacked(dense(a.n), dense(a.f)); }
  static Dense dense(const ArticulatedInertia<S>& a) {
    return blocks(dense(a.I), dense(a.H), transposed(dense(a.H)), dense(a.M));
  }
  static Dense dense(const Inertia<S>& a) { return dense(articulated(a)); }
  /// X m for motions (Featherstone 2.24).
  static Dense dense(const Transform<S>& x) {
    const Dense E = dense(x.E), zero = Dense::Zero(3, 3);
    return blocks(E, zero, negative(product(E, dense(skew(x.r)))), E);
  }

  /// Equal up to rounding: 64 eps of the largest number that took part, given as `scale` or found
  /// in b.
  static void expect_near(const Dense& a, const Dense& b, Wide scale = 1) {
    EXPECT_LE(distance(a, b),
              64 * Wide(std::numeric_limits<S>::epsilon()) * std::max(scale, largest(b)));
  }
  template <class T>
  static void expect_near(const T& a, const T& b, Wide scale = 1) requires requires {
    dense(a);
  }
  { expect_near(dense(a), dense(b), scale); }
  static void expect_near(S a, S b, Wide scale = 1) {
    EXPECT_LE(std::abs(a - b),
              64 * Wide(std::numeric_limits<S>::epsilon()) * std::max<Wide>(scale, std::abs(b)));
  }

  template <class Law>
  static void for_all(const Law& law) {
    for (int i = 0; i < tries; ++i) law();
  }

 private:
  std::mt19937_64 engine_{7};
};

using Scalars = testing::Types<float, double, long double>;
TYPED_TEST_SUITE(Spatial, Scalars);

// ---- vectors and matrices
// -------------------------------------------------------------------------------------------

TYPED_TEST(Spatial, SkewTimesAIsTheCrossProduct) {
  this->for_all([&] {
    const auto r = this->vec(), a = this->vec();
    this->expect_near(skew(r) * a, cross(r, a));
    this->expect_near(cross(r, a), -cross(a, r));
    this->expect_near(dot(r, cross(r, a)), TypeParam(0), 10);
  });
}

TYPED_TEST(Spatial, MatrixProductsAgreeWithEigen) {
  this->for_all([&] {
    const auto A = this->mat(), B = this->mat();
    const auto a = this->vec();
    this->expect_near(this->dense(A * B), product(this->dense(A), this->dense(B)), 20);
    this->expect_near(this->dense(A * a), product(this->dense(A), this->dense(a)), 20);
    this->expect_near(this->dense(transpose_times(A, a)),
                      product(transposed(this->dense(A)), this->dense(a)), 20);
    const auto P = this->sym();
    this->expect_near(this->dense(P * a), product(this->dense(P), this->dense(a)), 20);
  });
}

TYPED_TEST(Spatial, RotateBackIsEtAE) {
  this->for_all([&] {
    const auto E = this->rotation();
    const auto P = this->sym();
    const auto A = this->mat();
    const Dense Et = transposed(this->dense(E));
    this->expect_near(this->dense(rotate_back(E, P)),
                      product(Et, product(this->dense(P), this->dense(E))), 10);
    this->expect_near(this->dense(rotate_back(E, A)),
                      product(Et, product(this->dense(A), this->dense(E))), 10);
  });
}

// ---- transforms
// -----------------------------------------------------------------------------------------------------

TYPED_TEST(Spatial, TransformsAreAssociative) {
  this->for_all([&] {
    const auto x = this->transform(), y = this->transform(), z = this->transform();
    this->expect_near((x * y) * z, x * (y * z), 10);
  });
}

TYPED_TEST(Spatial, IdentityIsNeutral) {
  this->for_all([&] {
    const auto x = this->transform();
    const auto one = Transform<TypeParam>::identity();
    this->expect_near(one * x, x);
    this->expect_near(x * one, x);
  });
}

TYPED_TEST(Spatial, ATransformTimesItsInverseIsTheIdentity) {
  this->for_all([&] {
    const auto x = this->transform();
    this->expect_near(x * inverse(x), Transform<TypeParam>::identity(), 10);
    this->expect_near(inverse(x) * x, Transform<TypeParam>::identity(), 10);
  });
}

TYPED_TEST(Spatial, TheProductOfTransformsIsThatOfTheirMatrices) {
  this->for_all([&] {
    const auto x = this->transform(), y = this->transform();
    this->expect_near(this->dense(x * y), product(this->dense(x), this->dense(y)), 10);
  });
}

TYPED_TEST(Spatial, TransformsOfMotionsAndForcesAgreeWithTheirMatrices) {
  this->for_all([&] {
    const auto x = this->transform();
    const auto m = this->motion();
    const auto f = this->force();
    const Dense X = this->dense(x), X_back = this->dense(inverse(x));
    this->expect_near(this->dense(x.apply(m)), product(X, this->dense(m)), 10);
    this->expect_near(this->dense(x.apply(f)), product(transposed(X_back), this->dense(f)), 10);
    this->expect_near(this->dense(apply_inverse(x, f)), product(transposed(X), this->dense(f)), 10);
  });
}

TYPED_TEST(Spatial, ApplyInverseUndoesApply) {
  this->for_all([&] {
    const auto x = this->transform();
    const auto m = this->motion();
    const auto f = this->force();
    const auto I = this->inertia();
    this->expect_near(x.apply_inverse(x.apply(m)), m, 20);
    this->expect_near(x.apply(x.apply_inverse(m)), m, 20);
    this->expect_near(x.apply_inverse(x.apply(f)), f, 20);
    this->expect_near(apply_inverse(x, apply(x, I)), I, 100);
  });
}

TYPED_TEST(Spatial, PowerIsInvariant) {
  this->for_all([&] {
    const auto x = this->transform();
    const auto m = this->motion();
    const auto f = this->force();
    this->expect_near(dot(x.apply(m), x.apply(f)), dot(m, f), 50);
    this->expect_near(dot(x.apply_inverse(m), x.apply_inverse(f)), dot(m, f), 50);
  });
}

// ---- cross products
// -------------------------------------------------------------------------------------------------

TYPED_TEST(Spatial, CrossOfForcesIsMinusTheTransposedCrossOfMotions) {
  this->for_all([&] {
    const auto a = this->motion(), b = this->motion();
    const auto f = this->force();
    this->expect_near(dot(b, cross(a, f)), -dot(cross(a, b), f), 50);
  });
}

TYPED_TEST(Spatial, CrossOfAMotionWithItselfVanishes) {
  this->for_all([&] {
    const auto a = this->motion(), b = this->motion();
    this->expect_near(cross(a, a), Motion<TypeParam>::zero(), 10);
    this->expect_near(cross(a, b), TypeParam(-1) * cross(b, a), 10);
  });
}

TYPED_TEST(Spatial, CrossOfMotionsObeysTheJacobiIdentity) {
  this->for_all([&] {
    const auto a = this->motion(), b = this->motion(), c = this->motion();
    const auto sum = cross(a, cross(b, c)) + cross(b, cross(c, a)) + cross(c, cross(a, b));
    this->expect_near(sum, Motion<TypeParam>::zero(), 50);
  });
}

TYPED_TEST(Spatial, CrossProductsAreCovariant) {
  this->for_all([&] {
    const auto x = this->transform();
    const auto a = this->motion(), b = this->motion();
    const auto f = this->force();
    this->expect_near(x.apply(cross(a, b)), cross(x.apply(a), x.apply(b)), 100);
    this->expect_near(x.apply(cross(a, f)), cross(x.apply(a), x.apply(f)), 100);
  });
}

// ---- rigid-body inertias
// --------------------------------------------------------------------------------------------

TYPED_TEST(Spatial, ShiftOfAnInertiaIsTheParallelAxisTheorem) {
  this->for_all([&] {
    const auto r = this->vec();
    auto points = this->heap();
    const auto I = this->inertia_of(points);
    for (auto& point : points) point.p += r;  // seen from -r
    this->expect_near(shift(I, r), this->inertia_of(points), 100);
  });
}

TYPED_TEST(Spatial, ShiftOfAMasslessInertiaChangesNothing) {
  using S = TypeParam;
  const Inertia<S> I{S(0), Vec3<S>::zero(), this->sym()};
  this->expect_near(shift(I, this->vec()), I);
}

TYPED_TEST(Spatial, MomentumAgreesWithTheMatrixOfTheInertia) {
  this->for_all([&] {
    const auto I = this->inertia();
    const auto v = this->motion();
    this->expect_near(this->dense(I * v), product(this->dense(I), this->dense(v)), 100);
  });
}

TYPED_TEST(Spatial, TransformingAnInertiaTransformsItsMomentum) {
  this->for_all([&] {
    const auto x = this->transform();
    const auto I = this->inertia();
    const auto v = this->motion();
    this->expect_near(apply(x, I) * x.apply(v), x.apply(I * v), 500);
    this->expect_near(this->dense(apply_inverse(x, I)),
                      product(transposed(this->dense(x)), product(this->dense(I), this->dense(x))),
                      500);
  });
}

TYPED_TEST(Spatial, KineticEnergyIsInvariantAndPositive) {
  this->for_all([&] {
    const auto x = this->transform();
    const auto I = this->inertia();
    const auto v = this->motion();
    const auto energy = dot(v, I * v);
    this->expect_near(dot(x.apply(v), apply(x, I) * x.apply(v)), energy, 2000);
    EXPECT_GT(energy, 0);
  });
}

TYPED_TEST(Spatial, InertiasAddLikeTheBodiesTheyBelongTo) {
  const auto a = this->inertia(), b = this->inertia(), c = this->inertia();
  this->expect_near((a + b) + c, a + (b + c), 50);
  this->expect_near(a + b, b + a, 50);
  this->expect_near(a + Inertia<TypeParam>::zero(), a, 50);
  const auto v = this->motion();
  this->expect_near((a + b) * v, a * v + b * v, 200);
}

// ---- articulated inertias
// -------------------------------------------------------------------------------------------

TYPED_TEST(Spatial, AnArticulatedRigidBodyIsTheRigidBody) {
  this->for_all([&] {
    const auto I = this->inertia();
    const auto v = this->motion();
    const auto r = this->vec();
    this->expect_near(articulated(I) * v, I * v, 100);
    this->expect_near(shift(articulated(I), r), articulated(shift(I, r)), 200);
  });
}

TYPED_TEST(Spatial, ArticulatedTransformsAgreeWithTheirMatrices) {
  this->for_all([&] {
    const auto x = this->transform();
    const auto A = this->articulated_inertia();
    const auto v = this->motion();
    const Transform<TypeParam> only_shift{Mat3<TypeParam>::identity(), x.r};
    this->expect_near(this->dense(A * v), product(this->dense(A), this->dense(v)), 50);
    for (const auto& y : {x, only_shift}) {
      const Dense expected =
          product(transposed(this->dense(y)), product(this->dense(A), this->dense(y)));
      this->expect_near(this->dense(apply_inverse(y, A)), expected, 500);
    }
    this->expect_near(shift(A, x.r), apply_inverse(only_shift, A), 500);
  });
}

TYPED_TEST(Spatial, RankOneDowndateLetsTheJointGo) {
  this->for_all([&] {
    const auto A = this->articulated_inertia();
    const auto s = this->motion();
    const auto U = A * s;
    const TypeParam D = dot(s, U) + 30;  // with an armature, far from zero
    const Dense u = this->dense(U);
    const Dense expected = this->dense(A) - product(u, transposed(u)) / D;
    const auto B = rank_one_downdate(A, U, (1 / D) * U);
    this->expect_near(this->dense(B), expected, 50);
  });
}

TYPED_TEST(Spatial, WithoutArmatureTheFreedDirectionResistsNothing) {
  this->for_all([&] {
    const auto A = articulated(this->inertia());
    const auto s = this->motion();
    const auto U = A * s;
    const TypeParam D = dot(s, U);
    this->expect_near(rank_one_downdate(A, U, (1 / D) * U) * s, Force<TypeParam>::zero(), 2000);
  });
}

TYPED_TEST(Spatial, SizeOfAnInertiaIsItsLargestDiagonals) {
  const auto A = this->articulated_inertia();
  const Dense diagonal = this->dense(A).diagonal();
  const Wide angular = largest(diagonal.topRows(3)), linear = largest(diagonal.bottomRows(3));
  const TypeParam none = 0, lever2 = 1e6, m = TypeParam(0.25) * TypeParam(linear);
  EXPECT_EQ(Wide(size_of(A, none, none).angular), angular);
  EXPECT_EQ(Wide(size_of(A, none, none).linear), linear);
  EXPECT_EQ(size_of(A, m, lever2).angular, lever2 * (TypeParam(linear) - m));
}

TYPED_TEST(Spatial, ResistanceOfAColumnHasItsUnit) {
  using S = TypeParam;
  const InertiaSize<S> size{3, 5};
  EXPECT_EQ((UnitAxis<Part::angular, 1>{}.resistance_of(size)), S(3));
  EXPECT_EQ((UnitAxis<Part::linear, 1>{}.resistance_of(size)), S(5));
  EXPECT_EQ(ScrewAxis<S>{S(2)}.resistance_of(size), S(3 + 2 * 2 * 5));
}

// ---- turns about and shifts along one axis
// --------------------------------------------------------------------------

TYPED_TEST(Spatial, AxisRenamingsUndoEachOther) {
  const auto check = [&](const auto& a) {
    this->expect_near(z_to_x(x_to_z(a)), a);
    this->expect_near(x_to_z(z_to_x(a)), a);
  };
  check(this->vec());
  check(this->mat());
  check(this->sym());
  check(this->force());
  check(this->inertia());
  check(this->articulated_inertia());
}

/// One turn in all its forms against the general rotation E, and one shift against the general
/// transform by r.
template <class Test, class Turn, class Shift, class S = typename std::remove_cvref_t<Turn>::Scalar>
void expect_general_forms(Test& test, const Turn& turn, const Shift& shift_along,
                          const Vec3<S>& r) {
  const Mat3<S> E = turn.E;
  const auto a = test.vec();
  test.expect_near(turn.turn.rotate(a), E * a, 10);
  test.expect_near(turn.turn.rotate_back(a), transpose_times(E, a), 10);
  const auto B = test.mat();
  test.expect_near(turn.turn.rotate_rows(B), E * B, 10);
  test.expect_near(turn.turn.rotate_back(B), rotate_back(E, B), 20);
  const auto P = test.sym();
  test.expect_near(turn.turn.rotate_back(P), rotate_back(E, P), 20);
  const Transform<S> rotate_only{E, Vec3<S>::zero()}, shift_only{Mat3<S>::identity(), r};
  const auto f = test.force();
  const auto I = test.inertia();
  const auto A = test.articulated_inertia();
  test.expect_near(turn.turn.rotate_back(f), apply_inverse(rotate_only, f), 20);
  test.expect_near(turn.turn.rotate_back(I), apply_inverse(rotate_only, I), 100);
  test.expect_near(turn.turn.rotate_back(A), apply_inverse(rotate_only, A), 100);
  test.expect_near(shift_along(f), apply_inverse(shift_only, f), 20);
  test.expect_near(shift_along(I), apply_inverse(shift_only, I), 200);
  test.expect_near(shift_along(A), apply_inverse(shift_only, A), 200);
}

template <class S, class T>
struct KnownTurn {
  using Scalar = S;
  T turn;
  Mat3<S> E;
};

template <class S>
class PlaneTurn : public Spatial<S> {
 public:
  using Spatial<S>::vec, Spatial<S>::mat, Spatial<S>::sym, Spatial<S>::force, Spatial<S>::inertia;
  using Spatial<S>::articulated_inertia, Spatial<S>::expect_near, Spatial<S>::uniform;
};
TYPED_TEST_SUITE(PlaneTurn, Scalars);

TYPED_TEST(PlaneTurn, AboutZIsTheGeneralRotation) {
  using S = TypeParam;
  this->for_all([&] {
    const ZTurn<S> turn = this->z_turn();
    const S o(0), i(1), z = this->uniform(-2, 2);
    const Mat3<S> E{{turn.c, turn.s, o}, {-turn.s, turn.c, o}, {o, o, i}};
    expect_general_forms(
        *this, KnownTurn<S, ZTurn<S>>{turn, E}, [&](const auto& a) { return shift_along_z(a, z); },
        Vec3<S>{o, o, z});
  });
}

TYPED_TEST(PlaneTurn, AboutXIsTheGeneralRotation) {
  using S = TypeParam;
  this->for_all([&] {
    const XTurn<S> turn = this->x_turn();
    const S o(0), i(1), x = this->uniform(-2, 2);
    const Mat3<S> E{{i, o, o}, {o, turn.c, turn.s}, {o, -turn.s, turn.c}};
    expect_general_forms(
        *this, KnownTurn<S, XTurn<S>>{turn, E}, [&](const auto& a) { return shift_along_x(a, x); },
        Vec3<S>{x, o, o});
  });
}

/// The turns about x that compute nothing are the general one at their angle.
TYPED_TEST(PlaneTurn, ByARightAngleAndByNothingAreTheGeneralTurn) {
  using S = TypeParam;
  const S o(0), i(1);
  const auto check = [&]<class Turn>(const Turn& turn, const XTurn<S>& general) {
    const S x = this->uniform(-2, 2), along = this->uniform(-2, 2);
    const Mat3<S> E{{i, o, o}, {o, general.c, general.s}, {o, -general.s, general.c}};
    expect_general_forms(
        *this, KnownTurn<S, Turn>{turn, E}, [&](const auto& a) { return shift_along_x(a, x); },
        Vec3<S>{x, o, o});
    const Mat3<S> K = this->mat();
    this->expect_near(turn.point(x, along), general.point(x, along), 10);
    this->expect_near(turn.times_point(K, x, along), K * general.point(x, along), 20);
  };
  this->for_all([&] {
    check(XQuarterTurn<S>{}, XTurn<S>{o, i});
    check(NoTurn<S>{}, XTurn<S>{i, o});
  });
}

// ---- orientations
// ---------------------------------------------------------------------------------------------------

/// Rotation to quaternion and back; quaternions x y z w, about all axes, half turns and the
/// identity included.
TYPED_TEST(Spatial, QuaternionsAndRotationsAreTheSame) {
  using S = TypeParam;
  const S half = std::sqrt(S(0.5)), third = std::sqrt(S(1) / 3);
  std::vector<std::array<S, 4>> quaternions = {
      {0, 0, 0, 1},       {1, 0, 0, 0},        {0, 1, 0, 0},         {0, 0, 1, 0},
      {half, half, 0, 0}, {half, -half, 0, 0}, {0, half, half, 0},   {third, third, third, 0},
      {half, 0, 0, half}, {0, -half, 0, half}, {0.5, 0.5, 0.5, 0.5}, {S(1e-4), 0, 0, 1}};
  for (int i = 0; i < this->tries; ++i) {
    quaternions.push_back(
        {this->uniform(-1, 1), this->uniform(-1, 1), this->uniform(-1, 1), this->uniform(-1, 1)});
  }
  for (const auto& [x, y, z, w] : quaternions) {
    const Eigen::Quaternion<Wide> expected = Eigen::Quaternion<Wide>(w, x, y, z).normalized();
    // E turns parent coordinates into body coordinates: the transpose of the usual rotation matrix.
    const Mat3<S> E = rotation_from_quaternion(x, y, z, w);
    this->expect_near(this->dense(E), transposed(expected.toRotationMatrix()));
    const Quaternion<S> q = quaternion_from_rotation(E);
    EXPECT_GE(q.w, 0);
    this->expect_near(dot(q.r, q.r) + q.w * q.w, S(1));
    const Mat3<S> again = rotation_from_quaternion(q.r.x, q.r.y, q.r.z, q.w);
    this->expect_near(this->dense(again), this->dense(E));
  }
}

TYPED_TEST(Spatial, AZeroQuaternionIsNotANumber) {
  const TypeParam o(0);
  EXPECT_TRUE(std::isnan(rotation_from_quaternion(o, o, o, o).x.x));
}

TYPED_TEST(Spatial, SignIsMinusOneZeroOrOne) {
  EXPECT_EQ(sign(TypeParam(-3)), TypeParam(-1));
  EXPECT_EQ(sign(TypeParam(0)), TypeParam(0));
  EXPECT_EQ(sign(TypeParam(1e-30)), TypeParam(1));
}

TEST(PoseFromRpy, IsYawTimesPitchTimesRoll) {
  using Eigen::AngleAxisd, Eigen::Vector3d;
  for (const double roll : {0.0, 0.3, -2.5}) {
    for (const double pitch : {0.0, 1.2, -std::acos(0.0)}) {
      for (const double yaw : {0.0, -0.7, 3.0}) {
        const Pose pose = pose_from_rpy({1, 2, 3}, roll, pitch, yaw);
        const Eigen::Matrix3d R =
            (AngleAxisd(yaw, Vector3d::UnitZ()) * AngleAxisd(pitch, Vector3d::UnitY()) *
             AngleAxisd(roll, Vector3d::UnitX()))
                .toRotationMatrix();
        const Mat3<double>& m = pose.rotation;
        Eigen::Matrix3d actual;
        actual << m.x.x, m.x.y, m.x.z, m.y.x, m.y.y, m.y.z, m.z.x, m.z.y, m.z.z;
        EXPECT_LE((actual - R).cwiseAbs().maxCoeff(), 1e-15);
        EXPECT_EQ(pose.position.y, 2);
      }
    }
  }
}

}  // namespace
}  // namespace rbd_parallel_core
