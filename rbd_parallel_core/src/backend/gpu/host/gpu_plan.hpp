// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "chunk_buffers.hpp"
#include "rbd_parallel_core/backend.hpp"
#include "rbd_parallel_core/gpu/gpu_settings.hpp"

/// What `configure` decides before it takes memory.
namespace rbd_parallel_core {

/// Largest nv of a full mass matrix where the bodies are computed in parallel: 800 MB of doubles.
inline constexpr int largest_tree_nv = 10000;
/// Of a sparse matrix by blocks: the numbers of that of a chain of that size.
inline constexpr std::int64_t most_tree_nonzeros =
    std::int64_t{largest_tree_nv} * (largest_tree_nv + 1) / 2;

/// Whether the bodies of this robot, where they are computed in parallel, go by blocks. Torques and
/// entries of mimic joints add up from several blocks: they are left to scans.
bool takes_blocks(const Model& model, const BackendOptions& options);

/// Throws std::invalid_argument for what cannot be, and for what would be without effect.
void check_settings(const GpuSettings& settings, const Model& model, const BackendOptions& options);

/// How a batch is cut into chunks.
struct Chunking {
  ChunkPlan plan;
  std::size_t pipelines;  ///< chunks that are under way at once
};

/// As many states at once as the memory allows. tree_nonzeros: of a sparse mass matrix by blocks,
/// or 0. Throws std::runtime_error if there is too little for one state.
template <class Real>
Chunking plan_chunks(const ModelView<Real>& model, const GpuSettings& settings,
                     const BackendOptions& options, std::int64_t tree_nonzeros,
                     const MemoryAllowance& allowance);

}  // namespace rbd_parallel_core
