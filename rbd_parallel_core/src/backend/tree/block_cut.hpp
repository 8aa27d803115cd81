// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "block_table.hpp"

/// How a robot is cut into blocks and what of it the phases must know, for the lanes of a CPU and
/// for the threads of a GPU.
namespace rbd_parallel_core {

template <class Real>
std::vector<std::int32_t> parents_of(const ModelView<Real>& model) {
  std::vector<std::int32_t> parent;
  for (std::int32_t i = 0; i < model.body_count; ++i) parent.push_back(model.body[i].parent);
  return parent;
}

/// Blocks of one kind of joint that end at heavy bodies where they can. options.fill is set here.
template <class Real>
BlockPlan cut_into_blocks(const ModelView<Real>& model, const HeavyPaths& paths,
                          BlockPlan::Options options);

/// Whether forward dynamics may be done by blocks: on each that does not end its path stands a
/// body that is no lighter than its like. A block divides by the inertia of its last body alone.
template <class Real>
bool can_go_forward(const ModelView<Real>& model, const HeavyPaths& paths, const BlockPlan& plan);

/// By level, whether some path of it hangs on the world.
template <class Real>
std::vector<std::uint8_t> levels_with_roots(const ModelView<Real>& model, const BlockPlan& plan);

/// Of each pack, and of what would follow the last one.
std::vector<PackOffsets> offsets_of(const BlockPlan& plan);

/// The place that the packs need in a work area; its memory is yet to be taken.
WorkArea area_of(const BlockPlan& plan, const std::vector<PackOffsets>& offsets,
                 std::int32_t first_pack, std::int32_t last_pack);

}  // namespace rbd_parallel_core
