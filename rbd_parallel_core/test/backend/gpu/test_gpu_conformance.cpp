// SPDX-License-Identifier: Apache-2.0
// The conformance suite on the kernels of the backend "cuda", with the CPU in the place of the
// device.
#include "backend/plain_memory.hpp"
#include "backend/rehoused_backend.hpp"
#include "emulated_api.hpp"
#include "emulated_kernels.hpp"
#include "gpu/host/gpu_backend.hpp"
#include "rbd_parallel_core/testing/backend_conformance.hpp"

namespace rbd_parallel_core::conformance {
namespace {

template <class Real>
std::unique_ptr<BasicBackend<Real>> make_gpu(const GpuSettings& settings = {}) {
  return std::make_unique<GpuBackend<Real>>(emulated_api(), emulated_kernels<Real>(), settings);
}

std::unique_ptr<Backend> make_tree(const TreeOptions& options, GpuSettings settings = {}) {
  settings.bodies_in_parallel = true;
  return std::make_unique<RehousedBackend<double, PlainMemory>>(make_gpu<double>(settings),
                                                                options);
}

/// It shares nothing out among threads of the host. So all but the first are asked with fewer
/// states, some dozens of chunks: a CPU takes long for what a device does at once.
constexpr std::size_t some_chunks = 61;

}  // namespace

RBD_BACKEND_CONFORMANCE(EmulatedGpu, {.name = "cuda played by the CPU",
                                      .make = [] { return make_gpu<double>(); }});

/// Blocks that hold a part of a chunk, chunks that hold a part of a batch.
RBD_BACKEND_CONFORMANCE(GpuInChunks,
                        {.name = "cuda in chunks of two",
                         .make = [] { return make_gpu<double>({.chunk = 2, .block = 1}); },
                         .shared_batch = some_chunks});

/// Two of them under way at once.
RBD_BACKEND_CONFORMANCE(GpuOverlapped,
                        {.name = "cuda with overlap",
                         .make = [] { return make_gpu<double>({.chunk = 3, .overlap = true}); },
                         .shared_batch = some_chunks});

/// Where bodies are computed in parallel, by scans ...
RBD_BACKEND_CONFORMANCE(GpuTree, {.name = "cuda with bodies in parallel, by scans",
                                  .make = [] { return make_tree({.family = TreeFamily::scans}); },
                                  .tolerance = 1e-11,
                                  .shared_batch = some_chunks});

/// ... and by blocks, so short that small robots have several.
RBD_BACKEND_CONFORMANCE(GpuBlocks, {.name = "cuda with bodies in parallel, by blocks",
                                    .make = [] { return make_tree({.block = 2}); },
                                    .tolerance = 1e-11,
                                    .shared_batch = some_chunks});

/// The same with launches that were recorded, scans being those of a library.
RBD_BACKEND_CONFORMANCE(GpuScanGraphs, {.name = "cuda with graphs of scans by a library",
                                        .make =
                                            [] {
                                              return make_tree({.family = TreeFamily::scans},
                                                               {.graphs = true, .cub_scans = true});
                                            },
                                        .tolerance = 1e-11,
                                        .shared_batch = some_chunks});
RBD_BACKEND_CONFORMANCE(GpuBlockGraphs,
                        {.name = "cuda with graphs of blocks",
                         .make = [] { return make_tree({.block = 2}, {.graphs = true}); },
                         .tolerance = 1e-11,
                         .shared_batch = some_chunks});

RBD_BACKEND_CONFORMANCE(GpuFloat,
                        {.name = "cuda of float",
                         .make =
                             [] {
                               return std::make_unique<RehousedBackend<float, PlainMemory>>(
                                   make_gpu<float>({.chunk = 3}));
                             },
                         .tolerance = 2e-5,
                         .shared_batch = some_chunks});

}  // namespace rbd_parallel_core::conformance
