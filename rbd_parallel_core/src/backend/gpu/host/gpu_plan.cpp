// SPDX-License-Identifier: Apache-2.0
#include "gpu_plan.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "compile_option_check.hpp"
#include "rbd_parallel_core/gpu/kernels/derivative_workspace.hpp"
#include "tree_options_check.hpp"

namespace rbd_parallel_core {

bool takes_blocks(const Model& model, const BackendOptions& options) {
  return options.tree.family == TreeFamily::blocks && !model.has_mimic() && model.nv() > 0;
}

void check_settings(const GpuSettings& settings, const Model& model,
                    const BackendOptions& options) {
  const auto expect = [](bool good, const std::string& otherwise) {
    if (!good) throw std::invalid_argument("cuda: " + otherwise);
  };
  refuse_compile_option(options, "cuda");
  expect(settings.block >= 1 && settings.block <= largest_block && settings.chunk >= 1,
         "a block has 1 to " + std::to_string(largest_block) +
             " threads, a chunk at least one state; these have " + std::to_string(settings.block) +
             " and " + std::to_string(settings.chunk));
  if (settings.bodies_in_parallel) {
    refuse_group_and_lanes(options.tree, "cuda");
    require_lengths(options.tree);
    expect(!settings.overlap,
           "overlap is for states in parallel; with bodies_in_parallel one state comes after the "
           "other: leave one of them off");
    expect(!settings.cub_scans || !takes_blocks(model, options),
           "cub_scans is for the scan forms, and this robot goes by blocks: set the family of "
           "BackendOptions::tree to scans, or leave cub_scans off");
  } else {
    refuse_tree_options(options.tree, "cuda without bodies_in_parallel");
    const char* const needs = " is for bodies_in_parallel, which is off: set it, or leave ";
    expect(!settings.graphs, std::string("graphs") + needs + "graphs off");
    expect(!settings.cub_scans, std::string("cub_scans") + needs + "cub_scans off");
  }
}

template <class Real>
Chunking plan_chunks(const ModelView<Real>& model, const GpuSettings& settings,
                     const BackendOptions& options, std::int64_t tree_nonzeros,
                     const MemoryAllowance& allowance) {
  const std::int64_t square = std::int64_t{model.nv} * model.nv;
  const auto plan_for = [&](std::size_t states) {
    constexpr std::int64_t warp = 32;
    ChunkPlan plan{};
    plan.states = static_cast<std::int64_t>(states);
    plan.stride = plan.states < warp ? plan.states : (plan.states + warp - 1) / warp * warp;
    plan.nq = model.nq;
    plan.nv = model.nv;
    plan.bodies = model.body_count;
    const bool dense = model.nv <= largest_gpu_matrix;
    plan.workspace = std::max(StateWorkspace<Real>::numbers(model.body_count, model.column_count),
                              DerivativeWorkspace<Real>::numbers(model, dense));
    plan.matrix = dense ? square : 0;
    plan.regressor = dense ? std::int64_t{model.nv} * model.body_count * parameters_per_body : 0;
    if (settings.bodies_in_parallel && model.nv <= largest_tree_nv) plan.tree_matrix = square;
    plan.tree_nonzeros = tree_nonzeros;
    // Eight wrenches for each state; a wrench on every link, four times, for one of them.
    plan.wrench_numbers = 6 * std::max<std::int64_t>(8 * plan.stride, 4 * model.link_count);
    return plan;
  };
  // A second pipeline is of use to those who have a second chunk.
  const auto pipelines_for = [&](std::size_t states) {
    return std::size_t{settings.overlap && options.max_batch > states ? 2u : 1u};
  };
  const auto bytes_for = [&](std::size_t states) {
    return pipelines_for(states) * ChunkBuffers<Real>::device_bytes(plan_for(states));
  };
  std::size_t states = std::min(options.max_batch, settings.chunk);
  while (states > 1 && bytes_for(states) > allowance.left()) states /= 2;
  allowance.require(bytes_for(states));
  return {plan_for(states), pipelines_for(states)};
}

template Chunking plan_chunks(const ModelView<double>&, const GpuSettings&, const BackendOptions&,
                              std::int64_t, const MemoryAllowance&);
template Chunking plan_chunks(const ModelView<float>&, const GpuSettings&, const BackendOptions&,
                              std::int64_t, const MemoryAllowance&);

}  // namespace rbd_parallel_core
