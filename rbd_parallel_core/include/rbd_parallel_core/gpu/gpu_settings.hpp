// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace rbd_parallel_core {

/// Larger mass matrices, nv x nv, are left to other backends: one thread would work on them alone.
inline constexpr int largest_gpu_matrix = 512;

/// How the backend "cuda" uses its device. `configure` refuses settings that would have no effect.
struct GpuSettings {
  /// As CUDA numbers them. Calls leave it the current one of their thread.
  int device = 0;
  /// Bytes of the device that configure may take in all, or 0: half of what is free.
  std::size_t memory = 0;
  std::size_t chunk = 65536;  ///< most states that are computed at once
  std::int32_t block = 128;   ///< threads of a block, one for each state; at most 256
  /// One state after the other, its bodies in parallel (docs/vtree.md). For one large tree. Of
  /// robots without mimic joints inverse and forward dynamics and the mass matrix, dense and
  /// sparse, by blocks, unless TreeOptions::family asks for scans. By scans inverse dynamics
  /// without wrenches and the dense mass matrix only; what is left takes one thread.
  bool bodies_in_parallel = false;
  /// Two chunks of a batch under way at once, each with memory of its own: while one is computed,
  /// the next one is sent and the last one fetched. For batches of several chunks, not for
  /// bodies_in_parallel.
  bool overlap = false;
  /// bodies_in_parallel: the launches of one state are recorded when the backend is configured, and
  /// from then on launched as one (CUDA graphs). Arrays of the caller on the device are then copied
  /// there, since what is recorded knows the buffers of the backend only. What CUDA keeps of graphs
  /// is not counted in `memory`.
  bool graphs = false;
  /// bodies_in_parallel: the exclusive scans of the scan forms by CUB, which goes through the data
  /// once, in fewer launches. For our operators it does not promise the same rounding in every run.
  bool cub_scans = false;
};

}  // namespace rbd_parallel_core
