// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>

#include "device_blocks.hpp"
#include "device_mass_matrix.hpp"
#include "gpu_arrays.hpp"
#include "gpu_kernels.hpp"
#include "tree_task.hpp"

namespace rbd_parallel_core {

/// One state of one large tree after the other, the bodies in parallel: by blocks or by scans.
template <class Real>
class GpuTree {
 public:
  using InverseDynamics = BasicInverseDynamics<Real>;
  using MassMatrix = BasicMassMatrix<Real>;

  /// All of these stay those of the backend.
  GpuTree(GpuQueue<Real>& queue, GpuArrays<Real>& arrays, const GpuKernels<Real>& kernels,
          const GpuSettings& settings, const DeviceModel<Real>& model)
      : queue_(queue), arrays_(arrays), kernels_(kernels), settings_(settings), model_(model) {}

  /// Takes memory. Throws.
  void configure(const Model& model, const BackendOptions& options, MemoryAllowance& allowance);
  /// Has the launches of every task that can arise recorded. When the buffers are taken; throws.
  void record_graphs();
  void give_back() noexcept;

  bool by_blocks() const noexcept { return blocks_.has_value(); }
  bool by_scans() const noexcept { return scans_ != nullptr; }
  bool goes_by_two_ports() const noexcept { return blocks_ && blocks_->can_go_forward(); }
  /// Of a sparse mass matrix by blocks, or 0: there is none.
  std::int64_t nonzeros() const noexcept { return matrix_ ? matrix_->nonzeros() : 0; }
  /// Whether it can do what is asked for.
  bool offers(const MassMatrix& args) const noexcept {
    return goes_by_blocks(args) || goes_by_scans(args);
  }

  /// Inverse dynamics, Coriolis forces, or forward dynamics, of which a are the torques and tau the
  /// accelerations.
  Result dynamics(Operation operation, const InverseDynamics& args) noexcept;
  Result mass_matrix(const MassMatrix& args) noexcept;

 private:
  const ChunkPlan& plan() const noexcept { return arrays_.plan(); }
  bool goes_by_blocks(const MassMatrix& args) const noexcept;
  bool goes_by_scans(const MassMatrix& args) const noexcept;
  std::int64_t results_of(Operation operation) const noexcept;
  void launch_dynamics(const TreeTask<Real>& task) noexcept;
  void launch_matrix(const TreeTask<Real>& task) noexcept;
  template <class Body>
  void launch_entries(const BodyEntry<Body>& entry, Body body, Real* out) noexcept;
  void launch_task(const TreeTask<Real>& task) noexcept;
  bool arises(const TreeTask<Real>& task) const noexcept;
  void compute(TreeTask<Real> task, std::span<Real> array, std::span<StateStatus> status,
               const ChunkRange& range) noexcept;

  GpuQueue<Real>& queue_;
  GpuArrays<Real>& arrays_;
  const GpuKernels<Real>& kernels_;
  const GpuSettings& settings_;
  const DeviceModel<Real>& model_;
  bool friction_ = false;
  DeviceTree shape_;
  std::unique_ptr<TreeDynamics<Real>> scans_;           ///< where the bodies go by scans
  std::optional<DeviceBlocks<Real>> blocks_;            ///< where they go by blocks
  std::optional<DeviceMassMatrix<Real>> matrix_;        ///< likewise, unless it is too large
  std::array<GpuGraph, TreeTask<Real>::kinds> graphs_;  ///< of the tasks that arise, or of none
};

extern template class GpuTree<double>;
extern template class GpuTree<float>;

}  // namespace rbd_parallel_core
