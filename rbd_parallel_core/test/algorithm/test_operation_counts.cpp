// SPDX-License-Identifier: Apache-2.0
//
// How many operations the algorithms take, beside what the papers say of theirs. The tables of
// docs/algorithms.md, "Operation counts", are what this prints.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "algorithm/counting_scalar.hpp"
#include "rbd_parallel_core/testing/robots.hpp"
#include "study/method_rig.hpp"

namespace rbd_parallel_core {
namespace {

using conformance::Random;
using Plain = Counted<Folding::none>;
using Folded = Counted<Folding::constants>;

template <class S>
void set_random_state(MethodRig<S>& rig, const Model& model) {
  Random random(3);
  const auto nv = static_cast<std::size_t>(model.nv());
  rig.set_state(random.numbers(nv, 3), random.numbers(nv, 1), random.numbers(nv, 5));
}

/// A chain of revolute joints that no two of are parallel or at right angles.
Model chain(int bodies) { return serial_chain(bodies, 0.3); }

/// The gate's control: a count that is known by hand.
TEST(CountingScalar, CountsWhatItDoes) {
  const Operations dot_product = count_of([] {
    const Vec3<Plain> a{Plain(1), Plain(2), Plain(3)};
    EXPECT_EQ(dot(a, a).value(), 14);
  });
  EXPECT_EQ(dot_product.mul, 3);
  EXPECT_EQ(dot_product.add, 2);
  const Operations others = count_of([] {
    Plain s, c;
    ScalarTraits<Plain>::sincos(Plain(0.5) / Plain(2), s, c);
    ScalarTraits<Plain>::sqrt(-s);
  });
  EXPECT_EQ(others.div, 1);
  EXPECT_EQ(others.sincos, 1);
  EXPECT_EQ(others.sqrt, 1);
  EXPECT_EQ(others.total(), 4);
}

TEST(CountingScalar, FoldsConstants) {
  const Folded x = Folded::of_the_state(0), y = Folded::of_the_state(1);  // zero by chance only
  const auto count = [](const auto& run) { return count_of(run).total(); };
  EXPECT_EQ(count([&] { x* y; }), 1);
  EXPECT_EQ(count([&] { x + y; }), 1);
  EXPECT_EQ(count([&] { x* Folded(3); }), 1);
  EXPECT_EQ(count([&] { x + Folded(0); }), 0);
  EXPECT_EQ(count([&] { y - Folded(0); }), 0);
  EXPECT_EQ(count([&] { y* Folded(-1) * Folded(1) / Folded(1); }), 0);
  EXPECT_EQ((y * Folded(-1)).value(), -1);
  EXPECT_EQ(count([&] { Folded(2) * Folded(3) + Folded(4); }), 0);
  EXPECT_EQ(count([&] { x* Folded(0) + Folded(0) * y; }), 0);
  EXPECT_EQ(count([&] { y / Folded(2) + Folded(0) / x; }), 1);
}

TEST(CountingScalar, TheLongestItemCounts) {
  const Operations count = count_of([] {
    LongestItemCounts{}.map(5, [](std::int32_t i) {
      Plain x(1);
      for (std::int32_t k = 0; k < i; ++k) x = x * x;
      x = x + x;
    });
  });
  EXPECT_EQ(count.mul, 4);
  EXPECT_EQ(count.add, 1);
}

/// What is counted is what is computed: the counted texts give the numbers of the plain ones.
TEST(OperationCounts, CountedTextsComputeTheSame) {
  const Model model = chain(20);
  MethodRig<double> plain(model);
  MethodRig<Folded> counted(model);
  set_random_state(plain, model);
  set_random_state(counted, model);
  plain.by_aba(NoForces{});
  counted.by_aba(NoForces{});
  for (std::size_t k = 0; k < 20; ++k) EXPECT_NEAR(plain.result()[k], counted.result()[k], 1e-9);
  counted.by_dcae(LongestItemCounts{}, 4, 0.25, NoForces{});
  for (std::size_t k = 0; k < 20; ++k) EXPECT_NEAR(plain.result()[k], counted.result()[k], 1e-9);
}

/// Beside the counts of Critchley, Anderson and Binani (DETC2007-35128).
TEST(OperationCounts, AbaTakesNoMoreThanTheirs) {
  std::printf("ABA, mul / add of a body, n = 64:");
  for (const double skew : {0.0, 0.3, std::acos(0.0)}) {
    const Model model = serial_chain(64, skew);
    MethodRig<Plain> rig(model);
    set_random_state(rig, model);
    const Operations count = count_of([&] { rig.by_aba(NoForces{}); });
    EXPECT_LE(count.mul, 300 * 64);
    EXPECT_LE(count.add, 279 * 64);
    EXPECT_EQ(count.sincos, 64);
    std::printf("  skew %.2f %.0f / %.0f", skew, static_cast<double>(count.mul) / 64,
                static_cast<double>(count.add) / 64);
  }
  std::printf("  (paper 300 / 279)\n");
}

struct Formula {
  double mul, add;
};

/// One processor.
TEST(OperationCounts, DcaOnOneProcessor) {
  for (const int n : {64, 256}) {
    const Model model = chain(n);
    MethodRig<Plain> rig(model);
    set_random_state(rig, model);
    const Operations count = count_of([&] { rig.by_dca(SequentialExecutor{}, NoForces{}); });
    const Operations aba = count_of([&] { rig.by_aba(NoForces{}); });
    const Operations kinematics = count_of([&] { rig.kinematics(); });
    const Operations path =
        count_of([&] { rig.by_dca(LongestItemCounts{}, NoForces{}); }) - kinematics;
    std::printf(
        "DCA, n = %3d: one processor %.0f / %.0f a body (paper 1150 / 937), n processors without "
        "kinematics %lld / %lld (paper %.0f / %.0f)\n",
        n, static_cast<double>(count.mul) / n, static_cast<double>(count.add) / n,
        static_cast<long long>(path.mul), static_cast<long long>(path.add), 928 * std::log2(n),
        812 * std::log2(n));
    EXPECT_GT(count.mul, 3 * aba.mul);  // what it costs on one processor
    EXPECT_LT(path.mul, aba.mul);       // and gains with many
  }
}

Formula dcae_formula(int n, int p) {
  const double levels = std::log2(p / 2.0), block = static_cast<double>(n) / p;
  return {928 * levels + 637 * block - 495, 812 * levels + 548 * block - 446};
}

/// With p processors, each of which has a block.
Operations dcae_count(MethodRig<Plain>& rig, int p, double share) {
  return count_of([&] { rig.by_dcae(LongestItemCounts{}, p, share, NoForces{}); });
}

TEST(OperationCounts, DcaeTakesAsManyAsTheirs) {
  const int n = 1024;
  const Model model = chain(n);
  MethodRig<Plain> rig(model);
  set_random_state(rig, model);
  const Operations aba = count_of([&] { rig.by_aba(NoForces{}); });
  const Operations one = count_of([&] { rig.by_dcae(SequentialExecutor{}, 1, 0.5, NoForces{}); });
  EXPECT_LE(std::abs(static_cast<double>(one.mul - aba.mul)), 0.01 * static_cast<double>(aba.mul));
  std::printf(
      "DCAe, n = %d, equal blocks, mul / add of the longest path (paper); ABA %lld / %lld\n", n,
      static_cast<long long>(aba.mul), static_cast<long long>(aba.add));
  for (const int p : {2, 4, 8, 16}) {
    const Operations count = dcae_count(rig, p, 1.0 / p);
    const Formula paper = dcae_formula(n, p);
    std::printf("  p %2d  %7lld / %7lld  (%7.0f / %7.0f)  %.2f / %.2f\n", p,
                static_cast<long long>(count.mul), static_cast<long long>(count.add), paper.mul,
                paper.add, static_cast<double>(count.mul) / paper.mul,
                static_cast<double>(count.add) / paper.add);
    EXPECT_NEAR(static_cast<double>(count.mul), paper.mul, 0.25 * paper.mul);
    EXPECT_NEAR(static_cast<double>(count.add), paper.add, 0.25 * paper.add);
  }
}

/// Equal blocks on two processors gain nothing over ABA; it takes a longer last block.
TEST(OperationCounts, DcaeGainsByALongerLastBlock) {
  const Model model = chain(1024);
  MethodRig<Plain> rig(model);
  set_random_state(rig, model);
  const Operations aba = count_of([&] { rig.by_aba(NoForces{}); });
  const auto gain = [&](int p, double share) {
    const Operations count = dcae_count(rig, p, share);
    return static_cast<double>(aba.mul + aba.add) / static_cast<double>(count.mul + count.add);
  };
  std::printf("DCAe, n = 1024, fewer operations than ABA by the share of the last block:\n  p 2 ");
  for (const double share : {0.5, 0.67, 0.7, 0.75, 0.8}) {
    std::printf("  %.2f: %.2f", share, gain(2, share));
  }
  std::printf("\n  p 4 ");
  for (const double share : {0.25, 0.4, 0.45, 0.5, 0.55}) {
    std::printf("  %.2f: %.2f", share, gain(4, share));
  }
  std::printf("\n");
  EXPECT_LT(gain(2, 0.5), 1);
  EXPECT_GT(gain(2, 0.7), 1.3);
  EXPECT_GT(gain(4, 0.45), 2);
}

/// The first `joints` joints of ten UR5 in series, each on the flange of the one before. Masses,
/// lengths and inertias are those of its ROS description.
Model ur5_chain(int joints) {
  struct Row {
    double x, y, z;  // of the joint in the link before
    double pitch;    // and its turn about y
    Vec3<double> axis;
    double mass, com_z, Ixx, Izz;  // of the link it carries
  };
  const double quarter = std::acos(0.0);
  const Vec3<double> y{0, 1, 0}, z{0, 0, 1};
  const Row rows[] = {
      {0, 0, 0.089159, 0, z, 3.7, 0, 0.010267495893, 0.00666},
      {0, 0.13585, 0, quarter, y, 8.393, 0.28, 0.22689067591, 0.0151074},
      {0, -0.1197, 0.425, 0, y, 2.275, 0.25, 0.049443313556, 0.004095},
      {0, 0, 0.39225, quarter, y, 1.219, 0, 0.111172755531, 0.21942},
      {0, 0.093, 0, 0, z, 1.219, 0, 0.111172755531, 0.21942},
      {0, 0, 0.09465, 0, y, 0.1879, 0, 0.0171364731454, 0.033822},
  };
  RobotDescription robot;
  robot.name = "ur5_chain";
  robot.links.push_back({"base", std::nullopt});
  for (int i = 0; i < joints; ++i) {
    const Row& row = rows[i % 6];
    JointDescription joint;
    joint.name = "joint_" + std::to_string(i);
    joint.kind = JointKind::revolute;
    joint.parent = robot.links.back().name;
    joint.child = "link_" + std::to_string(i);
    joint.axis = row.axis;
    joint.origin = pose_from_rpy({row.x, row.y, row.z}, 0, row.pitch, 0);
    if (i > 0 && i % 6 == 0) {  // on a flange, which looks along y
      joint.origin = pose_from_rpy({0, 0.0823 + row.z, 0}, -quarter, 0, 0);
    }
    LinkInertial inertial;
    inertial.mass = row.mass;
    inertial.origin.position = {0, 0, row.com_z};
    inertial.rotational = {row.Ixx, 0, 0, row.Ixx, 0, row.Izz};
    robot.links.push_back({joint.child, inertial});
    robot.joints.push_back(joint);
  }
  return build_model(robot);
}

struct Counts {
  std::int64_t G, C, ID, M, aba, crba;
};

Counts ur5_counts(int joints) {
  const Model model = ur5_chain(joints);
  MethodRig<Folded> rig(model);
  set_random_state(rig, model);
  return {count_of([&] { rig.gravity_forces(); }).total(),
          count_of([&] { rig.coriolis_forces(); }).total(),
          count_of([&] { rig.inverse_dynamics(); }).total(),
          count_of([&] { rig.mass_matrix(); }).total(),
          count_of([&] { rig.by_aba(NoForces{}); }).total(),
          count_of([&] { rig.by_crba(); }).total()};
}

/// Beside the sizes of the expressions in Johannessen's thesis (urdf2casadi).
TEST(OperationCounts, OfTenUr5InSeries) {
  const struct {
    int joints;
    Counts paper;  // 0: not given
  } rows[] = {{2, {26, 103, 134, 52, 209, 0}},           {6, {199, 648, 696, 872, 1948, 2354}},
              {10, {429, 1309, 1378, 3055, 4546, 0}},    {20, {883, 2766, 2854, 9499, 10320, 0}},
              {30, {1351, 4258, 4366, 17281, 15947, 0}}, {40, {1829, 5784, 5912, 29320, 22123, 0}},
              {50, {2246, 7157, 7305, 40795, 27277, 0}}, {60, {2726, 8683, 8851, 56308, 33253, 0}}};
  std::printf("ten UR5 in series: ours (urdf2casadi)\n");
  for (const auto& [joints, paper] : rows) {
    const Counts ours = ur5_counts(joints);
    const auto cell = [](const char* name, std::int64_t a, std::int64_t b) {
      std::printf("  %s %6lld (%5lld)", name, static_cast<long long>(a), static_cast<long long>(b));
    };
    std::printf("%2d DoF", joints);
    cell("G", ours.G, paper.G);
    cell("C", ours.C, paper.C);
    cell("ID", ours.ID, paper.ID);
    cell("M", ours.M, paper.M);
    cell("aba", ours.aba, paper.aba);
    cell("crba", ours.crba, paper.crba);
    std::printf("\n");
    EXPECT_LT(ours.G, paper.G);
    EXPECT_LT(ours.C, paper.C);
    EXPECT_LT(ours.ID, paper.ID);
    EXPECT_LT(ours.M, paper.M);
    EXPECT_LT(ours.aba, paper.aba);
    if (paper.crba > 0) {
      EXPECT_LT(ours.crba, paper.crba);
    }
  }
}

/// External forces reach all texts of chains.
TEST(MethodRig, ForcesOnBodiesCount) {
  for (const int n : {1, 2, 13}) {
    const Model model = chain(n);
    MethodRig<double> rig(model);
    set_random_state(rig, model);
    Random random(7);
    std::vector<Force<double>> forces;
    for (int i = 0; i < n; ++i) forces.push_back({random.vector(3), random.vector(3)});
    const Column<Force<double>> column{forces.data()};
    rig.by_aba(column);
    const std::vector<double> expected = rig.result();
    const auto expect_same = [&](const char* method) {
      for (std::size_t k = 0; k < expected.size(); ++k) {
        EXPECT_NEAR(rig.result()[k], expected[k], 1e-10 * (1 + std::abs(expected[k]))) << method;
      }
    };
    rig.by_dca(SequentialExecutor{}, column);
    expect_same("dca");
    rig.by_hybrid_abia(column);
    expect_same("hybrid_abia");
    for (int blocks = 1; blocks <= std::min(n, 4); ++blocks) {
      rig.by_dcae(SequentialExecutor{}, blocks, 0.4, column);
      expect_same("dcae");
    }
  }
}

}  // namespace
}  // namespace rbd_parallel_core
