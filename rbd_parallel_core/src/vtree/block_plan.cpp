// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/vtree/block_plan.hpp"

#include <algorithm>
#include <tuple>

namespace rbd_parallel_core {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
std::int32_t count(const auto& range) { return static_cast<std::int32_t>(range.size()); }

}  // namespace

BlockPlan::BlockPlan(const HeavyPaths& paths, std::span<const std::uint8_t> kind,
                     std::int32_t width, std::int32_t longest, std::uint32_t fill)
    : width_(width) {
  for (std::int32_t l = 0; l < paths.level_count(); ++l) {
    Level level{count(packs_), 0, count(blocks_), 0, false};
    for (std::int32_t path = paths.level_first(l); path < paths.level_first(l + 1); ++path) {
      cut_path(paths, path, kind, longest);
    }
    level.last_block = count(blocks_);
    for (std::int32_t b = level.first_block; b < level.last_block; ++b) {
      level.cut |= !blocks_[at(b)].ends_path;
    }
    make_packs(level, fill);
    level.last_pack = count(packs_);
    levels_.push_back(level);
  }
  find_hanging(paths);
}

void BlockPlan::cut_path(const HeavyPaths& paths, std::int32_t path,
                         std::span<const std::uint8_t> kind, std::int32_t longest) {
  const std::span<const std::int32_t> nodes = paths.nodes(path);
  std::size_t begin = 0;
  while (begin < nodes.size()) {
    const std::uint8_t own = kind[at(nodes[begin])];
    std::size_t end = begin;
    while (end < nodes.size() && kind[at(nodes[end])] == own) ++end;
    // Blocks as equal as can be: lanes wait for the longest.
    const std::size_t pieces = (end - begin + at(longest) - 1) / at(longest);
    for (std::size_t k = 0; k < pieces; ++k) {
      const std::size_t from = begin + (end - begin) * k / pieces;
      const std::size_t to = begin + (end - begin) * (k + 1) / pieces;
      blocks_.push_back({count(nodes_), static_cast<std::int32_t>(to - from), path, own,
                         to == nodes.size(), -1, -1});
      nodes_.insert(nodes_.end(), nodes.begin() + static_cast<std::ptrdiff_t>(from),
                    nodes.begin() + static_cast<std::ptrdiff_t>(to));
    }
    begin = end;
  }
}

void BlockPlan::make_packs(const Level& level, std::uint32_t fill) {
  // Blocks that end their paths come last: they cost less, unless they share a pack with others.
  std::vector<std::int32_t> order;
  for (std::int32_t b = level.first_block; b < level.last_block; ++b) order.push_back(b);
  const auto rank = [&](std::int32_t b) {
    const Block& block = blocks_[at(b)];
    return std::tuple(block.kind, block.ends_path, -block.length);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return rank(a) < rank(b); });

  for (std::size_t begin = 0; begin < order.size();) {
    const Block& first = blocks_[at(order[begin])];
    const bool may_differ = (fill >> first.kind & 1U) != 0;
    BlockPack pack{count(lanes_), 0, first.length, steps_, 0, 0, first.kind, first.ends_path};
    while (pack.blocks < width_ && begin < order.size()) {
      Block& block = blocks_[at(order[begin])];
      const auto [shorter, longer] = std::minmax(block.length, pack.length);
      // A block of half the length would waste the lane for longer than it uses it.
      const bool fits = shorter == longer || (may_differ && 2 * shorter > longer);
      if (block.kind != pack.kind || !fits) break;
      pack.length = longer;
      block.pack = count(packs_);
      block.lane = pack.blocks++;
      lanes_.push_back(order[begin++]);
    }
    for (std::int32_t lane = pack.blocks; lane < width_; ++lane) {
      lanes_.push_back(lanes_[at(pack.first_lane)]);
    }
    steps_ += pack.length;
    longest_pack_ = std::max(longest_pack_, pack.length);
    packs_.push_back(pack);
  }
}

void BlockPlan::find_hanging(const HeavyPaths& paths) {
  struct Place {
    std::int32_t block, step;
  };
  std::vector<Place> place(nodes_.size());
  std::vector<std::int32_t> first_block(at(paths.count()), -1);
  for (std::int32_t b = 0; b < count(blocks_); ++b) {
    const Block& block = blocks_[at(b)];
    if (first_block[at(block.path)] < 0) first_block[at(block.path)] = b;
    for (std::int32_t k = 0; k < block.length; ++k) {
      place[at(nodes_[at(block.first + k)])] = {b, k};
    }
  }
  std::vector<std::vector<HangingPath>> of_pack(packs_.size());
  for (std::int32_t path = 0; path < paths.count(); ++path) {
    const std::int32_t node = paths.hangs_on(path);
    if (node < 0) continue;
    const Place& there = place[at(node)];
    const Block& block = blocks_[at(there.block)];
    of_pack[at(block.pack)].push_back({there.step, block.lane, first_block[at(path)]});
  }
  for (std::size_t p = 0; p < packs_.size(); ++p) {
    packs_[p].first_hanging = count(hanging_);
    packs_[p].hanging = count(of_pack[p]);
    hanging_.insert(hanging_.end(), of_pack[p].begin(), of_pack[p].end());
  }
}

}  // namespace rbd_parallel_core
