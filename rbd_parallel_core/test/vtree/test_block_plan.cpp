// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/vtree/block_plan.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "trees.hpp"

namespace rbd_parallel_core::trees {
namespace {

/// The shapes whose parents come before their children, as those of a Model do.
std::vector<Tree> ordered_shapes(std::int32_t n) {
  std::vector<Tree> ordered;
  for (const Tree& tree : shapes(n)) {
    if (tree.name.rfind("shuffled", 0) != 0) ordered.push_back(tree);
  }
  return ordered;
}

std::vector<std::int32_t> subtree_sizes(const Parents& parents) {
  std::vector<std::int32_t> size(parents.size(), 1);
  for (std::size_t i = parents.size(); i-- > 0;) {
    if (parents[i] >= 0) size[at(parents[i])] += size[i];
  }
  return size;
}

TEST(HeavyPaths, EveryNodeIsOnOnePathAndGoesOnToItsLargestChild) {
  for (const std::int32_t n : {1, 2, 17, 1000, 100000}) {
    for (const Tree& tree : ordered_shapes(n)) {
      SCOPED_TRACE(tree.name + " of " + std::to_string(n));
      const HeavyPaths paths(tree.parents);
      const auto size = subtree_sizes(tree.parents);
      std::vector<int> seen(tree.parents.size(), 0);
      std::vector<std::int32_t> next(tree.parents.size(), -1);
      for (std::int32_t path = 0; path < paths.count(); ++path) {
        const auto nodes = paths.nodes(path);
        ASSERT_FALSE(nodes.empty());
        EXPECT_EQ(paths.hangs_on(path), tree.parents[at(nodes[0])]);
        for (std::size_t k = 0; k < nodes.size(); ++k) {
          ++seen[at(nodes[k])];
          if (k > 0) {
            ASSERT_EQ(tree.parents[at(nodes[k])], nodes[k - 1]);
            next[at(nodes[k - 1])] = nodes[k];
          }
        }
      }
      for (std::size_t i = 0; i < tree.parents.size(); ++i) {
        ASSERT_EQ(seen[i], 1);
        if (tree.parents[i] < 0) continue;
        const std::int32_t heavy = next[at(tree.parents[i])];
        ASSERT_GE(heavy, 0) << "a path ends at a node with children";
        ASSERT_GE(size[at(heavy)], size[i]);
      }
    }
  }
}

TEST(HeavyPaths, LevelsAreFewAndGoOutward) {
  for (const Tree& tree : ordered_shapes(50000)) {
    SCOPED_TRACE(tree.name);
    const HeavyPaths paths(tree.parents);
    EXPECT_LE(paths.level_count(), 1 + std::log2(50000.0));
    std::vector<std::int32_t> level(tree.parents.size());
    for (std::int32_t l = 0; l < paths.level_count(); ++l) {
      for (std::int32_t path = paths.level_first(l); path < paths.level_first(l + 1); ++path) {
        for (const std::int32_t node : paths.nodes(path)) level[at(node)] = l;
        if (l == 0) {
          EXPECT_EQ(paths.hangs_on(path), -1);
        } else {
          EXPECT_EQ(level[at(paths.hangs_on(path))], l - 1);
        }
      }
    }
  }
}

TEST(SubtreeGroups, AreWholeSubtreesAndNotTooLarge) {
  for (const std::int32_t largest : {1, 10, 300}) {
    for (const Tree& tree : ordered_shapes(3000)) {
      SCOPED_TRACE(tree.name + ", groups of " + std::to_string(largest));
      const auto group = subtree_groups(tree.parents, largest);
      const auto size = subtree_sizes(tree.parents);
      std::vector<std::int32_t> nodes(tree.parents.size() + 1, 0);
      for (std::size_t i = 0; i < tree.parents.size(); ++i) {
        ++nodes[at(group[i])];
        ASSERT_EQ(group[i] == 0, size[i] > largest);
        const std::int32_t parent = tree.parents[i];
        if (parent >= 0 && group[at(parent)] != 0) {
          ASSERT_EQ(group[i], group[at(parent)]);
        }
      }
      for (std::size_t g = 1; g < nodes.size(); ++g) ASSERT_LE(nodes[g], largest);
    }
  }
}

TEST(HeavyPaths, StayInTheirGroupAndSoDoLevels) {
  for (const Tree& tree : ordered_shapes(3000)) {
    SCOPED_TRACE(tree.name);
    const auto group = subtree_groups(tree.parents, 100);
    const HeavyPaths paths(tree.parents, group);
    std::vector<std::int32_t> level(tree.parents.size(), -1);
    std::int32_t nodes = 0;
    for (std::int32_t g = 0; g < paths.group_count(); ++g) {
      for (std::int32_t l = paths.group_first(g); l < paths.group_first(g + 1); ++l) {
        for (std::int32_t path = paths.level_first(l); path < paths.level_first(l + 1); ++path) {
          for (const std::int32_t node : paths.nodes(path)) {
            ASSERT_EQ(group[at(node)], g);
            level[at(node)] = l;
            ++nodes;
          }
          const std::int32_t parent = paths.hangs_on(path);
          if (parent < 0) continue;
          ASSERT_EQ(parent, tree.parents[at(paths.nodes(path)[0])]);
          ASSERT_GE(level[at(parent)], 0) << "hangs on what comes later";
          ASSERT_LT(level[at(parent)], l);
        }
      }
    }
    EXPECT_EQ(nodes, static_cast<std::int32_t>(tree.parents.size()));
    EXPECT_EQ(paths.group_first(paths.group_count()), paths.level_count());
  }
}

TEST(HeavyPaths, NoNodesNoPaths) {
  const HeavyPaths paths(Parents{});
  EXPECT_EQ(paths.count(), 0);
  EXPECT_EQ(paths.level_count(), 0);
}

TEST(HeavyPaths, RefusesWhatIsNotInOrder) {
  for (const Parents& bad : {Parents{0}, Parents{-1, 2, 0}, Parents{-1, -2}, Parents{1, -1}}) {
    EXPECT_THROW(HeavyPaths{bad}, std::invalid_argument);
  }
  try {
    HeavyPaths{Parents{-1, 0, 7}};
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "heavy paths: node 2 has the parent 7; expected -1 or a smaller number, so sort "
                 "the nodes first");
  }
}

/// Two kinds at random.
std::vector<std::uint8_t> kinds_of(const Parents& parents) {
  std::mt19937 engine(9);
  std::vector<std::uint8_t> kind(parents.size());
  for (auto& k : kind) k = engine() % 7 == 0 ? 1 : 0;
  return kind;
}

TEST(BlockPlan, EveryNodeIsInOneBlockAndEveryBlockInOneLane) {
  for (const std::int32_t longest : {1, 3, 64}) {
    for (const Tree& tree : ordered_shapes(3000)) {
      SCOPED_TRACE(tree.name + ", blocks of " + std::to_string(longest));
      const HeavyPaths paths(tree.parents);
      const auto kind = kinds_of(tree.parents);
      const BlockPlan plan(paths, kind, {}, {.width = 4, .longest = longest, .fill = 1});
      std::vector<int> nodes(tree.parents.size(), 0), lanes(plan.blocks().size(), 0);
      for (const Block& block : plan.blocks()) {
        EXPECT_LE(block.length, longest);
        for (std::int32_t k = 0; k < block.length; ++k) {
          const std::int32_t node = plan.nodes()[at(block.first + k)];
          ++nodes[at(node)];
          EXPECT_EQ(kind[at(node)], block.kind);
        }
      }
      for (const int count : nodes) ASSERT_EQ(count, 1);
      std::int32_t steps = 0;
      for (std::size_t p = 0; p < plan.packs().size(); ++p) {
        const BlockPack& pack = plan.packs()[p];
        EXPECT_EQ(pack.first_step, steps);
        steps += pack.length;
        bool all_end = true;
        for (std::int32_t l = 0; l < 4; ++l) {
          const std::int32_t b = plan.lanes()[at(pack.first_lane + l)];
          const Block& block = plan.blocks()[at(b)];
          EXPECT_EQ(block.kind, pack.kind);
          EXPECT_LE(block.length, pack.length);
          if (pack.kind == 1) {
            EXPECT_EQ(block.length, pack.length) << "may not be filled up";
          }
          all_end &= block.ends_path;
          if (l >= pack.blocks) continue;
          EXPECT_EQ(block.pack, static_cast<std::int32_t>(p));
          EXPECT_EQ(block.lane, l);
          ++lanes[at(b)];
        }
        EXPECT_EQ(pack.ends_paths, all_end);
      }
      EXPECT_EQ(plan.step_count(), steps);
      for (const int count : lanes) ASSERT_EQ(count, 1);
    }
  }
}

TEST(BlockPlan, EveryPathHangsOnceOnTheNodeItHangsOn) {
  for (const Tree& tree : ordered_shapes(3000)) {
    SCOPED_TRACE(tree.name);
    const HeavyPaths paths(tree.parents);
    const BlockPlan plan(paths, kinds_of(tree.parents), {}, {.width = 4, .longest = 5, .fill = 1});
    std::int32_t hanging = 0;
    for (const BlockPack& pack : plan.packs()) {
      for (std::int32_t h = 0; h < pack.hanging; ++h) {
        const HangingPath& path = plan.hanging()[at(pack.first_hanging + h)];
        const Block& own = plan.blocks()[at(plan.lanes()[at(pack.first_lane + path.lane)])];
        const Block& child = plan.blocks()[at(path.block)];
        EXPECT_EQ(tree.parents[at(plan.nodes()[at(child.first)])],
                  plan.nodes()[at(own.first + path.step)]);
        ++hanging;
      }
    }
    std::int32_t expected = 0;
    for (std::int32_t path = 0; path < paths.count(); ++path) {
      expected += paths.hangs_on(path) >= 0 ? 1 : 0;
    }
    EXPECT_EQ(hanging, expected);
  }
}

TEST(BlockPlan, AStretchHoldsAllItsBlocksAndNoOthers) {
  for (const Tree& tree : ordered_shapes(3000)) {
    SCOPED_TRACE(tree.name);
    const HeavyPaths paths(tree.parents, subtree_groups(tree.parents, 500));
    const BlockPlan plan(paths, kinds_of(tree.parents), {}, {.width = 4, .longest = 5, .fill = 1});
    std::int32_t pack = 0, block = 0, levels = 0;
    for (const BlockPlan::Group& group : plan.groups()) {
      EXPECT_EQ(group.first_level, levels);
      levels = group.last_level;
    }
    EXPECT_EQ(levels, static_cast<std::int32_t>(plan.levels().size()));
    for (const BlockPlan::Level& level : plan.levels()) {
      EXPECT_EQ(level.first_pack, pack);
      for (std::int32_t s = level.first_stretch; s < level.last_stretch; ++s) {
        const BlockPlan::Stretch& stretch = plan.stretches()[at(s)];
        EXPECT_EQ(stretch.first_pack, pack);
        EXPECT_EQ(stretch.first_block, block);
        pack = stretch.last_pack;
        block = stretch.last_block;
        std::int32_t blocks = 0;
        for (std::int32_t p = stretch.first_pack; p < stretch.last_pack; ++p) {
          for (std::int32_t l = 0; l < plan.packs()[at(p)].blocks; ++l, ++blocks) {
            const std::int32_t b = plan.lanes()[at(plan.packs()[at(p)].first_lane + l)];
            EXPECT_GE(b, stretch.first_block);
            EXPECT_LT(b, stretch.last_block);
          }
        }
        EXPECT_EQ(blocks, stretch.last_block - stretch.first_block);
      }
      EXPECT_EQ(level.last_pack, pack);
      EXPECT_EQ(level.last_block, block);
    }
  }
}

TEST(BlockPlan, AStretchOfAChainIsOnePack) {
  const HeavyPaths paths(chain(1030));
  const std::vector<std::uint8_t> kind(1030, 0);
  const BlockPlan plan(paths, kind, {}, {.width = 8, .longest = 64, .fill = 1});
  EXPECT_EQ(plan.stretches().size(), plan.packs().size());
}

TEST(BlockPlan, LanesOfAChainAreFull) {
  const HeavyPaths paths(chain(1024));
  const std::vector<std::uint8_t> kind(1024, 0);
  const BlockPlan plan(paths, kind, {}, {.width = 8, .longest = 64, .fill = 1});
  ASSERT_EQ(plan.packs().size(), 2u);
  for (const BlockPack& pack : plan.packs()) EXPECT_EQ(pack.blocks, 8);
}

TEST(BlockPlan, FillsRegistersWhileBlocksStayLong) {
  const HeavyPaths paths(chain(1000));
  const std::vector<std::uint8_t> kind(1000, 0);
  BlockPlan::Options options{.width = 8, .longest = 256, .fill = 1, .registers = 2, .shortest = 32};
  EXPECT_EQ(BlockPlan(paths, kind, {}, options).blocks().size(), 16u);
  options.shortest = 100;
  EXPECT_EQ(BlockPlan(paths, kind, {}, options).blocks().size(), 8u);
  options.shortest = 200;
  EXPECT_EQ(BlockPlan(paths, kind, {}, options).blocks().size(), 4u);
}

TEST(BlockPlan, ManyPathsFillRegistersAsTheyAre) {
  Parents parents;  // eight chains of 100
  for (std::int32_t i = 0; i < 800; ++i) parents.push_back(i % 100 == 0 ? -1 : i - 1);
  const std::vector<std::uint8_t> kind(800, 0);
  const BlockPlan::Options options{
      .width = 8, .longest = 256, .fill = 1, .registers = 1, .shortest = 8};
  EXPECT_EQ(BlockPlan(HeavyPaths(parents), kind, {}, options).blocks().size(), 8u);
}

TEST(BlockPlan, TheLastBlockOfAPathMayBeLonger) {
  const HeavyPaths paths(chain(1000));
  std::vector<std::uint8_t> kind(1000, 0);
  const auto lengths = [&](std::int32_t longest) {
    std::vector<std::int32_t> result;
    const BlockPlan plan(paths, kind, {}, {.width = 1, .longest = longest, .ending = 3});
    for (const Block& block : plan.blocks()) result.push_back(block.length);
    return result;
  };
  EXPECT_EQ(lengths(500), (std::vector{250, 750}));
  EXPECT_EQ(lengths(334), (std::vector{200, 200, 600}));
  EXPECT_EQ(lengths(1000), std::vector{1000});
  EXPECT_EQ(lengths(1).back(), 3);
  EXPECT_EQ(std::ranges::min(lengths(1)), 1) << "no block is empty";
  // What another kind hangs on does not end the path.
  for (std::size_t i = 600; i < 1000; ++i) kind[i] = 1;
  EXPECT_EQ(lengths(300), (std::vector{300, 300, 100, 300}));
}

TEST(BlockPlan, NoBlockIsLongerThanMemoryAllows) {
  const std::int32_t n = 10000;
  const HeavyPaths paths(chain(n));
  const std::vector<std::uint8_t> kind(n, 1), nowhere(n, 0);
  const BlockPlan plan(paths, kind, nowhere, {.width = 4, .longest = 50});
  for (const Block& block : plan.blocks()) EXPECT_LE(block.length, 5 * 50);
  // A number beyond all trees is as good as one that is.
  const BlockPlan one(paths, kind, {},
                      {.width = 4, .longest = std::numeric_limits<std::int32_t>::max()});
  EXPECT_EQ(one.longest_pack() * 4, n);
  for (const std::int32_t group :
       subtree_groups(chain(n), std::numeric_limits<std::int32_t>::max())) {
    ASSERT_EQ(group, 1);
  }
}

TEST(BlockPlan, BlocksEndWhereTheyMay) {
  const HeavyPaths paths(chain(1000));
  const std::vector<std::uint8_t> kind(1000, 0);
  std::vector<std::uint8_t> may_end(1000, 0);
  for (std::size_t i = 0; i < 500; i += 7) may_end[i] = 1;
  const BlockPlan plan(paths, kind, may_end, {.width = 4, .longest = 40, .fill = 1});
  std::int32_t ends = 0, longest = 0;
  for (const Block& block : plan.blocks()) {
    longest = std::max(longest, block.length);
    if (block.ends_path) continue;
    if (may_end[at(plan.nodes()[at(block.first + block.length - 1)])] == 0) {
      EXPECT_GE(block.length, 4 * 30) << "where no block may end they are long";
    } else {
      ++ends;
    }
  }
  EXPECT_GE(ends, 10);
  EXPECT_GE(longest, 4 * 30);
}

}  // namespace
}  // namespace rbd_parallel_core::trees
