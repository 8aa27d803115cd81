// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "gpu/kernels/block_launch.hpp"
#include "gpu_memory.hpp"

namespace rbd_parallel_core {

/// The blocks of a tree in the memory of a device, with all that their kernels work in.
template <class Real>
class DeviceBlocks {
 public:
  /// model: of the host; on_device: the same there. It must have a body and no mimic joints. block:
  /// bodies of a block, or 0: chosen by the tree. Throws.
  DeviceBlocks(const GpuDevice& device, const ModelView<Real>& model,
               const ModelView<Real>& on_device, std::int32_t block);

  /// For the operations, with a state.
  BlockLaunch<Real> launch(const TreeState<Real>& state) const {
    BlockLaunch<Real> launch = launch_;
    launch.state = state;
    return launch;
  }
  std::span<const BlockLevel> levels() const { return levels_; }
  bool can_go_forward() const { return can_go_forward_; }
  /// After forward dynamics, there: for each block the coordinate at which the motion is singular,
  /// or -1.
  std::span<const std::int32_t> singular() const { return singular_; }

 private:
  void send_shared(const GpuDevice& device, BlockContext<Real> context);
  void send_plan(const GpuDevice& device, const BlockPlan& plan,
                 std::span<const PackOffsets> offsets, std::span<const std::int32_t> starts);
  void take_memory(const GpuDevice& device, const BlockContext<Real>& context);

  GpuMemory plan_, shared_, work_, scratch_;
  BlockLaunch<Real> launch_{};
  std::vector<BlockLevel> levels_;
  bool can_go_forward_ = false;
  std::span<const std::int32_t> singular_;
};

extern template class DeviceBlocks<double>;
extern template class DeviceBlocks<float>;

}  // namespace rbd_parallel_core
