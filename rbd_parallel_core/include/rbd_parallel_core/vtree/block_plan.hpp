// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rbd_parallel_core/vtree/heavy_paths.hpp"

namespace rbd_parallel_core {

/// A piece of a heavy path whose nodes are all of one kind.
struct Block {
  std::int32_t first;       ///< of its nodes, an index into BlockPlan::nodes
  std::int32_t length;      ///< how many nodes
  std::int32_t path;        ///< that it belongs to
  std::uint8_t kind;        ///< of its nodes
  bool ends_path;           ///< nothing but light children hang on it
  std::int32_t pack, lane;  ///< where it is computed
};

/// Blocks that are computed in the lanes of one SIMD register, step by step. A block shorter than
/// the pack is followed by empty steps; a lane without a block repeats the first one.
struct BlockPack {
  std::int32_t first_lane;     ///< of its blocks, an index into BlockPlan::lanes; `width` of them
  std::int32_t blocks;         ///< how many lanes have a block of their own
  std::int32_t length;         ///< steps
  std::int32_t first_step;     ///< among the steps of all packs
  std::int32_t first_hanging;  ///< an index into BlockPlan::hanging
  std::int32_t hanging;        ///< how many paths hang on its nodes
  std::uint8_t kind;
  bool ends_paths;  ///< all its blocks do
};

/// A path that hangs on a node of a pack.
struct HangingPath {
  std::int32_t step, lane;  ///< the node: its step in the pack and its lane
  std::int32_t block;       ///< the first block of the path
};

/// How a tree is cut into blocks, and which of them are computed side by side. Depends on the tree,
/// on the width of the registers and on the options only, never on the number of threads: so the
/// results do not either.
class BlockPlan {
 public:
  struct Options {
    std::int32_t width = 4;     ///< of the registers
    std::int32_t longest = 64;  ///< block in nodes (mean of a path), unless none near may end it
    std::uint32_t fill = 0;  ///< kinds whose packs may hold blocks of different lengths, a bit each
    /// The paths of a level are cut so short that this many registers are filled, if the blocks
    /// stay longer than `shortest`.
    std::int32_t registers = 1;
    std::int32_t shortest = 1;
    /// A block that ends its path is so many times as long as the others: it costs less a node.
    /// Beyond 1 only where blocks are computed alone, since lanes wait for the longest.
    double ending = 1;
  };
  BlockPlan() = default;  ///< of no paths
  /// kind: what may share a block and a pack, per node. may_end: per node, whether a block should
  /// end there if the path goes on; empty: everywhere.
  BlockPlan(const HeavyPaths& paths, std::span<const std::uint8_t> kind,
            std::span<const std::uint8_t> may_end, const Options& options);

  std::int32_t width() const { return options_.width; }
  std::span<const std::int32_t> nodes() const { return nodes_; }
  /// By path, from its beginning outward; so the next block of a path is the next block.
  std::span<const Block> blocks() const { return blocks_; }
  std::span<const BlockPack> packs() const { return packs_; }
  std::span<const std::int32_t> lanes() const { return lanes_; }  ///< block of each lane
  std::span<const HangingPath> hanging() const { return hanging_; }
  std::int32_t step_count() const { return steps_; }  ///< of all packs
  std::int32_t longest_pack() const { return longest_pack_; }

  /// Packs and blocks of a level of the heavy paths. Those of one level do not wait for each other,
  /// but for the blocks of one path.
  struct Level {
    std::int32_t first_pack, last_pack, first_block, last_block;
    bool cut;  ///< some path has several blocks
    std::int32_t first_stretch, last_stretch;
  };
  std::span<const Level> levels() const { return levels_; }
  /// Packs of a level and all their blocks. What depends on a block of one lies in the same or in a
  /// later stretch, so they can be done one after the other, from the first to the last or back.
  struct Stretch {
    std::int32_t first_pack, last_pack, first_block, last_block;
  };
  std::span<const Stretch> stretches() const { return stretches_; }
  /// Levels of each group of the heavy paths.
  struct Group {
    std::int32_t first_level, last_level;
  };
  std::span<const Group> groups() const { return groups_; }

 private:
  void cut_path(const HeavyPaths& paths, std::int32_t path, std::int32_t paths_of_level,
                std::span<const std::uint8_t> kind, std::span<const std::uint8_t> may_end);
  std::vector<std::int32_t> order_of(const Level& level) const;
  void make_packs(const Level& level);
  void find_stretches(Level& level);
  void find_hanging(const HeavyPaths& paths);

  Options options_;
  std::int32_t steps_ = 0, longest_pack_ = 0;
  std::vector<std::int32_t> nodes_, lanes_;
  std::vector<Block> blocks_;
  std::vector<BlockPack> packs_;
  std::vector<HangingPath> hanging_;
  std::vector<Level> levels_;
  std::vector<Stretch> stretches_;
  std::vector<Group> groups_;
};

}  // namespace rbd_parallel_core
