// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "block_bodies.hpp"
#include "gpu_launcher.hpp"

namespace rbd_parallel_core {

/// Launches the phases of an operation by blocks, one level after the other. Entries: as of
/// GpuLauncher.
template <class Real, class Entries>
class BlockLauncher {
 public:
  BlockLauncher(const GpuApi& api, GpuApi::Stream stream, const BlockLaunch<Real>& launch)
      : launcher_{&api, stream}, launch_(launch) {}

  int error() const noexcept { return launcher_.error; }

  template <class Phase>
  void all_packs() const noexcept {
    packs<Phase>({0, launch_.context.plan.pack_count});
  }
  /// Outward through a level.
  template <class Seams, class Packs>
  void outward(const BlockLevel& level) const noexcept {
    if (level.has_outward_seams) paths<Seams>(level.paths);
    packs<Packs>(level.packs);
  }
  /// Inward through a level.
  template <class Packs, class Seams>
  void inward(const BlockLevel& level) const noexcept {
    packs<Packs>(level.packs);
    if (level.cut) paths<Seams>(level.paths);
  }
  /// The same, and packs once more after the seams.
  template <class Packs, class Seams, class Again>
  void inward(const BlockLevel& level) const noexcept {
    inward<Packs, Seams>(level);
    if (level.cut) packs<Again>(level.packs);
  }

 private:
  template <class Phase>
  void packs(Range range) const noexcept {
    launcher_.launch(PacksBody<Real, Phase>{launch_, range});
  }
  template <class Phase>
  void paths(Range range) const noexcept {
    launcher_.launch(PathsBody<Real, Phase>{launch_, range});
  }

  GpuLauncher<Entries> launcher_;
  const BlockLaunch<Real>& launch_;
};

}  // namespace rbd_parallel_core
