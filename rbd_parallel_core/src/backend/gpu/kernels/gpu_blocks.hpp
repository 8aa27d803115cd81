// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "block_launcher.hpp"

namespace rbd_parallel_core {

/// Dynamics by blocks on a device, one level after the other.
/// Included by the file that is compiled for the device, and by the one for a CPU.
template <class Real, class Entries>
class GpuBlocks {
 public:
  static BlockOperations<Real> operations() { return {inverse_dynamics, forward_dynamics}; }

 private:
  using Levels = std::span<const BlockLevel>;

  static int inverse_dynamics(const GpuApi& api, GpuApi::Stream stream,
                              const BlockLaunch<Real>& launch, Levels levels) noexcept {
    const BlockLauncher<Real, Entries> device(api, stream, launch);
    device.template all_packs<ReadState>();
    for (const BlockLevel& level : levels) {
      device.template outward<OutwardSeams, Outward>(level);
    }
    for (std::size_t l = levels.size(); l-- > 0;) {
      device.template inward<Inward, InwardSeams, Torques>(levels[l]);
    }
    return device.error();
  }

  static int forward_dynamics(const GpuApi& api, GpuApi::Stream stream,
                              const BlockLaunch<Real>& launch, Levels levels) noexcept {
    const BlockLauncher<Real, Entries> device(api, stream, launch);
    device.template all_packs<ReadForward>();
    for (const BlockLevel& level : levels) {
      device.template outward<VelocitySeams, Velocities>(level);
    }
    for (std::size_t l = levels.size(); l-- > 0;) {
      device.template inward<Articulate, ClosePaths>(levels[l]);
    }
    for (const BlockLevel& level : levels) {
      device.template outward<AccelerationSeams, Accelerations>(level);
    }
    return device.error();
  }
};

}  // namespace rbd_parallel_core
