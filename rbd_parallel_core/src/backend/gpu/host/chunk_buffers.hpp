// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "gpu_memory.hpp"
#include "rbd_parallel_core/gpu/kernels/state_workspace.hpp"
#include "rbd_parallel_core/status.hpp"

namespace rbd_parallel_core {

/// What a state needs of each buffer, by the robot.
struct ChunkPlan {
  std::int64_t states;  ///< of a chunk
  std::int64_t stride;  ///< of lanes
  std::int64_t nq, nv, bodies;
  std::int64_t workspace;       ///< numbers of a state
  std::int64_t matrix;          ///< nv x nv, or 0: too large for matrices
  std::int64_t wrench_numbers;  ///< that fit into a chunk
  // Where the bodies are computed in parallel, else 0:
  std::int64_t tree_matrix;    ///< nv x nv, or 0: too large
  std::int64_t tree_nonzeros;  ///< of a sparse matrix by blocks, or 0: too many
};

/// An array of the caller on its way: rows in pinned memory, rows on the device, lanes.
template <class Real>
struct Slot {
  Real *pinned, *rows, *lanes;
};

/// The memory for one chunk of a batch, all of it taken when made.
template <class Real>
class ChunkBuffers {
 public:
  Slot<Real> q{}, v{}, a{}, wrenches{}, out{};
  Real* link = nullptr;  ///< lanes of what is computed of one link
  Real *forces = nullptr, *workspace = nullptr, *taint = nullptr, *matrix = nullptr,
       *inverse = nullptr;
  StateStatus *status = nullptr, *pinned_status = nullptr;
  std::int32_t *links = nullptr, *pinned_links = nullptr;

  ChunkBuffers() = default;
  ChunkBuffers(const GpuDevice& device, const ChunkPlan& plan) {
    const Bytes bytes = lay_out(plan, nullptr, nullptr);
    device_ = GpuMemory(device, bytes.device);
    pinned_ = GpuMemory(device.api, GpuMemory::Place::pinned, bytes.pinned);
    lay_out(plan, device_.get(), pinned_.get());
  }

  /// Bytes on the device.
  static std::size_t device_bytes(const ChunkPlan& plan) {
    ChunkBuffers unused;
    return unused.lay_out(plan, nullptr, nullptr).device;
  }

 private:
  struct Bytes {
    std::size_t device, pinned;
  };

  Bytes lay_out(const ChunkPlan& plan, std::byte* device, std::byte* pinned) {
    DeviceArena on_device{device}, on_host{pinned};
    const auto cut = [&](Slot<Real>& slot, std::int64_t row_numbers, std::int64_t lane_numbers) {
      on_host.cut(slot.pinned, row_numbers);
      on_device.cut(slot.rows, row_numbers);
      on_device.cut(slot.lanes, lane_numbers);
    };
    const std::int64_t link_numbers = std::max<std::int64_t>(6 * plan.nv, 7);
    const std::int64_t energy_numbers = 5;
    const std::int64_t largest_out = std::max(link_numbers, plan.matrix);
    cut(q, plan.nq * plan.states, plan.nq * plan.stride);
    cut(v, plan.nv * plan.states, plan.nv * plan.stride);
    cut(a, plan.nv * plan.states, plan.nv * plan.stride);
    cut(wrenches, plan.wrench_numbers, plan.wrench_numbers);
    cut(out, std::max({largest_out * plan.states, plan.tree_matrix, plan.tree_nonzeros}),
        std::max(plan.nv, energy_numbers) * plan.stride);
    on_device.cut(link, link_numbers * plan.stride);
    on_device.cut(forces, 6 * plan.bodies * plan.stride);
    on_device.cut(workspace, plan.workspace * plan.stride);
    on_device.cut(taint, plan.stride);
    on_device.cut(matrix, plan.matrix * plan.stride);
    on_device.cut(inverse, plan.matrix * plan.stride);
    on_device.cut(status, plan.stride);
    on_host.cut(pinned_status, plan.stride);
    on_device.cut(links, plan.wrench_numbers / 6);
    on_host.cut(pinned_links, plan.wrench_numbers / 6);
    return {on_device.used, on_host.used};
  }

  GpuMemory device_, pinned_;
};

}  // namespace rbd_parallel_core
