// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rbd_parallel_core/gpu/kernels/launch.hpp"

namespace rbd_parallel_core {

/// to[c][r] = from[r][c]: brings rows, one state after the other, to lanes and back. A block takes
/// a tile of 32 x 32 by way of its shared memory, so that neighbouring threads read neighbours and
/// write neighbours. The odd row length keeps the threads of a warp from the same bank.
template <class Real>
struct Transpose {
  static constexpr int phases = 2;
  static constexpr std::int32_t tile = 32, padded = tile + 1;

  const Real* from;
  std::int64_t rows, columns, from_stride;
  Real* to;
  std::int64_t to_stride;

  static constexpr std::size_t shared_bytes = sizeof(Real) * tile * padded;
  static RBD_INLINE std::int64_t tiles(std::int64_t n) { return (n + tile - 1) / tile; }
  LaunchShape shape() const { return {tiles(rows) * tiles(columns), largest_block, shared_bytes}; }

  template <int phase>
  RBD_HD void run(const ThreadIndex& at, std::byte* shared) const {
    Real* const numbers = reinterpret_cast<Real*>(shared);
    const std::int64_t row = at.block / tiles(columns) * tile;
    const std::int64_t column = at.block % tiles(columns) * tile;
    for (std::int32_t k = at.thread; k < tile * tile; k += at.block_size) {
      const std::int32_t along = k % tile, across = k / tile;
      if constexpr (phase == 0) {
        const std::int64_t r = row + across, c = column + along;
        if (r < rows && c < columns) numbers[across * padded + along] = from[r * from_stride + c];
      } else {
        const std::int64_t r = row + along, c = column + across;
        if (r < rows && c < columns) to[c * to_stride + r] = numbers[along * padded + across];
      }
    }
  }
};

}  // namespace rbd_parallel_core
