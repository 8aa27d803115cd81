// SPDX-License-Identifier: Apache-2.0
#include "device_blocks.hpp"

#include <algorithm>
#include <cmath>

#include "device_image.hpp"
#include "kernels/kernel_memory.hpp"
#include "tree/block_cut.hpp"
#include "tree/block_kernels.hpp"

namespace rbd_parallel_core {
namespace {

/// A thread goes through the bodies of a block, then another one through the blocks of a path: both
/// take about as long when a block has as many bodies as the path has blocks.
std::int32_t block_length(const HeavyPaths& paths) {
  constexpr std::int32_t shortest = 16;
  std::size_t longest = 0;
  for (std::int32_t path = 0; path < paths.count(); ++path) {
    longest = std::max(longest, paths.nodes(path).size());
  }
  const double root = std::ceil(std::sqrt(static_cast<double>(longest)));
  return std::max(shortest, static_cast<std::int32_t>(root));
}

/// The first block of each path, and one past the last.
std::vector<std::int32_t> path_starts(const BlockPlan& plan) {
  std::vector<std::int32_t> starts{0};
  for (std::size_t b = 0; b < plan.blocks().size(); ++b) {
    if (plan.blocks()[b].ends_path) starts.push_back(static_cast<std::int32_t>(b) + 1);
  }
  return starts;
}

/// Which path begins with the block.
std::int32_t path_of(const std::vector<std::int32_t>& starts, std::int32_t block) {
  const auto found = std::lower_bound(starts.begin(), starts.end(), block);
  return static_cast<std::int32_t>(found - starts.begin());
}

std::vector<BlockLevel> levels_of(const BlockPlan& plan, const std::vector<std::int32_t>& starts,
                                  std::span<const std::uint8_t> has_roots) {
  std::vector<BlockLevel> levels;
  for (std::size_t l = 0; l < plan.levels().size(); ++l) {
    const BlockPlan::Level& level = plan.levels()[l];
    levels.push_back({{level.first_pack, level.last_pack},
                      {path_of(starts, level.first_block), path_of(starts, level.last_block)},
                      level.cut,
                      level.cut || has_roots[l] != 0});
  }
  return levels;
}

}  // namespace

template <class Real>
DeviceBlocks<Real>::DeviceBlocks(const GpuDevice& device, const ModelView<Real>& model,
                                 const ModelView<Real>& on_device, std::int32_t block) {
  const HeavyPaths paths(parents_of(model));
  const std::int32_t longest = block > 0 ? block : block_length(paths);
  const BlockPlan plan = cut_into_blocks(model, paths, {.width = 1, .longest = longest});
  const std::vector<PackOffsets> offsets = offsets_of(plan);
  const std::vector<std::int32_t> starts = path_starts(plan);
  can_go_forward_ = rbd_parallel_core::can_go_forward(model, paths, plan);
  levels_ = levels_of(plan, starts, levels_with_roots(model, plan));

  const auto packs = static_cast<std::int32_t>(plan.packs().size());
  const BlockContext<Real> context{
      model, PlanView::of(plan), offsets.data(), nullptr, area_of(plan, offsets, 0, packs), false};
  launch_.context = context;
  launch_.context.model = on_device;
  send_shared(device, context);
  send_plan(device, plan, offsets, starts);
  take_memory(device, context);
}

/// What the phases share is prepared on the host.
template <class Real>
void DeviceBlocks<Real>::send_shared(const GpuDevice& device, BlockContext<Real> context) {
  const BlockTable<Real>& table = lone_block_table<Real>(InstructionSet::baseline);
  const std::size_t bytes = table.shared_bytes(context);
  const KernelMemory shared(bytes);
  context.shared = shared.get();
  table.prepare(context);
  shared_ = sent(device, {shared.get(), bytes}, "sending the blocks");
  launch_.context.shared = shared_.get();
  const auto* const singular =
      reinterpret_cast<const std::byte*>(BlockShared<Real>::in(context).singular);
  singular_ = {reinterpret_cast<const std::int32_t*>(shared_.get() + (singular - shared.get())),
               static_cast<std::size_t>(context.plan.block_count)};
}

template <class Real>
void DeviceBlocks<Real>::send_plan(const GpuDevice& device, const BlockPlan& plan,
                                   std::span<const PackOffsets> offsets,
                                   std::span<const std::int32_t> starts) {
  DeviceImage image;
  const std::size_t at_packs = image.append(plan.packs()), at_blocks = image.append(plan.blocks()),
                    at_lanes = image.append(plan.lanes()), at_nodes = image.append(plan.nodes()),
                    at_hanging = image.append(plan.hanging()), at_offsets = image.append(offsets),
                    at_starts = image.append(starts);
  plan_ = image.sent_to(device, "sending the blocks");
  const auto place = [&]<class T>(const T*& pointer, std::size_t at) {
    pointer = reinterpret_cast<const T*>(plan_.get() + at);
  };
  PlanView& view = launch_.context.plan;
  place(view.packs, at_packs);
  place(view.blocks, at_blocks);
  place(view.lanes, at_lanes);
  place(view.nodes, at_nodes);
  place(view.hanging, at_hanging);
  place(launch_.context.offsets, at_offsets);
  place(launch_.paths, at_starts);
}

template <class Real>
void DeviceBlocks<Real>::take_memory(const GpuDevice& device, const BlockContext<Real>& context) {
  const std::size_t work = BlockWork<Real>::bytes(context.work);
  const auto packs = static_cast<std::size_t>(context.plan.pack_count);
  const auto steps = static_cast<std::size_t>(context.plan.step_count);
  const std::size_t scratch =
      BlockScratch<Real>::bytes(steps) + packs * BlockScratch<Real>::bytes(0);
  work_ = GpuMemory(device, work);
  scratch_ = GpuMemory(device, scratch);
  launch_.context.work.memory = work_.get();
  launch_.scratch = scratch_.get();
}

template class DeviceBlocks<double>;
template class DeviceBlocks<float>;

}  // namespace rbd_parallel_core
