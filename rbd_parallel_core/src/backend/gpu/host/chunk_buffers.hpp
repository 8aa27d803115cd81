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
  std::int64_t regressor;       ///< nv x parameters, or 0: likewise
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
  Slot<Real> dq{}, dv{}, da{};  ///< directions; the last one for weights too
  /// Lanes of what is computed of one link, or rows of results; row_count of nv numbers.
  Real* link = nullptr;
  Real *forces = nullptr, *workspace = nullptr, *taint = nullptr;
  /// nv x nv each. One after the other; a regressor takes the place of all.
  Real *matrix = nullptr, *inverse = nullptr, *by_q = nullptr, *by_v = nullptr;
  StateStatus *status = nullptr, *pinned_status = nullptr;
  std::int32_t *links = nullptr, *pinned_links = nullptr;

  ChunkBuffers() = default;
  ChunkBuffers(const GpuDevice& device, const ChunkPlan& plan) {
    const Bytes bytes = lay_out(plan, nullptr, nullptr);
    device_ = GpuMemory(device, bytes.device);
    pinned_ = GpuMemory(device.api, GpuMemory::Place::pinned, bytes.pinned);
    lay_out(plan, device_.get(), pinned_.get());
  }

  /// For two matrices of 6 x nv.
  static constexpr std::int64_t row_count = 12;
  /// How many states of a chunk can have a regressor at once.
  static std::int64_t states_with_regressor(const ChunkPlan& plan) {
    if (plan.regressor == 0) return plan.states;
    const std::int64_t lanes = matrix_numbers(plan) / plan.regressor;
    return std::min({plan.states, lanes, out_numbers(plan) / plan.regressor});
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

  /// Of all matrices together.
  static std::int64_t matrix_numbers(const ChunkPlan& plan) {
    return std::max(4 * plan.matrix * plan.stride, plan.regressor);
  }
  /// Of the largest array that a chunk gives.
  static std::int64_t out_numbers(const ChunkPlan& plan) {
    const std::int64_t of_a_state = std::max({6 * plan.nv, std::int64_t{7}, plan.matrix});
    return std::max(
        {of_a_state * plan.states, plan.regressor, plan.tree_matrix, plan.tree_nonzeros});
  }

  Bytes lay_out(const ChunkPlan& plan, std::byte* device, std::byte* pinned) {
    DeviceArena on_device{device}, on_host{pinned};
    const auto cut = [&](Slot<Real>& slot, std::int64_t row_numbers, std::int64_t lane_numbers) {
      on_host.cut(slot.pinned, row_numbers);
      on_device.cut(slot.rows, row_numbers);
      on_device.cut(slot.lanes, lane_numbers);
    };
    const std::int64_t pose_numbers = 7, energy_numbers = 5;
    cut(q, plan.nq * plan.states, plan.nq * plan.stride);
    cut(v, plan.nv * plan.states, plan.nv * plan.stride);
    cut(a, plan.nv * plan.states, plan.nv * plan.stride);
    for (Slot<Real>* const slot : {&dq, &dv, &da}) {
      cut(*slot, plan.nv * plan.states, plan.nv * plan.stride);
    }
    cut(wrenches, plan.wrench_numbers, plan.wrench_numbers);
    cut(out, out_numbers(plan), std::max(plan.nv, energy_numbers) * plan.stride);
    on_device.cut(link, std::max(row_count * plan.nv, pose_numbers) * plan.stride);
    on_device.cut(forces, 6 * plan.bodies * plan.stride);
    on_device.cut(workspace, plan.workspace * plan.stride);
    on_device.cut(taint, plan.stride);
    on_device.cut(matrix, matrix_numbers(plan));
    if (device != nullptr) {
      inverse = matrix + plan.matrix * plan.stride;
      by_q = inverse + plan.matrix * plan.stride;
      by_v = by_q + plan.matrix * plan.stride;
    }
    on_device.cut(status, plan.stride);
    on_host.cut(pinned_status, plan.stride);
    on_device.cut(links, plan.wrench_numbers / 6);
    on_host.cut(pinned_links, plan.wrench_numbers / 6);
    return {on_device.used, on_host.used};
  }

  GpuMemory device_, pinned_;
};

}  // namespace rbd_parallel_core
