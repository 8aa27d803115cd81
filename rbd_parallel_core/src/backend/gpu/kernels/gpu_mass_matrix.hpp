// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "block_launcher.hpp"
#include "mass_matrix_launch.hpp"

namespace rbd_parallel_core {

/// The mass matrix by blocks on a device, its columns one level after the other.
/// Included by the file that is compiled for the device, and by the one for a CPU.
template <class Real, class Entries>
class GpuMassMatrix {
 public:
  static MassMatrixOperations<Real> operations() {
    return {columns, Entries::template of<DenseMatrixBody<Real>>(),
            Entries::template of<SparseMatrixBody<Real>>()};
  }

 private:
  static int columns(const GpuApi& api, GpuApi::Stream stream, const BlockLaunch<Real>& launch,
                     std::span<const BlockLevel> levels) noexcept {
    const BlockLauncher<Real, Entries> device(api, stream, launch);
    device.template all_packs<ReadPositions>();
    for (const BlockLevel& level : levels) {
      device.template outward<FrameSeams, ColumnAxes>(level);
    }
    for (std::size_t l = levels.size(); l-- > 0;) {
      device.template inward<Composites, CompositeSeams, ForceColumns>(levels[l]);
    }
    return device.error();
  }
};

}  // namespace rbd_parallel_core
