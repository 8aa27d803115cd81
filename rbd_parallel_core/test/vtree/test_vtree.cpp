// SPDX-License-Identifier: Apache-2.0
//
// The vtree of a parent array: lp and rp are the Euler tour, however they are built.

#include "rbd_parallel_core/vtree/vtree.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "rbd_parallel_core/vtree/parallel_build.hpp"
#include "rbd_parallel_core/vtree/threaded_loop.hpp"
#include "vtree/trees.hpp"

namespace rbd_parallel_core {
namespace {

using trees::at;
using trees::Parents;
using trees::size_of;
using trees::Tree;

Parents lp_of(const VTree& tree) { return {tree.lp().begin(), tree.lp().end()}; }
Parents rp_of(const VTree& tree) { return {tree.rp().begin(), tree.rp().end()}; }

TEST(VTree, TourOfFourNodes) {
  const VTree tree(Parents{-1, 0, 0, 1});
  EXPECT_EQ(lp_of(tree), (Parents{0, 1, 5, 2}));
  EXPECT_EQ(rp_of(tree), (Parents{7, 4, 6, 3}));
}

TEST(VTree, TourOfABinaryTree) {
  const VTree tree(Parents{-1, 0, 0, 1, 1, 2});
  EXPECT_EQ(lp_of(tree), (Parents{0, 1, 7, 2, 4, 8}));
  EXPECT_EQ(rp_of(tree), (Parents{11, 6, 10, 3, 5, 9}));
}

TEST(VTree, SeveralRootsHangOnAVirtualOne) {
  const VTree tree(Parents{-1, 0, -1});
  EXPECT_TRUE(tree.has_virtual_root());
  EXPECT_EQ(tree.size(), 3);
  EXPECT_EQ(lp_of(tree), (Parents{1, 2, 5, 0}));
  EXPECT_EQ(rp_of(tree), (Parents{4, 3, 6, 7}));
}

TEST(VTree, ARootMayBeItsOwnParent) {
  EXPECT_EQ(lp_of(VTree(Parents{2, 0, 2})), lp_of(VTree(Parents{2, 0, -1})));
}

TEST(VTree, NoNodeAndOneNode) {
  const VTree none((Parents())), one(Parents{-1});
  EXPECT_EQ(none.size(), 0);
  EXPECT_EQ(none.view().step_count(), 0);
  EXPECT_TRUE(none.depths().empty());
  EXPECT_EQ(lp_of(one), Parents{0});
  EXPECT_EQ(rp_of(one), Parents{1});
  EXPECT_EQ(one.subtree_size(0), 1);
  EXPECT_FALSE(one.is_ancestor(0, 0));
  const SequentialExecutor executor;
  EXPECT_EQ(VTree::built_by(executor, Parents()).size(), 0);
  EXPECT_EQ(rp_of(VTree::built_by(executor, Parents{-1})), Parents{1});
}

class Shapes : public testing::TestWithParam<Tree> {};
INSTANTIATE_TEST_SUITE_P(Small, Shapes, testing::ValuesIn(trees::shapes(60)),
                         [](const auto& tree) { return tree.param.name; });

/// What defines the tour: each of its steps is used once; a node lies within its parent's steps;
/// siblings follow each other in the order of their indices without a gap.
TEST_P(Shapes, StepsAreAnEulerTour) {
  const VTree tree(GetParam().parents);
  const VTreeView view = tree.view();
  std::vector<int> used(at(view.step_count()), 0);
  for (std::int32_t i = 0; i < view.node_count; ++i) {
    ++used[at(view.lp[i])];
    ++used[at(view.rp[i])];
  }
  EXPECT_EQ(std::count(used.begin(), used.end(), 1), view.step_count());
  for (std::int32_t i = 0; i < tree.size(); ++i) {
    const std::int32_t p = GetParam().parents[at(i)];
    const std::int32_t parent = p < 0 ? view.node_count - 1 : p;
    if (p < 0 && !tree.has_virtual_root()) continue;
    std::int32_t expected = view.lp[parent] + 1;
    for (std::int32_t j = 0; j < i; ++j) {
      if (GetParam().parents[at(j)] == p) expected = view.rp[j] + 1;
    }
    EXPECT_EQ(view.lp[i], expected);
    EXPECT_LT(view.rp[i], view.rp[parent]);
  }
}

TEST_P(Shapes, DepthSizeAndAncestorsAreThoseOfAWalk) {
  const Parents& parents = GetParam().parents;
  const VTree tree(parents);
  const std::int32_t n = size_of(parents);
  std::vector<std::vector<bool>> above(at(n), std::vector<bool>(at(n), false));  // [i][ancestor]
  std::vector<std::int32_t> depth(at(n), 0), size(at(n), 1);
  for (std::int32_t i = 0; i < n; ++i) {
    for (std::int32_t j = parents[at(i)]; j >= 0; j = parents[at(j)]) {
      above[at(i)][at(j)] = true;
      ++depth[at(i)];
      ++size[at(j)];
    }
  }
  EXPECT_EQ(tree.depths(), depth);
  for (std::int32_t i = 0; i < n; ++i) {
    EXPECT_EQ(tree.subtree_size(i), size[at(i)]);
    for (std::int32_t j = 0; j < n; ++j) EXPECT_EQ(tree.is_ancestor(j, i), above[at(i)][at(j)]);
  }
}

template <Executor Exec>
void expect_same_build(const Exec& executor, const Parents& parents) {
  const VTree one_by_one(parents), parallel = VTree::built_by(executor, parents);
  EXPECT_EQ(one_by_one.size(), parallel.size());
  EXPECT_EQ(lp_of(one_by_one), lp_of(parallel));
  EXPECT_EQ(rp_of(one_by_one), rp_of(parallel));
}

TEST_P(Shapes, ParallelBuildIsTheSame) {
  expect_same_build(SequentialExecutor{}, GetParam().parents);
  expect_same_build(BlellochExecutor<SerialLoop>{}, GetParam().parents);
  for (const int threads : {1, 2, 3}) {
    for (const std::int32_t block : {1, 7, 64, 0}) {
      expect_same_build(BlockedExecutor(ThreadedLoop(threads), block), GetParam().parents);
    }
  }
}

/// Nothing recurses: a chain may be long. And several threads have something to do.
TEST(VTree, AMillionNodes) {
  const BlockedExecutor executor(ThreadedLoop(2));
  for (const Tree& tree : trees::shapes(1000000)) {
    if (tree.name != "chain" && tree.name != "shuffled_forest") continue;
    SCOPED_TRACE(tree.name);
    expect_same_build(executor, tree.parents);
  }
}

TEST(VTree, AHundredThousandNodesOfEveryShape) {
  const BlockedExecutor executor(ThreadedLoop(2));
  for (const Tree& tree : trees::shapes(100000)) {
    SCOPED_TRACE(tree.name);
    expect_same_build(executor, tree.parents);
  }
}

/// The text of what building throws, by itself and by an executor, which must agree.
std::string refusal(const Parents& parents) {
  std::string texts[2];
  const auto text_of = [](const auto& build) -> std::string {
    try {
      build();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  texts[0] = text_of([&] { VTree tree(parents); });
  texts[1] = text_of([&] { VTree::built_by(SequentialExecutor{}, parents); });
  EXPECT_EQ(texts[0], texts[1]);
  return texts[0];
}

TEST(VTree, AParentThatIsNoNodeIsNamed) {
  EXPECT_EQ(refusal({-1, 0, 3}),
            "VTree: node 2 has the parent 3, which is no node; give 0 to 2, or -1 for a root");
  EXPECT_EQ(refusal({-1, -2, 0}),
            "VTree: node 1 has the parent -2, which is no node; give 0 to 2, or -1 for a root");
  EXPECT_NE(refusal({-1, std::numeric_limits<std::int32_t>::max()}), "");
  EXPECT_NE(refusal({std::numeric_limits<std::int32_t>::min(), 0}), "");
}

TEST(VTree, ACycleIsNamed) {
  EXPECT_EQ(refusal({-1, 3, 1, 2}),
            "VTree: node 3 is its own ancestor, by way of its parent 2; give one node of the cycle "
            "the parent -1");
}

/// The named node is on the cycle, not on a branch that hangs on it.
TEST(VTree, ACycleIsFoundFromABranchOfIt) {
  // 0 - 1 - 2 - 3 - 2: nodes 0 and 1 lead into the cycle of 2 and 3
  const std::string text = refusal({1, 2, 3, 2});
  EXPECT_TRUE(text.starts_with("VTree: node 2 ") || text.starts_with("VTree: node 3 ")) << text;
}

TEST(VTree, ACycleWithoutAnyRootIsNamed) {
  EXPECT_NE(refusal({1, 0}), "");
  Parents ring = trees::chain(100000);
  ring.front() = 99999;
  EXPECT_NE(refusal(ring), "");
}

TEST(ThreadedLoop, NeedsAThread) {
  EXPECT_THROW(ThreadedLoop(0), std::invalid_argument);
  EXPECT_THROW(ThreadedLoop(-3), std::invalid_argument);
}

TEST(ThreadedLoop, EveryRoundRunsOnce) {
  for (const int threads : {1, 2, 5}) {
    const ThreadedLoop loop(threads);
    for (const std::int32_t count : {0, 1, 2, 1000}) {
      std::vector<int> calls(at(count), 0);
      loop(count, [&](std::int32_t k) { ++calls[at(k)]; });
      EXPECT_EQ(std::count(calls.begin(), calls.end(), 1), count);
    }
  }
}

}  // namespace
}  // namespace rbd_parallel_core
