// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "gpu/host/gpu_api.hpp"
#include "tree/block_table.hpp"

/// Dynamics by blocks of one state of one large tree (docs/vtree.md) on a device.
namespace rbd_parallel_core {

/// What all launches of one operation have in common. All pointers are the device's.
template <class Real>
struct BlockLaunch {
  BlockContext<Real> context;
  TreeState<Real> state;
  std::byte* scratch;         ///< of all packs, each with its own (scratch_before_pack)
  const std::int32_t* paths;  ///< the first block of each, and one past the last
};

/// What is computed side by side.
struct BlockLevel {
  Range packs, paths;
  bool cut;                ///< some path has several blocks
  bool has_outward_seams;  ///< some base follows from the world or from the block before it
};

/// The operations, on a device or on a CPU. They return 0, or the error of the first launch that
/// failed.
template <class Real>
struct BlockOperations {
  using Operation = int (*)(const GpuApi& api, GpuApi::Stream stream,
                            const BlockLaunch<Real>& launch,
                            std::span<const BlockLevel> levels) noexcept;
  Operation inverse_dynamics, forward_dynamics;
};

}  // namespace rbd_parallel_core
