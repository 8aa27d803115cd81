// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "block_bodies.hpp"
#include "gpu_launcher.hpp"

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
    const GpuBlocks device{{&api, stream}, launch};
    device.packs<ReadState>(all_packs(launch));
    for (const BlockLevel& level : levels) device.outward<OutwardSeams, Outward>(level);
    for (std::size_t l = levels.size(); l-- > 0;) {
      device.inward<Inward, InwardSeams>(levels[l]);
      if (levels[l].cut) device.packs<Torques>(levels[l].packs);
    }
    return device.launcher_.error;
  }

  static int forward_dynamics(const GpuApi& api, GpuApi::Stream stream,
                              const BlockLaunch<Real>& launch, Levels levels) noexcept {
    const GpuBlocks device{{&api, stream}, launch};
    device.packs<ReadForward>(all_packs(launch));
    for (const BlockLevel& level : levels) device.outward<VelocitySeams, Velocities>(level);
    for (std::size_t l = levels.size(); l-- > 0;) {
      device.inward<Articulate, ClosePaths>(levels[l]);
    }
    for (const BlockLevel& level : levels) device.outward<AccelerationSeams, Accelerations>(level);
    return device.launcher_.error;
  }

  GpuBlocks(const GpuLauncher<Entries>& launcher, const BlockLaunch<Real>& launch)
      : launcher_(launcher), launch_(launch) {}

  static Range all_packs(const BlockLaunch<Real>& launch) {
    return {0, launch.context.plan.pack_count};
  }
  template <class Phase>
  void packs(Range range) const {
    launcher_.launch(PacksBody<Real, Phase>{launch_, range});
  }
  template <class Phase>
  void paths(Range range) const {
    launcher_.launch(PathsBody<Real, Phase>{launch_, range});
  }
  template <class Seams, class Packs>
  void outward(const BlockLevel& level) const {
    if (level.has_outward_seams) paths<Seams>(level.paths);
    packs<Packs>(level.packs);
  }
  template <class Packs, class Seams>
  void inward(const BlockLevel& level) const {
    packs<Packs>(level.packs);
    if (level.cut) paths<Seams>(level.paths);
  }

  GpuLauncher<Entries> launcher_;
  const BlockLaunch<Real>& launch_;
};

}  // namespace rbd_parallel_core
