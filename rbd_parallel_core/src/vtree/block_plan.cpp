// SPDX-License-Identifier: Apache-2.0
#include "rbd_parallel_core/vtree/block_plan.hpp"

#include <algorithm>
#include <tuple>

namespace rbd_parallel_core {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
std::int32_t count(const auto& range) { return static_cast<std::int32_t>(range.size()); }

/// How many pieces `length` nodes are cut into, of a path that shares its level with others: few
/// paths must be cut to fill the registers, many fill them as they are.
std::int32_t piece_count(std::int32_t length, std::int32_t paths,
                         const BlockPlan::Options& options) {
  const std::int32_t pieces = (length - 1) / options.longest + 1;
  for (std::int32_t registers = options.registers; registers > 0; registers /= 2) {
    const std::int32_t unit = (registers * options.width + paths - 1) / paths;
    const std::int32_t rounded = (pieces + unit - 1) / unit * unit;
    if (length / rounded >= options.shortest) return rounded;
  }
  return pieces;
}

/// The ends of the pieces: the last is `ending` times as long as the others and those are as equal
/// as can be, since lanes wait for the longest; but moved to the nearest node that may end a block,
/// or left out if there is none within a quarter of a piece. But no block is longer than four
/// pieces, whatever its end: each needs memory for all its steps.
std::vector<std::int32_t> piece_ends(std::span<const std::int32_t> nodes,
                                     std::span<const std::uint8_t> may_end, std::int32_t pieces,
                                     double ending) {
  const std::int32_t length = count(nodes);
  const double piece = length / (pieces - 1 + ending);
  const std::int32_t whole = std::max(static_cast<std::int32_t>(piece), 1);
  const std::int32_t reach = whole / 4, longest = whole * 4;
  std::vector<std::int32_t> ends;
  for (std::int64_t k = 1; k < pieces; ++k) {
    const auto ideal = static_cast<std::int32_t>(piece * static_cast<double>(k));
    const auto fits = [&](std::int32_t end) {
      const std::int32_t last = ends.empty() ? 0 : ends.back();
      return end > last && end < length && (may_end.empty() || may_end[at(nodes[at(end - 1)])]);
    };
    bool found = false;
    for (std::int32_t off = 0; off <= reach && !found; ++off) {
      found = fits(ideal + off) || fits(ideal - off);
      if (found) ends.push_back(fits(ideal + off) ? ideal + off : ideal - off);
    }
    const std::int32_t last = ends.empty() ? 0 : ends.back();
    if (!found && ideal > last && ideal - last >= longest) ends.push_back(ideal);
  }
  ends.push_back(length);
  return ends;
}

}  // namespace

BlockPlan::BlockPlan(const HeavyPaths& paths, std::span<const std::uint8_t> kind,
                     std::span<const std::uint8_t> may_end, const Options& options)
    : options_(options) {
  for (std::int32_t l = 0; l < paths.level_count(); ++l) {
    Level level{count(packs_), 0, count(blocks_), 0, false, count(stretches_), 0};
    const std::int32_t first = paths.level_first(l), end = paths.level_first(l + 1);
    for (std::int32_t path = first; path < end; ++path) {
      cut_path(paths, path, end - first, kind, may_end);
    }
    level.last_block = count(blocks_);
    for (std::int32_t b = level.first_block; b < level.last_block; ++b) {
      level.cut |= !blocks_[at(b)].ends_path;
    }
    make_packs(level);
    level.last_pack = count(packs_);
    find_stretches(level);
    levels_.push_back(level);
  }
  for (std::int32_t g = 0; g < paths.group_count(); ++g) {
    groups_.push_back({paths.group_first(g), paths.group_first(g + 1)});
  }
  find_hanging(paths);
}

void BlockPlan::cut_path(const HeavyPaths& paths, std::int32_t path, std::int32_t paths_of_level,
                         std::span<const std::uint8_t> kind,
                         std::span<const std::uint8_t> may_end) {
  const std::span<const std::int32_t> nodes = paths.nodes(path);
  std::size_t begin = 0;
  while (begin < nodes.size()) {
    const std::uint8_t own = kind[at(nodes[begin])];
    std::size_t end = begin;
    while (end < nodes.size() && kind[at(nodes[end])] == own) ++end;
    const std::span<const std::int32_t> alike = nodes.subspan(begin, end - begin);
    const bool outermost = end == nodes.size();
    std::int32_t from = 0;
    for (const std::int32_t to :
         piece_ends(alike, may_end, piece_count(count(alike), paths_of_level, options_),
                    outermost ? options_.ending : 1)) {
      const bool ends_path = outermost && to == count(alike);
      blocks_.push_back({count(nodes_), to - from, path, own, ends_path, -1, -1});
      nodes_.insert(nodes_.end(), alike.begin() + from, alike.begin() + to);
      from = to;
    }
    begin = end;
  }
}

/// In which order the blocks of a level are put into packs.
std::vector<std::int32_t> BlockPlan::order_of(const Level& level) const {
  // Pieces of one path count as equally long: so they stay in order, and stretches are short.
  std::vector<std::int32_t> order, longest(at(level.last_block - level.first_block));
  for (std::int32_t b = level.last_block - 1; b >= level.first_block; --b) {
    const Block& block = blocks_[at(b)];
    std::int32_t& own = longest[at(b - level.first_block)];
    own = block.length;
    const Block* next = b + 1 < level.last_block ? &block + 1 : nullptr;
    if (next != nullptr && next->path == block.path && next->kind == block.kind) {
      own = std::max(own, longest[at(b + 1 - level.first_block)]);
    }
  }
  for (std::int32_t b = level.first_block; b < level.last_block; ++b) {
    order.push_back(b);
    if (b == level.first_block) continue;
    const Block &block = blocks_[at(b)], &before = blocks_[at(b - 1)];
    if (before.path != block.path || before.kind != block.kind) continue;
    std::int32_t& own = longest[at(b - level.first_block)];
    own = std::max(own, longest[at(b - 1 - level.first_block)]);
  }
  // Blocks that end their paths come last: they cost less, unless they share a pack with others.
  const auto rank = [&](std::int32_t b) {
    const Block& block = blocks_[at(b)];
    return std::tuple(block.kind, block.ends_path, -longest[at(b - level.first_block)]);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return rank(a) < rank(b); });
  return order;
}

/// A stretch ends where the packs so far hold the first blocks of the level and no others.
void BlockPlan::find_stretches(Level& level) {
  std::int32_t pack = level.first_pack, block = level.first_block, furthest = block, seen = block;
  for (std::int32_t p = level.first_pack; p < level.last_pack; ++p) {
    for (std::int32_t l = 0; l < packs_[at(p)].blocks; ++l, ++seen) {
      furthest = std::max(furthest, lanes_[at(packs_[at(p)].first_lane + l)] + 1);
    }
    if (seen != furthest) continue;
    stretches_.push_back({pack, p + 1, block, seen});
    pack = p + 1;
    block = seen;
  }
  level.last_stretch = count(stretches_);
}

void BlockPlan::make_packs(const Level& level) {
  const std::vector<std::int32_t> order = order_of(level);
  for (std::size_t begin = 0; begin < order.size();) {
    const Block& first = blocks_[at(order[begin])];
    const bool may_differ = (options_.fill >> first.kind & 1U) != 0;
    BlockPack pack{count(lanes_), 0, first.length, steps_, 0, 0, first.kind, first.ends_path};
    while (pack.blocks < options_.width && begin < order.size()) {
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
    for (std::int32_t lane = pack.blocks; lane < options_.width; ++lane) {
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
