// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/model/generators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace rbd_parallel_core {
namespace {

/// Featherstone's autoTree, in his numbering from 1: parent(i) = floor((i - 2 + ceil(b)) / b), 0 is
/// the base.
int parent_by_the_book(int i, double branching) {
  return static_cast<int>(std::floor((i - 2 + std::ceil(branching)) / branching));
}

TEST(SerialChain, ALongOneIsShownInPart) {
  const std::string text = serial_chain(130).tree();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'),
            103);  // a heading, the world, 100, the rest
  EXPECT_TRUE(text.ends_with("\n... and 30 more joints\n")) << text;
}

TEST(AutoTree, ParentsAreThoseOfFeatherstone) {
  for (const double branching : {1.0, 1.5, 2.0, 7.0}) {
    const RobotDescription tree = describe_auto_tree({.bodies = 40, .branching = branching});
    for (int i = 1; i <= 40; ++i) {
      const JointDescription& joint = tree.joints[static_cast<std::size_t>(i - 1)];
      const int parent = parent_by_the_book(i, branching);
      EXPECT_EQ(joint.parent, tree.links[static_cast<std::size_t>(parent)].name)
          << branching << " " << i;
      EXPECT_EQ(joint.child, tree.links[static_cast<std::size_t>(i)].name);
    }
  }
}

TEST(AutoTree, FirstBodyIsTheOnlyOneOnTheBase) {
  for (const double branching : {1.0, 1.5, 2.0, 7.0}) {
    const Model model = auto_tree({.bodies = 30, .branching = branching});
    ASSERT_EQ(model.body_count(), 30);
    for (const Joint& joint : model.joints()) EXPECT_EQ(joint.parent < 0, joint.body == 0);
  }
}

TEST(AutoTree, BranchingTwoHasTwoChildrenABody) {
  const Model model = auto_tree({.bodies = 31, .branching = 2});
  std::vector<int> children(31, 0);
  for (const Joint& joint : model.joints()) {
    if (joint.parent >= 0) ++children[static_cast<std::size_t>(joint.parent)];
  }
  int leaves = 0, inner = 0;
  for (const int n : children) {
    EXPECT_TRUE(n == 0 || n == 2);
    (n == 0 ? leaves : inner) += 1;
  }
  EXPECT_EQ(leaves, 16);
  EXPECT_EQ(inner, 15);
}

TEST(AutoTree, TaperShrinksLengthsAndMasses) {
  const double taper = 0.9;
  const RobotDescription tree = describe_auto_tree({.bodies = 10, .branching = 2, .taper = taper});
  double total = 0;
  for (int i = 0; i < 10; ++i) {
    const LinkInertial& inertial = *tree.links[static_cast<std::size_t>(i) + 1].inertial;
    const double length = std::pow(taper, i), mass = std::pow(taper, 3 * i);
    EXPECT_DOUBLE_EQ(inertial.mass, mass);
    EXPECT_DOUBLE_EQ(inertial.origin.position.x, 0.5 * length);
    // A cylinder wall of radius 0.05 and length 1: m r^2 along, m (r^2 / 2 + l^2 / 12) across.
    EXPECT_DOUBLE_EQ(inertial.rotational.xx, 0.0025 * mass * length * length);
    EXPECT_DOUBLE_EQ(inertial.rotational.yy, (0.00125 + 1.0 / 12) * mass * length * length);
    EXPECT_DOUBLE_EQ(inertial.rotational.zz, inertial.rotational.yy);
    total += mass;
    const JointDescription& joint = tree.joints[static_cast<std::size_t>(i)];
    const int parent = parent_by_the_book(i + 1, 2) - 1;
    EXPECT_DOUBLE_EQ(joint.origin.position.x, parent < 0 ? 0 : std::pow(taper, parent));
  }
  EXPECT_NEAR(auto_tree({.bodies = 10, .branching = 2, .taper = taper}).total_mass(), total, 1e-14);
}

TEST(AutoTree, SkewTurnsAboutTheBody) {
  const double skew = 0.3;
  const RobotDescription tree = describe_auto_tree({.bodies = 3, .skew = skew});
  const Mat3<double>& R = tree.joints[2].origin.rotation;
  EXPECT_DOUBLE_EQ(R.x.x, 1);
  EXPECT_DOUBLE_EQ(R.y.y, std::cos(skew));
  EXPECT_DOUBLE_EQ(R.z.y, std::sin(skew));
  EXPECT_EQ(tree.joints[0].origin.rotation.y.y, 1) << "the first body is not turned";
}

TEST(AutoTree, MassOfAChainIsItsLength) {
  EXPECT_DOUBLE_EQ(serial_chain(17).total_mass(), 17);
  EXPECT_EQ(serial_chain(17).nv(), 17);
  EXPECT_TRUE(serial_chain(17, 0.5, 0.9).warnings().empty());
}

/// Names are numbered so that their order is that of the bodies, which keeps body i on joint i in a
/// chain.
TEST(AutoTree, ALongChainKeepsItsOrder) {
  const Model model = serial_chain(1200);
  for (const Joint& joint : model.joints()) EXPECT_EQ(joint.parent, joint.body - 1);
}

TEST(AutoTree, FaultsNameWhatWasExpected) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  try {
    auto_tree({.bodies = 0, .branching = 0.5, .skew = nan, .taper = -1});
    FAIL() << "a tree of nothing was built";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.faults(),
              (std::vector<std::string>{"auto_tree: bodies is 0, expected 1 to 4000000",
                                        "auto_tree: branching is 0.5, expected at least 1",
                                        "auto_tree: skew is not finite",
                                        "auto_tree: taper is -1, expected above 0"}));
  }
  try {
    auto_tree({.bodies = 1'000'000'000});
    FAIL() << "a tree that fills the memory was built";
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(), "auto_tree: bodies is 1000000000, expected 1 to 4000000");
  }
  EXPECT_THROW(serial_chain(AutoTree::max_bodies + 1), ModelError);
  EXPECT_THROW(auto_tree({.bodies = 3, .branching = std::numeric_limits<double>::infinity()}),
               ModelError);
  EXPECT_THROW(auto_tree({.bodies = 3, .branching = nan}), ModelError);
  EXPECT_THROW(auto_tree({.bodies = 3, .taper = 0}), ModelError);
}

}  // namespace
}  // namespace rbd_parallel_core
