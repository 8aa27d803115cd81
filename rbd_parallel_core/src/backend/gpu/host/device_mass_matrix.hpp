// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/mass_matrix_bodies.hpp"
#include "gpu_memory.hpp"
#include "rbd_parallel_core/model/model_view.hpp"

namespace rbd_parallel_core {

/// What the mass matrix of one large tree is computed in, in the memory of a device.
template <class Real>
class DeviceMassMatrix {
 public:
  /// model: of the host; on_device: the same there. It must have no mimic joints. Throws.
  DeviceMassMatrix(const GpuDevice& device, const ModelView<Real>& model,
                   const ModelView<Real>& on_device);

  /// Where the phases by blocks put the columns.
  const TreeColumns<Real>& columns() const noexcept { return from_.columns; }

  std::int64_t nonzeros() const noexcept { return nonzeros_; }

  /// What writes M, or its nonzeros, when the columns are there; to where is yet to be said.
  DenseMatrixBody<Real> dense() const noexcept { return {from_, nullptr, nullptr}; }
  SparseMatrixBody<Real> sparse() const noexcept { return {from_, nullptr, nullptr}; }

 private:
  void take_columns(const GpuDevice& device);

  GpuMemory order_, numbers_;
  MatrixColumns<Real> from_{};
  std::int64_t nonzeros_ = 0;
};

extern template class DeviceMassMatrix<double>;
extern template class DeviceMassMatrix<float>;

}  // namespace rbd_parallel_core
